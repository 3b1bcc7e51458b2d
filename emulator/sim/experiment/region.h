/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which part of a program is simulated, and which is measured: a machine of states, by the
 * program's instructions (in ring 3) and by marks. Portable; knows no QEMU.
 */
#ifndef SIM_EXPERIMENT_REGION_H
#define SIM_EXPERIMENT_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts are instructions of ring 3, each ended by the block in which it is reached. */
struct region_config {
	uint64_t skip;     /* not simulated */
	uint64_t warm_up;  /* then simulated, not measured */
	uint64_t measure;  /* then measured; 0: to the end */
	uint64_t interval; /* measured instructions between two reports; 0: none */
	bool warm_all;     /* the program is simulated before all that as well */
	bool by_marks;     /* it begins and ends by region_mark() */
	uint64_t function; /* it is each call of the function at this address; 0: none */
	/* instead of `skip`: where each part of the region begins, ascending; each part is warmed
	 * up before and has `measure` instructions. NULL: none */
	uint64_t *points;
	size_t nr_points;
};

enum region_state { REGION_WAITS, REGION_SKIPS, REGION_WARMS, REGION_MEASURES, REGION_ENDED };

/* Events before the block runs, in bits. */
enum region_event {
	REGION_SIMULATE = 1, /* the simulation starts */
	REGION_BEGIN = 2,    /* the measurement begins, or continues */
	REGION_PAUSE = 4,    /* it pauses, or is over */
	REGION_STOP = 8,     /* the simulation stops */
	REGION_INTERVAL = 16 /* an interval is over */
};

struct region {
	struct region_config config;
	enum region_state state;
	bool simulates;
	uint64_t done;      /* instructions in this state; with points in all */
	uint64_t part;      /* measured at the present point */
	size_t point;       /* the present or the next one */
	uint64_t measured;  /* in all */
	uint64_t reported;  /* of them, in intervals */
	uint64_t last_end;  /* of the block before */
	uint64_t return_to; /* of the function */
	unsigned depth;     /* calls of the function */
};

void region_start(struct region *region, const struct region_config *config);

/* A block of `nr` instructions of ring 3 at [start, end) is about to run. Returns bits of enum
 * region_event. */
unsigned region_block(struct region *region, uint64_t start, uint64_t end, unsigned nr);

/* A mark of the program: its region begins, or ends. As region_block(). */
unsigned region_mark(struct region *region, bool begins);

#endif
