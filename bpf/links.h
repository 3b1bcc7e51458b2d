/* SPDX-License-Identifier: BSD-2-Clause */
/* Links: programs at perf events and raw tracepoints, as objects with ids. Context of all: task. */
#ifndef BPF_LINKS_H
#define BPF_LINKS_H

#include <stdint.h>
#include "bpf/object/object.h"

struct bpf_program;
struct file;
struct perf_event;

struct bpf_link {
	struct bpf_object object;
	struct bpf_program *program; /* referenced */
	struct place *place;         /* of a raw tracepoint */
	const char *name;            /* its name */
	struct perf_event *event;    /* or the perf event */
	struct file *file;           /* of it, referenced */
};

/* BPF_RAW_TRACEPOINT_OPEN; BPF_LINK_CREATE for a perf event, whose file the link keeps (takes the
 * reference). NULL and *error. */
struct bpf_link *link_raw(struct bpf_program *program, const char *name, int *error);
struct bpf_link *link_perf(struct bpf_program *program, struct perf_event *event, struct file *file,
			   uint64_t cookie, int *error);
static inline void link_put(struct bpf_link *link)
{
	object_put(&link->object);
}

#endif
