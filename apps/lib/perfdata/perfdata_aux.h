/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware traces in perf.data: AUXTRACE_INFO describes how they were made, each AUXTRACE is
 * followed by a piece of one (Linux tools/perf/util/auxtrace.h, intel-pt.h). */
#ifndef APPS_LIB_PERFDATA_AUX_H
#define APPS_LIB_PERFDATA_AUX_H

#include "apps/lib/perfdata/perfdata.h"

enum perfdata_aux_record { PERFDATA_RECORD_AUXTRACE_INFO = 70, PERFDATA_RECORD_AUXTRACE = 71 };

/* Kinds of AUXTRACE_INFO. */
enum perfdata_aux_kind { PERFDATA_AUX_INTEL_PT = 1, PERFDATA_AUX_INTEL_BTS = 2 };

/* Words of AUXTRACE_INFO. The first ones are common to both kinds. */
enum perfdata_aux_word {
	AUX_PMU_TYPE,
	AUX_TIME_SHIFT,
	AUX_TIME_MULT,
	AUX_TIME_ZERO,
	AUX_HAS_TIME_ZERO,
	/* Intel PT. The *_BIT words are masks of attr.config. */
	AUX_PT_TSC_BIT,
	AUX_PT_NORETCOMP_BIT,
	AUX_PT_SWITCHES, /* 2: SWITCH records of the traced tasks */
	AUX_PT_SNAPSHOT,
	AUX_PT_PER_CPU,
	AUX_PT_MTC_BIT,
	AUX_PT_MTC_PERIOD_BITS,
	AUX_PT_TSC_NUMERATOR, /* CPUID leaf 15H */
	AUX_PT_TSC_DENOMINATOR,
	AUX_PT_CYC_BIT,
	AUX_PT_MAX_NONTURBO,
	AUX_PT_FILTER_BYTES,
	AUX_PT_WORDS,
	/* Intel BTS */
	AUX_BTS_SNAPSHOT = AUX_HAS_TIME_ZERO + 1,
	AUX_BTS_WORDS,
};

struct perfdata_aux_info {
	struct perf_event_header header;
	uint32_t kind, reserved;
	uint64_t words[AUX_PT_WORDS];
};

/* `size` bytes follow, a multiple of PERFDATA_AUX_ALIGN. */
struct perfdata_aux_piece {
	struct perf_event_header header;
	uint64_t size, offset; /* offset: in all that the area has received */
	uint64_t reference;
	uint32_t index, tid, cpu, reserved; /* tid: -1 with an area for each processor */
};

#define PERFDATA_AUX_ALIGN 8

/* Appends a piece of `size` bytes, which may be in two parts: `first` bytes at parts[0], the rest
 * at parts[1]; header, size and padding are filled in here. */
void perfdata_append_aux(struct perfdata_writer *writer, struct perfdata_aux_piece *piece,
			 const unsigned char *const parts[2], uint64_t first);

/* Returns the bytes that follow a record inside the data: the trace of an AUXTRACE, else 0. */
static inline uint64_t perfdata_aux_bytes(const struct perf_event_header *record)
{
	const struct perfdata_aux_piece *piece = (const struct perfdata_aux_piece *)record;

	return record->type == PERFDATA_RECORD_AUXTRACE && record->size >= sizeof(*piece)
		   ? piece->size
		   : 0;
}

#endif
