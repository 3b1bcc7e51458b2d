/* SPDX-License-Identifier: BSD-2-Clause */
/* A recorded trace: the packets of each processor, the code that ran, and which thread ran it. */
#ifndef HOST_TRACE_SOURCE_H
#define HOST_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/lib/perfdata/perfdata.h"
#include "apps/lib/perfdata/perfdata_aux.h"
#include "apps/report/places/places.h"

#define TRACE_PROCESSORS 512
#define TRACE_INSN_BYTES 15 /* of an instruction, at most */

/* Consecutive bytes of one processor's trace. */
struct trace_part {
	uint8_t *bytes;
	size_t size;
	uint64_t end; /* offset of the byte after them, in all of the processor's */
	uint32_t cpu, index;
};

struct trace_source {
	struct perfdata_reader reader;
	struct perfdata_aux_info info;
	uint64_t config; /* of the trace's event */
	struct trace_part *parts;
	size_t nr_parts;
	struct places *places;
	size_t learned;    /* records so far */
	uint64_t sequence; /* grows with the mappings */
	struct {
		uint32_t pid, tid;
	} running[TRACE_PROCESSORS];
};

/* Reads a perf.data file; ends the command if it has no Processor Trace. */
void trace_open(struct trace_source *source, const char *path);
/* Returns the time of a TSC, in ns of perf's clock. */
uint64_t trace_time(const struct trace_source *source, uint64_t tsc);
/* Applies the records up to a time (ns): mappings, names, switches of tasks. */
void trace_learn(struct trace_source *source, uint64_t time);

/* code.c: copies up to `size` bytes of the process's code. Returns how many there are. */
size_t trace_code(struct trace_source *source, uint32_t pid, uint64_t ip, uint8_t *bytes,
		  size_t size);

#endif
