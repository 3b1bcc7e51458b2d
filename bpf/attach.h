/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs at what calls them: perf events and trace events. Context of all: task. */
#ifndef BPF_ATTACH_H
#define BPF_ATTACH_H

#include <stdint.h>

struct bpf_link;
struct bpf_program;
struct file;
struct perf_event;
struct text;

/* PERF_EVENT_IOC_SET_BPF: the program goes to the event, and stays until the event ends. 0 or a
 * negative errno. */
int program_attach(struct bpf_program *program, struct perf_event *event, uint64_t cookie);
/* The event ends, or a link: takes its program away, if it has one. */
void program_detach(struct perf_event *event);

/* BPF_RAW_TRACEPOINT_OPEN; BPF_LINK_CREATE at a perf event, whose file the link keeps (the
 * reference is taken over). NULL and *error. */
struct bpf_link *link_raw(struct bpf_program *program, const char *name, int *error);
struct bpf_link *link_perf(struct bpf_program *program, struct perf_event *event, struct file *file,
			   uint64_t cookie, int *error);
void link_free(struct bpf_link *link);
/* BPF_OBJ_GET_INFO_BY_FD of a link. */
struct bpf_link_info;
void link_describe(const struct bpf_link *link, struct bpf_link_info *info);

#endif
