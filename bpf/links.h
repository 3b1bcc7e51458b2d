/* SPDX-License-Identifier: BSD-2-Clause */
/* Links: programs at perf events and raw tracepoints, as objects with ids. Context of all: task. */
#ifndef BPF_LINKS_H
#define BPF_LINKS_H

#include <stdint.h>
#include "kernel/base/list.h"

struct bpf_program;
struct file;
struct perf_event;

struct bpf_link {
	uint32_t refs, id;
	struct bpf_program *program; /* referenced */
	struct place *place;         /* of a raw tracepoint */
	const char *name;            /* its name */
	struct perf_event *event;    /* or the perf event */
	struct file *file;           /* of it, referenced */
	struct list link;            /* in all, by id */
};

/* BPF_RAW_TRACEPOINT_OPEN; BPF_LINK_CREATE at a perf event, whose file the link keeps (the
 * reference is taken over). NULL and *error. */
struct bpf_link *link_raw(struct bpf_program *program, const char *name, int *error);
struct bpf_link *link_perf(struct bpf_program *program, struct perf_event *event, struct file *file,
			   uint64_t cookie, int *error);
void link_get(struct bpf_link *link);
void link_put(struct bpf_link *link);
/* The next id above, 0: none; the link of an id, with a reference, or NULL. */
uint32_t link_next_id(uint32_t id);
struct bpf_link *link_by_id(uint32_t id);

#endif
