/* SPDX-License-Identifier: BSD-2-Clause */
/* Links: a link keeps a program attached as long as the link has references. */
#include <linux/errno.h>
#include "bpf/attach.h"
#include "bpf/bpf.h"
#include "bpf/links.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "pmu/core/core.h"
#include "trace/base/event.h"

static void destroy(struct bpf_object *object)
{
	struct bpf_link *link = (struct bpf_link *)object;

	if (link->place)
		place_free(link->place);
	if (link->event) {
		program_detach(link->event);
		file_put(link->file);
	}
	program_put(link->program);
	kfree(link);
}

static const struct object_ops link_ops = {.destroy = destroy};

static struct bpf_link *link_new(struct bpf_program *program, int *error)
{
	struct bpf_link *link = kalloc(sizeof(*link));

	*error = link ? 0 : -ENOMEM;
	if (link) {
		object_init(&link->object, OBJECT_LINK, &link_ops);
		link->program = program;
		program_get(program);
	}
	return link;
}

/* Finds Linux's tracepoint of that name, if it exists here; trace_marker's event is none. */
static struct trace_event *find_raw(const char *name)
{
	for (unsigned i = 0; i < NR_POINTS; i++)
		if (trace_points[i].place != PLACE_NONE && strcmp(trace_points[i].name, name) == 0)
			return &trace_points[i];
	return NULL;
}

struct bpf_link *link_raw(struct bpf_program *program, const char *name, int *error)
{
	struct trace_event *event = find_raw(name);
	struct bpf_link *link;

	*error =
	    program->point || program->type == BPF_PROG_TYPE_RAW_TRACEPOINT ? -ENOENT : -EINVAL;
	if (!event || *error == -EINVAL)
		return NULL;
	link = link_new(program, error);
	if (!link)
		return NULL;
	link->name = event->name;
	link->place = place_new(program, event, true, 0, error);
	if (!link->place) {
		link_put(link);
		return NULL;
	}
	object_publish(&link->object);
	return link;
}

struct bpf_link *link_perf(struct bpf_program *program, struct perf_event *event, struct file *file,
			   uint64_t cookie, int *error)
{
	struct bpf_link *link = link_new(program, error);

	if (link)
		*error = program_attach(program, event, cookie);
	if (*error) {
		if (link)
			link_put(link);
		file_put(file);
		return NULL;
	}
	link->event = event;
	link->file = file;
	object_publish(&link->object);
	return link;
}
