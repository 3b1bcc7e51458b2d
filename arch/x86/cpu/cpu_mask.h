/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of processors. Their functions look only at the words that the running processors need, so a
 * small machine does not pay for a large one. Context of all: any. */
#ifndef ARCH_X86_CPU_MASK_H
#define ARCH_X86_CPU_MASK_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/percpu.h"

struct cpu_mask {
	uint64_t words[MAX_CPUS / 64]; /* processor n is bit n % 64 of word n / 64 */
};

/* Words with bits of running processors. */
static inline unsigned cpu_mask_words(void)
{
	return (nr_cpus + 63) / 64;
}

static inline bool cpu_mask_has(const struct cpu_mask *mask, uint32_t cpu)
{
	return mask->words[cpu / 64] >> cpu % 64 & 1;
}

static inline void cpu_mask_add(struct cpu_mask *mask, uint32_t cpu)
{
	mask->words[cpu / 64] |= 1ul << cpu % 64;
}

static inline void cpu_mask_remove(struct cpu_mask *mask, uint32_t cpu)
{
	mask->words[cpu / 64] &= ~(1ul << cpu % 64);
}

/* Adds the processors of `other`. */
static inline void cpu_mask_join(struct cpu_mask *mask, const struct cpu_mask *other)
{
	for (unsigned i = 0; i < cpu_mask_words(); i++)
		mask->words[i] |= other->words[i];
}

/* Returns the processors that are in both. */
static inline struct cpu_mask cpu_mask_both(const struct cpu_mask *a, const struct cpu_mask *b)
{
	struct cpu_mask both = {0};

	for (unsigned i = 0; i < cpu_mask_words(); i++)
		both.words[i] = a->words[i] & b->words[i];
	return both;
}

/* Returns the lowest processor from `cpu` on; MAX_CPUS: there is none. */
static inline uint32_t cpu_mask_next(const struct cpu_mask *mask, uint32_t cpu)
{
	for (unsigned i = cpu / 64; i < cpu_mask_words(); i++) {
		uint64_t word = mask->words[i] & (i == cpu / 64 ? ~0ul << cpu % 64 : ~0ul);

		if (word)
			return 64 * i + (uint32_t)__builtin_ctzl(word);
	}
	return MAX_CPUS;
}

static inline bool cpu_mask_empty(const struct cpu_mask *mask)
{
	return cpu_mask_next(mask, 0) == MAX_CPUS;
}

static inline unsigned cpu_mask_count(const struct cpu_mask *mask)
{
	unsigned count = 0;

	for (uint32_t i = cpu_mask_next(mask, 0); i != MAX_CPUS; i = cpu_mask_next(mask, i + 1))
		count++;
	return count;
}

static inline struct cpu_mask cpu_mask_of(uint32_t cpu)
{
	struct cpu_mask mask = {0};

	cpu_mask_add(&mask, cpu);
	return mask;
}

/* Returns all online processors. */
static inline struct cpu_mask cpus_online(void)
{
	struct cpu_mask mask = {0};

	for (unsigned i = 0; i < nr_cpus / 64; i++)
		mask.words[i] = ~0ul;
	if (nr_cpus % 64)
		mask.words[nr_cpus / 64] = ~(~0ul << nr_cpus % 64);
	return mask;
}

#endif
