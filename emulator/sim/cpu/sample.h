/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses to memory as records of single ones tell them. */
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

/* The guest goes on: notes from now on what the page says. */
void sampler_begin(struct sampler *sampler, const struct core_processor *page);

/*
 * An access of the instruction at access->ip found `result`, after so many cycles of a hit in L1
 * when it is a plain one. Returns whether it is a load as slow as the page asks for.
 */
bool sampler_access(struct sampler *sampler, const struct access *access,
		    const struct access_result *result, uint32_t hit_cycles, bool locked);

/* A block begins: its lines are those that count. */
static inline void sampler_block(struct sampler *sampler)
{
	sampler->sample.fetch.level = CORE_LEVEL_NONE;
}

/* A line of instructions at access->vaddr was fetched, and that was found. */
void sampler_fetch(struct sampler *sampler, const struct access *access,
		   const struct access_result *result);

/* Watches (bits by their numbers) have run out with the instruction at ip: later accesses are not
 * noted. */
void sampler_end(struct sampler *sampler, uint32_t watches, uint64_t ip);

#endif
