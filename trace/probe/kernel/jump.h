/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporarily replaces kernel functions: a jump at their start. */
#ifndef TRACE_PROBE_JUMP_H
#define TRACE_PROBE_JUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUMP_BYTES 5

struct probe_jump {
	uint64_t function; /* PATCHED_FUNCTION: kernel/base/patched.h */
	uint64_t to;       /* of the same arguments */
	uint64_t original; /* does what the function did; from the first jump_set() on */
	uint8_t length;    /* of the instructions below the jump, 0: it was never set */
	uint8_t code[JUMP_BYTES];
	bool on;
	struct probe_jump *next;
};

/* Redirects the function's callers, or restores it. A call that is inside `to` when the jump is
 * removed completes there. Returns 0, -ENOSPC, -EBUSY (a probe is within the instructions),
 * -ENOTSUPP (524). Context: task. */
int jump_set(struct probe_jump *jump, bool on);

/* ---- for kprobe.c ---- */

/* Returns the jump that is or was at this address; NULL: none. Context: any. */
struct probe_jump *jump_at(uint64_t address);
/* Returns where to continue after a hit on the INT3 at its address. Context: any. */
static inline uint64_t jump_way(const struct probe_jump *jump)
{
	return __atomic_load_n(&jump->on, __ATOMIC_RELAXED) ? jump->to : jump->original;
}
/* Restores the function's own bytes in a copy of code. Context: task. */
void jump_undo(uint8_t *code, uint64_t address, size_t bytes);
/* True if a jump covers the address, or may again. Context: task. */
bool jump_hides(uint64_t address);

#endif
