/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration of a simulated core: a row of constants, and the options by which users change
 * it. The rows are in emulator/sim/models/, each with its sources.
 */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/sim/component/component.h"
#include "emulator/sim/config/pipeline_config.h"

#define CORE_NAME_SIZE 128
#define CORE_LINE_SIZE 64

/* The smallest page size. */
#define CORE_PAGE_SHIFT 12
#define CORE_PAGE_SIZE  (1 << CORE_PAGE_SHIFT)

enum replacement {
	REPLACE_LRU,  /* the least recently used way leaves */
	REPLACE_PLRU, /* a binary tree of bits points away from the last used way */
};

/* The lines that a cache holds, relative to the caches above it. */
enum inclusion {
	INCLUSIVE,     /* all: an eviction also evicts the line from them */
	NON_INCLUSIVE, /* whatever went through it */
	EXCLUSIVE,     /* none: filled by their evictions; a hit moves the line up */
};

/* A cache, with lines of CORE_LINE_SIZE bytes. size 0: none. */
struct cache_config {
	uint32_t size; /* bytes */
	uint16_t ways;
	uint16_t latency; /* cycles from the load's issue to its data, of a hit here */
	enum replacement replacement;
	enum inclusion inclusion; /* of the caches above; without a meaning in L1 */
};

/* A TLB's entries for pages of one size. entries 0: none. */
struct tlb_config {
	uint16_t entries, ways;
};

/* A level of TLBs. Pages of a size without entries are stored as pages of the next smaller size. */
struct tlbs_config {
	struct tlb_config page_4k, page_2m, page_1g;
	bool unified; /* page_4k has pages of 2 MiB, too, one entry each */
};

/* Bits of MSR 1A4H (MISC_FEATURE_CONTROL), which disables prefetchers. SDM vol. 4, table 2-12. */
enum prefetcher {
	PREFETCH_STREAMER = 1 << 0, /* into L2, ahead of a run of lines within a page */
	PREFETCH_ADJACENT = 1 << 1, /* into L2, the other line of an aligned pair */
	PREFETCH_NEXT = 1 << 2,     /* into L1D, the line after an ascending run */
	PREFETCH_STRIDE = 1 << 3,   /* into L1D, by the stride of one load instruction */
	PREFETCH_CODE = 1 << 4,     /* into L1I, the line after; no bit of the MSR */
	PREFETCH_MSR = 0xf,
};

/* Memory's parts and timing. channels 0: each line takes memory_latency. */
struct dram_config {
	uint16_t channels, banks; /* banks: of each channel */
	uint32_t row;             /* bytes that a bank has open */
	/* cycles to open and to close a row (tRCD, tRP); memory_latency includes both */
	uint16_t activate, precharge;
	uint16_t burst; /* cycles of a line on its channel; 0: none */
};

struct memory_config {
	struct cache_config l1i, l1d;
	/* The last level is shared by all processors; an L2 above an L3 is private. */
	struct cache_config l2, l3;
	uint16_t memory_latency; /* cycles from the load's issue to its data */
	/* as memory_latency, for a line that another processor has modified */
	uint16_t hitm_latency;
	struct dram_config dram;
	uint16_t memory_gap;   /* cycles between two lines from memory: one processor's bandwidth */
	uint16_t l2_gap;       /* cycles between two lines from L2 to L1; 0: no limit */
	uint16_t l3_gap;       /* cycles between two lines from L3 to L2; 0: no limit */
	uint16_t fill_buffers; /* lines of L1D in flight. 0: no line is ever in flight */
	uint16_t split_penalty;        /* cycles that an access over two lines takes longer */
	uint16_t prefetchers;          /* enum prefetcher: those it has and that are on */
	uint16_t streamer_ahead;       /* lines that the streamer is ahead, at most */
	struct tlbs_config itlb, dtlb; /* first level */
	struct tlbs_config stlb,
	    code_stlb;          /* second level; without the latter code uses the former */
	uint16_t stlb_latency;  /* cycles that a hit in the second level takes longer */
	uint16_t walk_overhead; /* cycles of a page walk beside its accesses */
	uint16_t pde_entries;   /* cached page directory entries. 0: each walk starts at the root */
	/* page walks whose cycles count at the same time; walks do not wait for each other */
	uint16_t walkers;
	bool virtual_index; /* caches are addressed by virtual addresses, as cachegrind's are */
	bool no_kernel;     /* accesses to the upper half hit L1 and leave no trace, likewise */
};

enum predictor_kind { PREDICTOR_BIMODAL, PREDICTOR_GSHARE, PREDICTOR_TAGE };

struct branch_config {
	enum predictor_kind kind;
	uint8_t direction_log2; /* counters of the bimodal table or of gshare: 2 to this */
	uint8_t history;        /* branches that gshare looks at; the longest of TAGE's tables */
	uint8_t tables;         /* TAGE's tables with tags */
	uint8_t tagged_log2;    /* entries in each of them: 2 to this */
	uint8_t indirect_log2;  /* targets of indirect branches by history: 2 to this. 0: none */
	uint16_t btb_entries, btb_ways;
	uint16_t return_stack; /* entries */
};

/* Places of a core for a component of the user's. */
enum component_slot {
	SLOT_PREDICTOR,
	SLOT_INDIRECT,
	SLOT_L1I_POLICY,
	SLOT_L1D_POLICY,
	SLOT_L2_POLICY,
	SLOT_L3_POLICY,
	SLOT_L1I_PREFETCH,
	SLOT_L1D_PREFETCH,
	SLOT_L2_PREFETCH,
	SLOT_L3_PREFETCH,
	SLOT_TLB_PREFETCH,
	SLOTS,
};

/* The part of a long run that the pipeline simulates, where only its cycles are needed. */
enum detail_level {
	DETAIL_AUTO,       /* windows */
	DETAIL_FUNCTIONAL, /* nothing: an instruction takes a cycle */
	DETAIL_PIPELINE,   /* everything */
};

struct core_config {
	char name[CORE_NAME_SIZE]; /* the core's, changes included: "skylake,l1d=16K/4" */
	const char *shows;         /* one line for users */
	const char *sources;       /* of its figures, in one line */
	struct memory_config memory;
	struct branch_config branch;
	struct pipe_config pipe;
	struct component_use components[SLOTS]; /* in place of the built-in ones */
	/* instructions of a turn while processors share; 0: as long as without */
	uint32_t turn;
	/* bytes of the replay log, used while nothing is counted; 0: simulate at once */
	uint32_t replay;
	enum detail_level detail;
};

#endif
