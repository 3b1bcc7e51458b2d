/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes as trace events: their fields and the handling of a hit. */
#include <linux/errno.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "trace/buffer/buffer.h"
#include "trace/probe/probe.h"

#define RECORD_MAX (sizeof(struct trace_header) + (2 + PROBE_ARGS_MAX) * 8 + FETCH_STRINGS)

/* ---- hits ---- */

static unsigned where_of(const struct probe *probe)
{
	return probe->of_program ? FETCH_OF_USER : 0;
}

static void probe_emit(struct probe *probe, struct frame *frame, uint64_t function)
{
	struct {
		struct trace_header header;
		uint64_t words[(RECORD_MAX - sizeof(struct trace_header)) / 8];
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
	probe_emit(container_of(user, struct probe, in_program), frame, function);
}

static void hit_kernel(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	probe_emit(container_of(user, struct probe, in_kernel), frame, function);
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
	return kalloc(sizeof(struct probe));
}

void probe_free(struct probe *probe)
{
	probe_leave(probe);
	inode_put(probe->inode);
	kfree(probe->place);
	kfree(probe->words);
	buffer_forget(&probe->event);
	kfree(probe);
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
	return probe_enter(probe);
}
