/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes as trace events: their fields, what a hit leads to. */
#include "trace/probe/probe.h"
#include <linux/errno.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "trace/base/syscalls.h"
#include "trace/buffer/buffer.h"

#define FIRST_ID (NR_POINTS + 1 + 2 * NR_TRACED_CALLS)
#define LAST_ID  UINT16_MAX

#define RECORD_MOST (sizeof(struct trace_header) + (2 + PROBE_ARGS_MOST) * 8 + FETCH_STRINGS)

static struct list all = {&all, &all}; /* by id */

/* ---- hits ---- */

static unsigned where_of(const struct probe *probe)
{
	return probe->of_program ? FETCH_OF_USER : 0;
}

static void tell(struct probe *probe, struct frame *frame, uint64_t function)
{
	struct {
		struct trace_header header;
		uint64_t words[(RECORD_MOST - sizeof(struct trace_header)) / 8];
	} record;
	uint32_t bytes;

	probe->hits++;
	if (!trace_wanted(&probe->event))
		return;
	record.words[0] = probe->returns ? function : frame->rip;
	if (probe->returns)
		record.words[1] = frame->rip;
	bytes = fetch_record(probe->args, probe->nr_args, &record, probe->bytes, frame,
			     where_of(probe));
	trace_hit(&probe->event, &record.header, bytes, frame, NULL);
}

static void hit_program(struct uprobe_user *user, struct frame *frame, uint64_t function)
{
	tell(container_of(user, struct probe, in_program), frame, function);
}

static void hit_kernel(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	tell(container_of(user, struct probe, in_kernel), frame, function);
}

static int set(struct trace_event *event, bool on)
{
	struct probe *probe = container_of(event, struct probe, event);

	if (probe->of_program) {
		if (on)
			return uprobe_add(&probe->in_program, probe->inode, probe->offset,
					  probe->semaphore);
		uprobe_remove(&probe->in_program);
		return 0;
	}
	if (on)
		return kprobe_add(&probe->in_kernel, probe->address);
	kprobe_remove(&probe->in_kernel);
	return 0;
}

uint64_t probe_function(const struct trace_event *event)
{
	const struct probe *probe = container_of(event, struct probe, event);
	uint64_t offset;

	if (probe->of_program || !symbols_find(probe->address, &offset) || offset)
		return 0;
	return probe->address;
}

/* ---- what it is ---- */

static void make_text(const struct trace_event *event, struct text *out)
{
	const struct probe *probe = container_of(event, struct probe, event);

	text_print(out, probe->returns ? "\"(%%lx <- %%lx)" : "\"(%%lx)");
	for (unsigned i = 0; i < probe->nr_args; i++)
		text_print(out, " %s=%s", probe->args[i].name, probe->args[i].type->format);
	text_print(out, probe->returns ? "\", REC->__probe_func, REC->__probe_ret_ip"
				       : "\", REC->__probe_ip");
	for (unsigned i = 0; i < probe->nr_args; i++)
		text_print(out, probe->args[i].type->is_string ? ", __get_str(%s)" : ", REC->%s",
			   probe->args[i].name);
}

static void add_address(struct probe *probe, const char *name)
{
	probe->fields[probe->event.nr_fields++] =
	    (struct trace_field){.type = "unsigned long",
				 .name = name,
				 .offset = (uint16_t)probe->bytes,
				 .size = sizeof(uint64_t)};
	probe->bytes += sizeof(uint64_t);
}

static void make_fields(struct probe *probe)
{
	probe->bytes = sizeof(struct trace_header);
	probe->event.nr_fields = 0;
	add_address(probe, probe->returns ? "__probe_func" : "__probe_ip");
	if (probe->returns)
		add_address(probe, "__probe_ret_ip");
	for (unsigned i = 0; i < probe->nr_args; i++) {
		struct fetch_arg *arg = &probe->args[i];

		arg->offset = probe->bytes;
		probe->fields[probe->event.nr_fields++] =
		    (struct trace_field){.type = arg->type->field,
					 .name = arg->name,
					 .offset = (uint16_t)arg->offset,
					 .size = arg->type->size,
					 .is_signed = arg->type->is_signed,
					 .is_string = arg->type->is_string,
					 .is_located = arg->type->is_string};
		probe->bytes += arg->type->size;
	}
}

struct probe *probe_new(void)
{
	struct probe *probe = kalloc(sizeof(*probe));

	if (probe)
		list_init(&probe->link);
	return probe;
}

void probe_free(struct probe *probe)
{
	list_remove(&probe->link);
	inode_put(probe->inode);
	kfree(probe->place);
	kfree(probe->words);
	buffer_forget(&probe->event);
	kfree(probe);
}

/* Puts it at the first number that is free. */
static int enter(struct probe *probe)
{
	struct list *before = &all;
	uint32_t id = FIRST_ID;
	struct probe *other;

	list_for_each(other, &all, link) {
		if (other->event.id != id)
			break;
		before = &other->link;
		id++;
	}
	if (id > LAST_ID)
		return -ENOSPC;
	probe->event.id = (uint16_t)id;
	list_insert_between(&probe->link, before, before->next);
	return 0;
}

int probe_publish(struct probe *probe)
{
	if (probe->is_named && probe_by_name(probe->system, probe->name))
		return -EEXIST;
	if (probe->of_program) {
		probe->in_program.returns = probe->returns;
		probe->in_program.hit = hit_program;
	} else {
		probe->in_kernel.returns = probe->returns;
		probe->in_kernel.hit = hit_kernel;
	}
	make_fields(probe);
	probe->event.system = probe->system;
	probe->event.name = probe->name;
	probe->event.place = PLACE_OWN;
	probe->event.fields = probe->fields;
	probe->event.make_text = make_text;
	probe->event.set = set;
	return enter(probe);
}

/* ---- all of them ---- */

struct trace_event *probe_by_id(uint64_t id)
{
	struct probe *probe;

	list_for_each(probe, &all, link)
		if (probe->event.id == id && probe->is_named)
			return &probe->event;
	return NULL;
}

struct probe *probe_next(uint64_t *index)
{
	struct probe *probe;

	list_for_each(probe, &all, link) {
		if (!probe->is_named || probe->event.id < FIRST_ID + *index)
			continue;
		*index = probe->event.id - FIRST_ID + 1u;
		return probe;
	}
	return NULL;
}

struct probe *probe_by_name(const char *system, const char *name)
{
	struct probe *probe;

	for (uint64_t at = 0; (probe = probe_next(&at));)
		if (strcmp(probe->system, system) == 0 && strcmp(probe->name, name) == 0)
			return probe;
	return NULL;
}

static bool is_first_of_group(const struct probe *probe)
{
	const struct probe *other;

	for (uint64_t at = 0; (other = probe_next(&at)) != probe;)
		if (strcmp(other->system, probe->system) == 0)
			return false;
	return true;
}

const char *probe_group(uint64_t index)
{
	const struct probe *probe;

	for (uint64_t at = 0; (probe = probe_next(&at));)
		if (is_first_of_group(probe) && !index--)
			return probe->system;
	return NULL;
}
