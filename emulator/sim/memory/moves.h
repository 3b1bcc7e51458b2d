/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that move between processors: how often one moves again soon, and in which order. */
#ifndef CORE_MEM_MOVES_H
#define CORE_MEM_MOVES_H

#include <stdbool.h>
#include <stdint.h>

#define MOVES_LINES 256

/* One for the processors that share a cache. The scheduler of turns writes the first three. */
struct moves {
	bool clocked; /* struct memory's clock_start is known: moves of one line wait for another */
	uint64_t turn;   /* grows with each turn */
	uint64_t window; /* a line moves again when it had in as many turns before this one */
	uint64_t again;  /* how often lines have moved again */
	struct {
		uint64_t line, turn;
		int64_t ready;     /* by the common clock, when the last processor got it, */
		const void *owner; /* and which one that was */
	} lines[MOVES_LINES];
};

/* Notes that a processor takes the line, of which another one had a copy. */
void moves_note(struct moves *moves, uint64_t line);

/* A request for a line that another processor has. */
struct move {
	uint64_t line;
	int64_t now;       /* by the common clock */
	uint32_t latency;  /* of a move, in cycles */
	bool takes;        /* later requests wait for this one */
	const void *taker; /* any address that stands for the processor */
};

/* Returns the cycles after which the line arrives: it does not leave a processor before it has
 * arrived there. */
uint32_t moves_wait(struct moves *moves, const struct move *move);

#endif
