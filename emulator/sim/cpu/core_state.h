/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner state of a simulated processor, shared by its parts. */
#ifndef CORE_CORE_STATE_H
#define CORE_CORE_STATE_H

#include "emulator/sim/cpu/core.h"
#include "emulator/sim/cpu/detail.h"
#include "emulator/sim/cpu/observe.h"
#include "emulator/sim/cpu/page/component_counts.h"
#include "emulator/sim/cpu/page/records.h"
#include "emulator/sim/cpu/page/sample.h"
#include "emulator/sim/cpu/page/settle.h"
#include "emulator/sim/cpu/store.h"
#include "emulator/sim/cpu/trace.h"
#include "emulator/sim/memory/memory.h"
#include "emulator/sim/pipeline/memo/memo.h"

#define SELECTOR_UNKNOWN UINT32_MAX

struct watch {
	uint64_t end;
	const struct core_watch *what;
};

struct core {
	/* The members of core_block_quick() and core_access_quick(). */

	/* The least address, with a sign, of blocks for the quick way: in ring 3 none of the upper
	 * half; INT64_MAX: none. */
	int64_t floor;
	int64_t left;             /* instructions of the quick way; then detail.left, in windows */
	struct code_block *block; /* the running block; NULL: unknown */
	struct memory *memory;
	struct predictor *predictor;
	struct pipeline *pipeline;
	uint64_t last_access; /* address of its last instruction that did all its accesses */
	uint64_t last_done;   /* address of the last instruction of the block before */
	/* The running block's instructions, and the bytes of those whose accesses, if they hit,
	 * only the caches need: all or none. */
	uintptr_t quick;
	uint32_t quick_bytes, quick_mask; /* mask: 0: of none of the next blocks */
	unsigned nr_watches;
	uint8_t missed_to;   /* enum detail_miss, of its accesses and fetches */
	bool light;          /* the present blocks are simulated without the pipeline */
	bool blind;          /* no count needs caches or TLBs: accesses only say what has retired */
	bool guesses;        /* a count needs the predictors */
	bool samples_kernel; /* ring 0 also has windows of the pipeline */
	bool saturates;      /* predictor_saturates() */

	const struct core_config *config;
	struct core_observer *observer; /* everything is simulated and counted for it; NULL: none */
	unsigned kind;                  /* which of the blocks' timings is ours */
	struct core_processor *page;
	/* The last instruction that loaded a line from another processor, and when it arrives: what
	 * the instruction stores there does not wait for the line once more. */
	const struct code_insn *taking;
	uint64_t taken;
	uint32_t selector; /* that its IRET has loaded */
	enum core_ring ring;
	bool inside;   /* the guest runs: the page's words of the entry are taken */
	bool counting; /* something counts: events are settled by ring */
	bool details;  /* the pipeline's details as well, which take time to gather */
	/* nothing counts or records: an instruction takes a cycle, without the pipeline */
	bool untimed;
	bool answering; /* a watch has run out, and the kernel answers */
	struct detail detail;
	struct watch watches[CORE_WATCHES];
	uint64_t due_cycles; /* no watch runs out before this cycle, */
	uint32_t due_blocks; /* or within so many blocks, */
	bool watch_memory;   /* or, unless caches or TLBs miss, */
	uint32_t due_misses; /* not within so many misses, */
	bool missed;         /* and then with one that just happened, */
	uint64_t slow_left;  /* or within so many slow loads; 0: they do not matter */
	bool held;           /* one has run out, but in a ring that the guest has left */
	uint64_t cycles;     /* of the pipeline's, that are in the totals */
	struct block_events events;
	const struct code_block
	    *looping; /* whose branch back to itself was the last `loops` ones */
	unsigned loops;
	bool paused; /* the block before was a PAUSE */
	bool polls;  /* the processor waits: the block is one, or comes after one */
	bool clear;  /* the running block has written code: it is followed by a machine clear */
	unsigned assists;       /* that the running block has needed, and that follow it */
	uint64_t iterated;      /* address of the repeated instruction that has made an access */
	struct code_block *ran; /* blocks whose runs are not in the totals */
	struct settled settled;
	struct component_counts component_counts;
	bool recording;
	bool tracing; /* Processor Trace is on */
	bool storing; /* the branch trace store is on */
	bool follows; /* one of the three: how each block ends matters */
	struct records records;
	struct sampler sampler;
	struct tracer tracer;
	uint64_t totals[CORE_RINGS][CORE_NR_QUANTITIES];
	uint64_t reported[CORE_RINGS][CORE_NR_QUANTITIES];
};

/* True if each access must be looked at: what hits moves no watch, but the first one after a miss
 * says by which instruction one has run out. */
static inline bool core_looks(const struct core *core)
{
	return core->sampler.how || (core->watch_memory && core->missed) || core->polls;
}

/* Returns enum core_needs of the page's counts. Parts that none of them depends on keep their
 * state; between counts all parts are kept warm. */
static inline unsigned core_needs(const struct core *core)
{
	const struct core_processor *page = core->page;

	return page->counting && !page->timing && !page->details && !page->sampling &&
		       !core->follows && !core->observer &&
		       core->config->detail != DETAIL_PIPELINE && memory_is_alone(core->memory)
		   ? (page->needs ? page->needs : CORE_NEEDS_ALL)
		   : CORE_NEEDS_ALL;
}

/* The running block's accesses, or whether each must be looked at, have changed. */
static inline void core_find_quick(struct core *core)
{
	core->quick_mask = core->light && !core_looks(core) ? UINT32_MAX : 0;
	core->quick_bytes = core->block ? core->block->insn_bytes & core->quick_mask : 0;
	core->quick = core->block ? (uintptr_t)core->block->insn : 0;
}

/* observe.c: gives the statistics of the components their quantities. */
void core_find_components(struct core *core);

/* True if the ring has windows of the pipeline. A kernel below a program runs little and seldom the
 * same, so that they would say nothing of it. */
static inline bool core_has_windows(const struct core *core)
{
	return core->ring == CORE_RING_USER || core->samples_kernel;
}

/* totals.c */
/* Settles all counts so far in the ring that the guest is in. */
void core_settle(struct core *core);
/* As core_settle(), for blocks only. */
void core_settle_runs(struct core *core);
/* Attributes the block's runs to this core from now on; settles another core's runs first. */
void core_claim(struct core *core, struct code_block *block);
void core_change_ring(struct core *core, enum core_ring ring);
/* Sets `light`, by phase and ring; between blocks. */
void core_choose_light(struct core *core);
/* The next block takes the long way: something has changed. */
static inline void core_change(struct core *core)
{
	if (core->floor != INT64_MAX && core->detail.use == DETAIL_WINDOWS)
		core->detail.left = core->left;
	core->floor = INT64_MAX;
}

/* watches.c */
/* Reads the page's watches. */
void core_arm(struct core *core);
/* True if a watch has run out, at the instruction at ip at the latest. */
bool core_look(struct core *core, uint64_t ip);

/* An access or a fetch was no plain hit. */
static inline void core_missed(struct core *core)
{
	if (core->due_misses) {
		core->due_misses--;
		return;
	}
	core->missed = true;
	if (core->watch_memory)
		core->quick_bytes = core->quick_mask = 0;
}

/* core_look() after a block, where a watch can have run out. */
static inline bool core_due(struct core *core)
{
	if (core->due_blocks && pipeline_retires_before(core->pipeline, core->due_cycles) &&
	    !(core->watch_memory && core->missed)) {
		core->due_blocks--;
		return false;
	}
	return core_look(core, core->last_done);
}

/* core.c: takes the page's words of the guest's entry. */
void core_begin(struct core *core);

/* outcome.c */
/* Ends the running block, if there is one; the guest is at `to`. */
void core_finish_block(struct core *core, uint64_t to, enum core_end end);
/* Applies effects of instructions of ring 0 on caches and TLBs: enum code_effect. */
void core_have_effects(struct core *core, unsigned effects);
/* The pipeline simulates the block that has run, or its first instructions. */
void core_time_exactly(struct core *core, struct code_block *block, bool part);

#endif
