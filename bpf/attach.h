/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching programs to perf events and trace events. Context of all: task. */
#ifndef BPF_ATTACH_H
#define BPF_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_program;
struct perf_event;

/* PERF_EVENT_IOC_SET_BPF: attaches the program until the event ends. 0 or a negative errno. */
int program_attach(struct bpf_program *program, struct perf_event *event, uint64_t cookie);
/* The event or link ends: detaches its program, if it has one. */
void program_detach(struct perf_event *event);

/* Returns the event's program, NULL: none. */
struct bpf_program *program_attached(const struct perf_event *event);
/* Returns the cookie that it was attached with. */
uint64_t program_cookie(const struct perf_event *event);
/* Copies the ids of a trace event's programs, as many as there is room for; returns how many there
 * are. */
struct trace_event;
uint32_t programs_at(const struct trace_event *event, uint32_t *ids, uint32_t most);

/* Attaches a program to a trace event, for its record or (`raw`) for its arguments. NULL and
 * *error. */
struct place;
struct place *place_new(struct bpf_program *program, struct trace_event *event, bool raw,
			uint64_t cookie, int *error);
void place_free(struct place *place);

#endif
