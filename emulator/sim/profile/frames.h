/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of the running code by its frame pointers, in the guest's memory. */
#ifndef SIM_PROFILE_FRAMES_H
#define SIM_PROFILE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The processor's registers after the sampled code. */
struct frames_start {
	uint64_t stack, frame;          /* RSP, with its segment's base; RBP, without */
	uint64_t stack_base, code_base; /* of the segments */
	unsigned bits;                  /* of the code: 16, 32, 64 */
	bool returned;                  /* the sampled code has just returned */
	bool entered;                   /* its function has made no frame of its own yet: */
	uint64_t entry;                 /* linear address of its return address */
};

/* Writes the linear addresses of at most `max` call instructions' last bytes, the innermost first;
 * returns how many. A return address counts only if a call instruction is before it. `read` reads
 * memory at a linear address, and returns false where there is none. */
unsigned frames_read(const struct frames_start *start,
		     bool (*read)(uint64_t address, void *to, size_t bytes), uint64_t *sites,
		     unsigned max);

#endif
