/* SPDX-License-Identifier: BSD-2-Clause */
/* The distinct blocks that the guest executed, with their counts in the present slice of time. They
 * outlive QEMU's translations. */
#ifndef SIM_PROFILE_SPOTS_H
#define SIM_PROFILE_SPOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/boot_profile.h"

/* How a block's last instruction accesses a port. */
enum spot_port { PORT_NONE, PORT_OUT, PORT_OUT_STRING, PORT_IN };

struct spot {
	uint64_t runs[2], cycles[2]; /* struct profile_row */
	uint64_t start, end, last;   /* addresses; last: of its last instruction */
	uint64_t target;
	uint32_t id, nr;
	uint32_t image;
	uint8_t ending;         /* enum profile_ending */
	uint8_t port;           /* enum spot_port */
	uint16_t immediate;     /* a port's number; 0: in DX */
	uint8_t access;         /* bytes */
	bool waits;             /* it has a PAUSE or HLT, or reads a clock */
	bool called;            /* a call entered it */
	bool ran;               /* at least once */
	const uint8_t *lengths; /* of its nr instructions */
	uint64_t hash;
	struct spot *next, *dirty;
};

/* A block as it is translated. */
struct spot_code {
	uint64_t start, target;
	const uint8_t *bytes, *lengths;
	unsigned size, nr, bits;
	uint8_t ending;
	bool waits;
	uint32_t image;
};

/* Returns the block of this code, and writes its record if it is new. NULL: there are too many. */
struct spot *spots_find(const struct spot_code *code);
/* Counts a run that took `cycles`; in a waiting loop or not. */
void spots_ran(struct spot *spot, bool waiting, uint64_t cycles);
/* Collects the rows of the blocks that ran since the last call, in *rows until the next one;
 * returns their number. */
size_t spots_slice(const struct profile_row **rows);
/* Writes the ids of the blocks that calls entered. */
void spots_put_called(void);
/* Returns how often spots_find() returned NULL. */
uint64_t spots_dropped(void);

#endif
