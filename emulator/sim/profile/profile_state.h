/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the profile's files. */
#ifndef SIM_PROFILE_STATE_H
#define SIM_PROFILE_STATE_H

#include "emulator/sim/profile/options.h"
#include "emulator/sim/profile/profile.h"

/* A processor. */
struct profile_processor {
	struct spot *running;
	uint64_t cycles;                    /* of its core, up to the start of that block */
	uint64_t last_wait;                 /* instructions when a block that waits ran */
	bool waiting;                       /* these blocks follow each other closely */
	struct profile_registers registers; /* before the running block */
	bool known;                         /* registers are */
	bool called;     /* a call was the last change of the stack that is followed: registers are
			  * those after it */
	uint64_t string; /* RSI at the begin of the block's OUTS */
	bool string_known;
};

struct profile {
	struct profile_machine machine;
	struct profile_processor processors[PROFILE_PROCESSORS];
	struct profile_processor *here; /* the one that executes */
	uint64_t instructions; /* of all processors, up to the start of their running blocks */
	uint64_t cycles;       /* of all cores, up to there */
	uint64_t next;         /* sample of instructions without a core */
	uint64_t counts[PROFILE_COUNTS];
	bool started, over;
	bool ending;                           /* QEMU's clock cannot be read any more */
	uint64_t ns;                           /* its last time */
	bool upper, ring3;                     /* such code has run */
	uint64_t slide;                        /* of the kernel: address less linked address */
	uint32_t new_image;                    /* that a slice is due for; PROFILE_NONE: none */
	uint32_t image;                        /* the newest one that ran */
	unsigned image_slices[PROFILE_IMAGES]; /* the number of its last slice with new code */
	uint64_t next_slice;                   /* instructions at which one is due */
	uint64_t post;                         /* last value of port 80H */
	uint64_t samples;
	unsigned slices;
};

extern struct profile profile;

/* The time at the start of the running block. */
struct profile_when profile_now(void);
/* Ends the present slice of time. */
void profile_slice(enum profile_reason reason, uint64_t value);
/* An image was found; its slice begins when its block runs. */
void profile_new_image(uint32_t id);
/* A stop of this kind and value is reached. */
void profile_reach(unsigned stop);

/* ports.c: the block ended with an access to a port; registers are those after it. */
void profile_port(const struct spot *spot, const struct profile_registers *registers);
/* Whether the IN reads a timer, which is a wait if it repeats. */
bool profile_reads_timer(const struct spot *spot, const struct profile_registers *registers);
/* Writes unfinished lines. */
void profile_flush_lines(void);

#endif
