/* SPDX-License-Identifier: BSD-2-Clause */
/* Translated code: the static properties of a block of instructions. */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/sim/branch/predictor.h"

/* Maximum number of kinds of processors in one machine. */
#define CODE_CONFIGS 2

struct block;
struct core;

enum code_kind {
	CODE_PLAIN,
	CODE_NEAR, /* near branches: + enum branch_class */
	CODE_NEAR_LAST = CODE_NEAR + BRANCH_CLASSES - 1,
	CODE_FAR,       /* far branches within a ring */
	CODE_FAR_IN,    /* into ring 0: SYSCALL, SYSENTER, INT n */
	CODE_FAR_OUT,   /* into ring 3: SYSRET, SYSEXIT */
	CODE_FAR_FRAME, /* to an address on the stack: IRET, far RET */
	CODE_FAULTS,    /* never retires: UD2 */
};

/* The usual ends of blocks, without far branches, repetitions, and effects. */
enum code_end {
	ENDS_OTHERWISE,
	ENDS_ANYWHERE, /* an indirect branch */
	ENDS_ON,       /* after itself */
	ENDS_AT_TARGET,
	ENDS_CONDITIONAL, /* after itself, or at its target */
};

/* Effects of instructions on caches and TLBs, in bits. */
enum code_effect {
	EFFECT_CACHES = 1, /* WBINVD, INVD: nothing is left in them */
	EFFECT_SPACE = 2,  /* MOV CR3: the pages of the lower half; the kernel's are global */
	EFFECT_TLBS = 4,   /* MOV CR0, CR4; INVPCID: all pages */
	EFFECT_PAGE = 8,   /* INVLPG: one page, core_touch() says which */
};

/* Whether a block ends by waiting for another processor, or for an interrupt. */
enum code_wait { CODE_GOES_ON, CODE_PAUSES, CODE_HALTS };

#define CODE_COSTS 10

/* The mean costs of a block, by kind of run: cpu/detail.c. */
struct code_costs {
	uint8_t runs[CODE_COSTS];    /* that mean[] is of */
	uint32_t mean[CODE_COSTS];   /* cycles << COST_SHIFT */
	uint32_t before[CODE_COSTS]; /* mean[] before the window `window` */
	uint32_t window;
};

struct code_insn {
	uint64_t address;
	uint8_t length;
	uint8_t kind;  /* enum code_kind */
	uint8_t loads; /* as many as a gather has elements */
	bool stores;
	bool repeats;        /* a string instruction with a REP prefix */
	bool locked;         /* its accesses to memory are one */
	bool accesses;       /* it cannot retire without an access to memory */
	bool streams;        /* its stores pass the caches by */
	bool wants_physical; /* each of its accesses wants the physical address */
	uint16_t
	    stored[CODE_CONFIGS]; /* which of its block's stores its store is, to each timing */
};

/* Instructions that are executed in sequence. Only the last one may be a branch. The members used
 * in each run come first: two lines of the host's cache. */
struct code_block {
	uint64_t start, end;     /* linear addresses */
	uint64_t exits[2];       /* where a usual end leads; UINT64_MAX: nowhere */
	uint64_t needs;          /* address of the last access that such an end needs */
	uint64_t last_address;   /* of its last instruction */
	uint64_t fetched;        /* memory_fetch_stamp() when they all hit; 0: they did not */
	uint16_t lines;          /* of code, that the last fetch asked for */
	uint16_t nr, insn_bytes; /* instructions; of insn[] */
	uint8_t ends;            /* enum code_end */
	uint8_t branch;          /* enum branch_class of a near branch at its end */
	/* Recent complete runs, by enum branch_outcome. */
	uint32_t runs[BRANCH_OUTCOMES];
	struct code_costs costs;
	/* The pipelines' data about it, for each of two core configurations. */
	struct block *timing[CODE_CONFIGS];
	struct core *ran_on; /* the core whose runs are counted here, and which lists it */
	uint64_t target;     /* of a direct branch at its end */
	uint32_t counted;    /* instructions of QEMU's block, which it counts before they run */
	bool touches;        /* it may have instructions for touch_next() */
	bool only_runs;      /* it needs no more than core_block() */
	uint8_t timed;       /* bit n: timing[n] is final */
	uint8_t effects;     /* enum code_effect */
	uint8_t waits;       /* enum code_wait */
	bool changes;        /* one of the next two is set */
	uint8_t upper;       /* enum upper_halves: after it */
	uint8_t direction;   /* enum direction: after it */
	uint16_t effective;  /* its last instruction with an effect */
	uint32_t loads, stores;
	uint64_t must_access;          /* address of its last insn[].accesses, 0: there is none */
	uint64_t physical;             /* of its start */
	const void *host;              /* its bytes in our address space, */
	const uint8_t *bytes;          /* and their values when it was made */
	struct code_block *next, *ran; /* whoever holds them: another one; ran_on's next */
	struct code_insn insn[];
};

/*
 * Decodes the instruction at block->end into insn (except `address`), appends it to the block, and
 * advances the end. The block must have room.
 */
void code_append(struct code_block *block, const void *bytes, size_t length);

/* Sets the block's timing for the cores of that kind. NULL: they have none. */
void code_take_timing(struct code_block *block, unsigned kind, struct block *timing);

/* Computes the timing of the block's bytes for a core of that kind. */
void code_time(struct code_block *block, unsigned kind, const struct core_config *config);

/* Returns the enum code_wait of an instruction. */
static inline enum code_wait code_wait_of(const uint8_t *code, size_t bytes)
{
	if (bytes == 2 && code[0] == 0xf3 && code[1] == 0x90)
		return CODE_PAUSES;
	return bytes == 1 && code[0] == 0xf4 ? CODE_HALTS : CODE_GOES_ON;
}

static inline bool code_is_branch(const struct code_insn *insn)
{
	return insn->kind >= CODE_NEAR && insn->kind <= CODE_FAR_FRAME;
}

#endif
