/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs at what calls them: perf events and trace events. Context of all: task. */
#ifndef BPF_ATTACH_H
#define BPF_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_program;
struct perf_event;

/* PERF_EVENT_IOC_SET_BPF: the program goes to the event, and stays until the event ends. 0 or a
 * negative errno. */
int program_attach(struct bpf_program *program, struct perf_event *event, uint64_t cookie);
/* The event ends, or a link: takes its program away, if it has one. */
void program_detach(struct perf_event *event);

/* The program at the event, NULL: none. */
struct bpf_program *program_attached(const struct perf_event *event);
/* The ids of the programs at a trace event, at most so many; returns how many there are. */
struct trace_event;
uint32_t programs_at(const struct trace_event *event, uint32_t *ids, uint32_t most);

/* A program at a trace event, by its record or (`raw`) by its arguments. NULL and *error. */
struct place;
struct place *place_new(struct bpf_program *program, struct trace_event *event, bool raw,
			uint64_t cookie, int *error);
void place_free(struct place *place);

#endif
