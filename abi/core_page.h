/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private protocol between the visor and the simulated core outside of the machine. Facts, no
 * code.
 *
 * The visor calls a function that starts with a NOP of a known displacement; the distance to struct
 * core_page follows it. The core, which sees the guest's code when it is translated, recognises the
 * NOP, finds the page by its host address, and executes the page's command each time the function
 * runs: a call, with the answer ready when the function returns. A page whose `version` stays 0 has
 * no core.
 */
#ifndef ABI_CORE_PAGE_H
#define ABI_CORE_PAGE_H

#include <stdint.h>

#include "abi/core_geometry.h"
#include "abi/core_quantities.h"
#include "abi/pt_state.h"
#include "abi/visor_cpuid.h"

/* nop dword [rax + rax + CORE_MARKER], 8 bytes; ret; then 4 bytes: the distance from their end to
 * the page. */
#define CORE_MARKER        0x5041456b
#define CORE_MARKER_LENGTH 8
#define CORE_PAGE_DISTANCE 9

#define CORE_VERSION    13
#define CORE_PROCESSORS 16 /* by the number of their APICs */
#define CORE_NAME_BYTES VISOR_CORE_BYTES
#define CORE_WATCHES    12
#define CORE_TERMS      4
#define CORE_RECORDS    32
#define CORE_STORED     256 /* branches of the branch trace store */

enum core_ring { CORE_RING_KERNEL, CORE_RING_USER, CORE_RINGS };

enum core_command {
	CORE_HELLO, /* the page is filled in: answer `version` and `name` */
	CORE_SYNC,  /* the guest has stopped at `rip`: settle what it did into `work` */
	CORE_WAKE,  /* from the next entry on an event, a trace or a tool needs the simulation */
	CORE_CLOCK, /* answer `has_clock`: whether QEMU's clock can follow the core's cycles */
	CORE_MOVE,  /* move QEMU's clock by `move` */
	CORE_REST,  /* until CORE_WAKE no further code needs the simulation */
	CORE_WATCH, /* `settled` has ended */
};

/* The parts of the simulation that the counts so far depend on, in bits. */
enum core_needs {
	CORE_NEEDS_COUNTS = 1,   /* blocks: instructions and branches */
	CORE_NEEDS_BRANCHES = 2, /* predictors */
	CORE_NEEDS_MEMORY = 4,   /* caches and TLBs */
	CORE_NEEDS_CYCLES = 8,   /* pipeline and clock, for which all of the above are needed */
	CORE_NEEDS_ALL = 15,
};

/* How a block ended. Only this distinguishes a one-block loop that has gone round from one that
 * stopped at its first instruction. */
enum core_end {
	CORE_WENT_ON,    /* the guest continues */
	CORE_STOPPED_AT, /* it is outside, at an instruction that did not run */
	/* as CORE_STOPPED_AT, and the visor executes the instruction instead */
	CORE_STOPPED_FOR_VISOR,
	CORE_STOPPED_BETWEEN, /* it is outside, and all that began to run has retired */
};

/* A watch on a sum of quantities in some rings: it runs out when the sum grows by more than
 * `left`. */
struct core_watch {
	uint64_t left;
	uint8_t terms[CORE_TERMS]; /* enum core_quantity */
	uint8_t rings;             /* bit n: enum core_ring */
	uint8_t number; /* the visor's, at most 31: what struct core_sample names it by */
	uint8_t pad[2];
};

/* The level that provided an access's data. */
enum core_level {
	CORE_LEVEL_NONE, /* there was no access */
	CORE_LEVEL_L1,
	CORE_LEVEL_FILL, /* the line was on its way */
	CORE_LEVEL_L2,
	CORE_LEVEL_L3,
	CORE_LEVEL_HITM, /* another processor had changed it */
	CORE_LEVEL_MEMORY,
};

enum core_access_flag {
	CORE_ACCESS_TLB_MISS = 1, /* of the first level */
	CORE_ACCESS_WALK = 2,     /* also of the second level */
	CORE_ACCESS_LOCKED = 4,
};

struct core_access {
	uint64_t ip, address; /* linear ones */
	uint64_t physical;
	uint32_t cycles; /* from issue to data */
	uint8_t level;   /* enum core_level */
	uint8_t flags;   /* enum core_access_flag */
	uint8_t bytes;
	uint8_t pad;
};

/* The accesses to memory that the core records. */
enum core_sampling {
	CORE_SAMPLE_OFF,
	CORE_SAMPLE_RUN,  /* the last ones before a watch runs out */
	CORE_SAMPLE_STEP, /* the slowest ones until the next CORE_SYNC: one instruction runs */
};

struct core_sample {
	uint64_t ip;    /* of the instruction with which watches have run out */
	uint32_t ended; /* the watches that have, by `number`; 0: none */
	uint32_t pad;
	struct core_access load, store;
	struct core_access fetch; /* of the block that began last: the slowest of its lines */
};

/* Kinds of branches, in the order of Intel's filter. */
enum core_branch_kind {
	CORE_BRANCH_CONDITIONAL,
	CORE_BRANCH_JUMP,
	CORE_BRANCH_JUMP_INDIRECT,
	CORE_BRANCH_CALL,
	CORE_BRANCH_CALL_INDIRECT,
	CORE_BRANCH_RETURN,
	CORE_BRANCH_FAR, /* including interrupts and exceptions: their length is 0 */
};

/* Selects the taken branches to record. */
struct core_filter {
	uint8_t enabled;
	uint8_t kinds; /* bit n: enum core_branch_kind */
	uint8_t rings; /* in which they end; bit n: enum core_ring */
	uint8_t calls; /* a return takes the record of its call away */
	uint8_t load;  /* software wrote them: `branches` are the records so far */
	uint8_t pad[3];
};

struct core_branch {
	uint64_t from, to;
	uint16_t cycles; /* since the record before */
	uint8_t kind, length;
	uint8_t mispredicted;
	uint8_t from_ring, ring;
	uint8_t raw; /* as software wrote it: `info` is the third register, the rest unknown */
	uint64_t info;
};

/* The branch trace store: branches that the visor writes into the guest's memory at an exit. */
struct core_store {
	uint8_t
	    rings; /* in which a branch begins to be stored; bit n: enum core_ring. 0: it is off */
	uint8_t pad[3];
	uint32_t limit; /* the core stops the guest when it has stored this many */
	uint32_t nr;    /* stored since the last CORE_SYNC */
	uint32_t pad2;
	struct core_stored {
		uint64_t from, to;
		uint64_t predicted; /* 0 or 1 */
	} branches[CORE_STORED];    /* the oldest first */
};

struct core_processor {
	/* Written by the visor before a call or an entry. */
	uint32_t command;
	uint8_t ring;         /* enum core_ring: where the guest is at the next entry */
	uint8_t stopped_ring; /* where it was when it stopped, for CORE_SYNC */
	uint8_t nr_watches;   /* from the next entry on */
	uint8_t counting;     /* something counts, from the next entry on */
	uint8_t details;      /* also quantities from CORE_FIRST_DETAIL on */
	uint8_t sampling;     /* enum core_sampling, from the next entry on */
	uint8_t prefetch_off; /* bits of MSR 1A4H: prefetchers that shall not run */
	uint8_t end;          /* enum core_end: how it stopped, for CORE_SYNC */
	uint8_t timing;       /* the clock follows the core's cycles, from the next entry on */
	uint8_t needs; /* enum core_needs, from the next entry on while something counts; 0: all */
	uint8_t pad3[2];
	int64_t move;         /* ns, for CORE_MOVE; the stopwatch's timers move with it */
	uint32_t slow_cycles; /* least latency for CORE_LOADS_SLOW, while accesses are recorded */
	uint64_t rip;
	struct core_filter filter;
	struct core_watch watches[CORE_WATCHES];
	/* Written by the core; the geometry with its hello. */
	struct core_geometry geometry;
	uint32_t stops; /* NMIs that it has sent because a watch ran out */
	uint32_t nr_branches;
	uint32_t position; /* of the newest record in a ring: one more with each, one less with a
			      return */
	uint32_t looked; /* ring 3 has read the TSC: the clock is to follow the core from now on */
	uint32_t error;  /* of its cycles, as VISOR_LEAF_ERROR has it */
	uint32_t pad4;
	int64_t elapsed; /* the core's cycles since the CORE_SYNC before, or since it is timed */
	int64_t moved;   /* ns by which QEMU's clock was moved in the run */
	struct core_sample sample;                     /* since the last CORE_SYNC */
	struct core_branch branches[CORE_RECORDS];     /* the oldest first; while filter.enabled */
	uint64_t work[CORE_RINGS][CORE_NR_QUANTITIES]; /* since the last CORE_SYNC */
	struct pt_state pt; /* Processor Trace: whoever runs writes its packets */
	struct core_store store;
};

struct core_page {
	uint64_t visor_base, visor_bytes; /* physical: code there is the visor's own */
	uint64_t page_address;            /* physical, of this page */
	uint32_t version;                 /* the core's answer; 0: there is no core */
	uint32_t can_stop;                /* watches work */
	/* For CORE_CLOCK: QEMU's clock now, and when the only timer of the HPET fires, in
	 * ns; 0: none counts instructions. */
	uint64_t clock_now, clock_fires;
	uint32_t has_clock; /* the answer */
	uint32_t held;      /* by the core: nothing is simulated or counted until CORE_WAKE */
	/* By the visor: until CORE_WATCH all calls have the CR0, CR4 and XCR0 of this one, by which
	 * QEMU distinguishes translations: none of a call's has to be looked for. */
	uint32_t settled;
	uint32_t unused;
	char name[CORE_NAME_BYTES]; /* the core's */
	/* Names of CORE_COMPONENT_0 and so on, of the first processor's core; empty: none is left.
	 */
	char events[VISOR_EVENTS_MAX][VISOR_EVENT_BYTES];
	struct core_processor processors[CORE_PROCESSORS];
};

#endif
