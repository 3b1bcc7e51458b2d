/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of PEBS: a record under construction. Source: Intel SDM vol. 3, "Processor
 * Event Based Sampling (PEBS) Facility". */
#ifndef VISOR_MODEL_PEBS_BUILD_H
#define VISOR_MODEL_PEBS_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"

#define PEBS_BASIC_WORDS  4
#define PEBS_MEMORY_WORDS 4
#define PEBS_GPR_WORDS    18
#define PEBS_BRANCH_WORDS 3
#define PEBS_BRANCHES     32
#define PEBS_RECORD_WORDS                                                          \
	(PEBS_BASIC_WORDS + PEBS_MEMORY_WORDS + PEBS_GPR_WORDS + MODEL_XMM_WORDS + \
	 PEBS_BRANCHES * PEBS_BRANCH_WORDS)

struct pebs_record {
	uint64_t words[PEBS_RECORD_WORDS];
	unsigned count;
};

static inline void pebs_put(struct pebs_record *record, uint64_t word)
{
	record->words[record->count++] = word;
}

/* PERF_CAPABILITIES[11:8]. */
static inline unsigned pebs_format(const struct model *model)
{
	return (model->personality->capabilities & PERF_CAP_PEBS_FORMAT) >> PERF_CAP_FORMAT_SHIFT;
}

/* ---- pebs_adaptive.c, pebs_fixed.c: the whole record of the counters in pebs.ready ---- */

/* Format 4: the groups of MSR_PEBS_DATA_CFG. */
void pebs_build_adaptive(struct model *model, struct pebs_record *record,
			 const struct model_pebs_source *source);
/* Formats 0 to 3: 144, 176, 192, 200 bytes. */
void pebs_build_fixed(const struct model *model, struct pebs_record *record,
		      const struct model_pebs_source *source);
/* Formats 0 to 3: true if a counter with that select can make records. */
bool pebs_is_precise(const struct personality *personality, uint64_t select);

/* ---- pebs_access.c: the memory access of a record ---- */

struct pebs_access {
	uint64_t address, aux; /* linear; the data source, as the format encodes it */
	uint64_t cycles;       /* from issue to data; 0: not measured */
};

/* True if the event (loads or stores) is sampled with its latency. */
bool pebs_measures(uint64_t select);
/* Returns the access for a record of the counters in pebs.ready. `measured`: with its latency. */
struct pebs_access pebs_find_access(const struct model *model,
				    const struct model_pebs_source *source, bool measured);
/* Returns the record's TSX word; 0: no transaction ended. */
uint64_t pebs_transaction(const struct model *model);

/* ---- pebs.c ---- */

/* Which counters make records, after a write to IA32_PEBS_ENABLE or an event select: what waited of
 * others is forgotten. */
void pebs_choose(struct model *model);

#endif
