/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of the running code, by the calls and returns that ran: a shadow of each stack that
 * the guest uses, without a look into its memory. */
#ifndef SIM_PROFILE_CHAIN_H
#define SIM_PROFILE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

/* How the guest came to a block. */
enum chain_step {
	CHAIN_ON,        /* in sequence or by a jump */
	CHAIN_CALL,      /* by a call */
	CHAIN_RETURN,    /* by a return, or in another way that may have left frames */
	CHAIN_INTERRUPT, /* not by the block's end: an interrupt or a fault */
};

/* Follows a step to code whose stack pointer is `sp`. `space` distinguishes address spaces of ring
 * 3, 0 for ring 0. `site` is in the calling or interrupted instruction. */
void chain_follow(enum chain_step step, uint64_t sp, uint64_t space, uint64_t site);

/* The processor that executes from now on. */
void chain_switch(unsigned processor);

/* Writes at most `max` sites, the innermost first; returns how many. */
unsigned chain_read(uint64_t *sites, unsigned max);

#endif
