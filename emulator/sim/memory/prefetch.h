/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetchers of a processor: their state, and their triggers. */
#ifndef CORE_MEM_PREFETCH_H
#define CORE_MEM_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

struct access;
struct memory;

enum { STREAMS = 32, STRIDES = 256 };

/* The streamer's state for a page. */
struct stream {
	uint64_t page;      /* of 4 KiB */
	uint64_t used;      /* 0: the entry is free */
	int8_t last, ahead; /* lines of the page: the last asked for, the farthest fetched */
	int8_t direction;   /* 1 or -1; 0: unknown */
	uint8_t sure;       /* steps in that direction, up to 3 */
};

/* The steps of one load instruction. */
struct stride {
	uint64_t ip, last;
	int32_t step; /* bytes */
	uint8_t sure;
};

struct prefetch_state {
	struct stream streams[STREAMS / 2][2]; /* pairs, by the page */
	struct stride strides[STRIDES];
	uint64_t uses;
};

/* A load missed L1D, or is the first to use a prefetched line. */
void prefetch_on_load(struct memory *m, const struct access *access, uint64_t line, uint64_t now);
/* A demand for a data line reached L2, from L1D's prefetchers or from the program. */
void prefetch_on_l2(struct memory *m, uint64_t line, bool prefetch, bool hit, uint64_t now);
/* L1I missed. */
void prefetch_on_fetch(struct memory *m, uint64_t line, uint64_t now);

#endif
