/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of single accesses to memory, as PEBS or IBS records describe them. */
#ifndef CORE_SAMPLE_H
#define CORE_SAMPLE_H

#include <stdbool.h>

#include "abi/core_page.h"
#include "emulator/sim/memory/memory.h"

struct sampler {
	enum core_sampling how;
	uint32_t slow; /* cycles: see core_access_noted() */
	struct core_sample sample;
};

/* The guest continues: records from now on as the page requests. */
void sampler_begin(struct sampler *sampler, const struct core_processor *page);

/*
 * Records that the access of the instruction at access->ip found `result`; `hit_cycles`: latency of
 * a plain hit in L1. Returns whether it is a load at least as slow as the page's limit.
 */
bool sampler_access(struct sampler *sampler, const struct access *access,
		    const struct access_result *result, uint32_t hit_cycles, bool locked);

/* A block starts: its lines are the relevant ones. */
static inline void sampler_block(struct sampler *sampler)
{
	sampler->sample.fetch.level = CORE_LEVEL_NONE;
}

/* Records that a line of instructions at access->vaddr was fetched, with this result. */
void sampler_fetch(struct sampler *sampler, const struct access *access,
		   const struct access_result *result);

/* Watches (bits by their numbers) have run out with the instruction at ip: later accesses are not
 * recorded. */
void sampler_end(struct sampler *sampler, uint32_t watches, uint64_t ip);

#endif
