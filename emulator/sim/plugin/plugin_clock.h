/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's virtual clock, from which the guest's clocks and timers come, follows the cores' cycles.
 */
#ifndef CORE_BORDER_CLOCK_H
#define CORE_BORDER_CLOCK_H

#include "emulator/sim/cpu/quick.h"
#include "emulator/sim/plugin/plugin_state.h"

/* Looks up QEMU's clock. `version` is QEMU's, "7.2": without a row for it there is no clock. Before
 * QEMU's processors start. */
void plugin_clock_setup(const char *version);

/* Returns the guest's clock in ns, at the start of a block of which QEMU has counted `waiting`
 * instructions; 0: it is not known. In a callback. */
uint64_t plugin_clock_now(unsigned vcpu, unsigned waiting);

/* CORE_CLOCK: returns whether the clock can follow a core: the visor's words agree with the
 * clock and timers found inside QEMU. In a callback. */
bool plugin_clock_check(unsigned vcpu, const struct core_page *page);

/* True if the instruction is RDTSC or RDTSCP, after which QEMU ends a block. */
bool plugin_clock_reads(const uint8_t *code, size_t bytes);

/* The guest was entered, and core_block() has got its first block, of which nothing has run. */
void plugin_clock_enter(struct processor *p, unsigned vcpu, const struct code_block *block);
/* The clock is set to the core's, and timers that are due by it run after QEMU's block. `waiting`:
 * instructions that QEMU has counted and that have not run. In a callback. */
void plugin_clock_follow(struct processor *p, unsigned vcpu, unsigned waiting);
/* RDTSC is about to run: as plugin_clock_follow(), and of two processors the later one does not
 * read less. */
void plugin_clock_read(struct processor *p, unsigned vcpu);
/* The guest has stopped, and core_sync() has run: says in the page what the run took. */
void plugin_clock_sync(struct processor *p);
/* Moves the clock by `by` ns, and the stopwatch's timers with it. */
void plugin_clock_move(unsigned vcpu, int64_t by);

/*
 * Processors that take turns have each a time of its own: QEMU's clock is that of the processor
 * whose turn it is. A turn of `instructions` begins, with a block of which `waiting` are
 * counted by QEMU. One that was idle or has waited continues at the time of the others.
 */
void plugin_clock_turn(struct processor *p, unsigned vcpu, unsigned waiting, unsigned instructions);
/* A further block of the guest's begins, and core_block() has got it. */
static inline void plugin_clock_block(struct processor *p, unsigned vcpu,
				      const struct code_block *block)
{
	if (p->clock.on && core_now(p->core) >= p->clock.due)
		plugin_clock_follow(p, vcpu, block->counted);
}

#endif
