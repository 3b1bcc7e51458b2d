/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs attached to trace events, for bpf/. */
#ifndef TRACE_PROGRAM_H
#define TRACE_PROGRAM_H

#include <stdbool.h>
#include "trace/base/event.h"
#include "trace/base/perf.h"

#define TRACE_PROGRAMS_MAX 64 /* at one event, as Linux */

struct trace_program {
	struct trace_program *next;
	bool is_tracefs;  /* none of BPF */
	const void *once; /* an event has no two programs with the same value; NULL: any number */
	/* Runs on a record; returns the program's result. Context: interrupts masked, not NMI. */
	uint64_t (*run)(struct trace_program *program, const struct trace_record *record);
};

/* Runs these programs: false if one rejects the record. Context: interrupts masked. */
bool programs_run_all(struct trace_program *program, const struct trace_record *record);

/* Runs the programs of the record's event: false if one rejects the record. Context: interrupts
 * masked. */
static inline bool programs_run(const struct trace_record *record)
{
	struct trace_program *program = __atomic_load_n(&record->event->programs, __ATOMIC_ACQUIRE);

	if (!program)
		return true;
	return program->next ? programs_run_all(program, record)
			     : program->run(program, record) != 0;
}

/* Adds a program after the others; removes one, which then runs nowhere any more: 0, -E2BIG,
 * -EEXIST, or an error of trace_event_get(). Context: task. */
int programs_add(struct trace_event *event, struct trace_program *program);
void programs_remove(struct trace_event *event, struct trace_program *program);

#endif
