/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedules that are remembered: a segment that finds the same state and the same accesses to
 * memory takes the same time and leaves the same state. Loops come back to a few states, and then a
 * block costs a look at which state followed the last time. (The idea is FastSim's: E. Schnarr, J.
 * Larus, "Fast out-of-order processor simulation using memoization", ASPLOS 1998.) Private to the
 * pipeline.
 */
#ifndef CORE_PIPE_MEMO_H
#define CORE_PIPE_MEMO_H

#include "core/pipe/schedule.h"

#define MEMO_SETS  4096 /* a power of two */
#define MEMO_WAYS  4
#define MEMO_EDGES 2

struct memo;

/* The segment that came next, and what it found when it had waited so long. */
struct memo_edge {
	struct memo *to;
	uint32_t to_generation;
	uint32_t serial; /* of the segment */
	uint32_t delay;  /* cycles between, stalls */
	uint16_t slot;   /* filled of the cycle in which it began */
};

struct memo {
	uint32_t serial;     /* of the segment; 0: empty */
	uint32_t generation; /* counts how often this place was given to another schedule */
	bool plain;          /* all accesses to memory are 0 */
	uint8_t next_edge;   /* to be replaced */
	struct memo_edge edges[MEMO_EDGES];
	uint64_t executed;         /* times, since its counts were last added up */
	struct memo *next_counted; /* a list of those that have executed */
	bool listed;               /* in it */
	struct segment_counts counts;
	struct outcome out;
	uint16_t access[SEGMENT_MEMORY_MAX];
	struct pipe_state found, left; /* the state before, from where it began, and after */
};

struct memo_set {
	struct memo ways[MEMO_WAYS];
	uint8_t next; /* to be replaced */
};

#endif
