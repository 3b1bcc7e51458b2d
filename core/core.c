/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block's outcome is known when the next one begins: its branch went there, or it was left before
 * its end by a fault, or an interrupt came behind it.
 */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/mem/memory.h"
#include "core/pipe/pipeline.h"
#include "core/records.h"
#include "core/settle.h"

#define SELECTOR_UNKNOWN UINT32_MAX
#define SELECTOR_RPL     3

/* Accesses of one block that the pipeline hears of; FXSAVE and the like make many. */
#define MOST_ACCESSES 2048

struct watch {
	uint64_t end;
	const struct core_watch *what;
};

struct core {
	const struct core_config *config;
	struct memory *memory;
	struct predictor *predictor;
	struct pipeline *pipeline;
	unsigned kind; /* which of the blocks' timings is ours */
	struct core_processor *page;
	const struct code_block *block; /* that runs; NULL: nobody knows */
	uint64_t last_access; /* address of its last instruction that did all of its own */
	uint32_t selector;    /* that its IRET has loaded */
	enum core_ring ring;
	bool inside;      /* the guest runs: the page's words of the entry are taken */
	bool counting;    /* somebody counts: what happens is settled by ring */
	bool details;     /* the pipeline's details as well, which take time to gather */
	bool watch_parts; /* some watch is of quantities that only settling knows */
	unsigned nr_watches;
	struct watch watches[CORE_WATCHES];
	uint64_t cycles; /* of the pipeline's, that are in the totals */
	struct block_events events;
	struct block_access accesses[MOST_ACCESSES];
	struct settled settled;
	bool recording;
	struct records records;
	uint64_t totals[CORE_RINGS][CORE_NR_QUANTITIES];
	uint64_t reported[CORE_RINGS][CORE_NR_QUANTITIES];
};

struct core *core_new(const struct core_config *config, struct shared_cache *shared, unsigned kind)
{
	struct core *core = calloc(1, sizeof(*core));

	if (!core)
		return NULL;
	core->config = config;
	core->memory = memory_new(config, shared);
	core->predictor = predictor_new(config);
	core->pipeline = pipeline_new(config);
	core->kind = kind;
	core->events.access = core->accesses;
	core->selector = SELECTOR_UNKNOWN;
	if (core->memory && core->predictor && core->pipeline)
		return core;
	free(core);
	return NULL;
}

void core_connect(struct core *core, struct core_processor *page)
{
	core->page = page;
	core_geometry(core->config, &page->geometry);
}

/* ---- watches ---- */

static uint64_t sum(const struct core *core, const struct core_watch *what)
{
	uint64_t total = 0;

	for (unsigned ring = 0; ring < CORE_RINGS; ring++)
		for (unsigned i = 0; (what->rings >> ring & 1) && i < CORE_TERMS; i++)
			if (what->terms[i] < CORE_NR_QUANTITIES)
				total += core->totals[ring][what->terms[i]];
	return total;
}

static void arm(struct core *core)
{
	unsigned nr = core->page->nr_watches;

	core->nr_watches = nr < CORE_WATCHES ? nr : CORE_WATCHES;
	core->watch_parts = false;
	for (unsigned i = 0; i < core->nr_watches; i++) {
		const struct core_watch *what = &core->page->watches[i];

		core->watches[i] = (struct watch){sum(core, what) + what->left, what};
		for (unsigned t = 0; t < CORE_TERMS; t++)
			core->watch_parts |= what->terms[t] && settles(what->terms[t]);
	}
}

static void settle_cycles(struct core *core)
{
	uint64_t *totals = core->totals[core->ring], cycles = pipeline_cycles(core->pipeline);

	totals[CORE_CYCLES] += cycles - core->cycles;
	totals[CORE_SLOTS] += (cycles - core->cycles) * core->config->pipe.width;
	core->cycles = cycles;
}

/* What the parts have counted so far happened in the ring that the guest is in. */
static void settle_parts(struct core *core)
{
	uint64_t *totals = core->totals[core->ring];

	settle_cycles(core);
	settle_memory(&core->settled, core->memory, totals);
	if (core->details)
		settle_pipeline(&core->settled, core->pipeline, totals);
}

static bool due(struct core *core)
{
	if (core->watch_parts)
		settle_parts(core);
	else
		settle_cycles(core);
	for (unsigned i = 0; i < core->nr_watches; i++)
		if (sum(core, core->watches[i].what) >= core->watches[i].end) {
			core->nr_watches = 0; /* once */
			return true;
		}
	return false;
}

/* ---- what became of a block ---- */

static void change_ring(struct core *core, enum core_ring ring)
{
	if (ring == core->ring)
		return;
	if (core->counting)
		settle_parts(core);
	core->ring = ring;
}

static bool is_high(uint64_t address)
{
	return address >> 63;
}

static void count(struct core *core, enum core_quantity quantity, uint64_t n)
{
	core->totals[core->ring][quantity] += n;
}

static void count_near(struct core *core, const struct code_block *block,
		       const struct code_insn *insn, uint64_t to)
{
	static const uint8_t all[BRANCH_CLASSES] = {CORE_CONDITIONAL,    CORE_JUMPS,
						    CORE_JUMPS_INDIRECT, CORE_CALLS,
						    CORE_CALLS_INDIRECT, CORE_RETURNS};
	static const uint8_t wrong[BRANCH_CLASSES] = {
	    CORE_MISPREDICTED_CONDITIONAL,    CORE_NONE,
	    CORE_MISPREDICTED_JUMPS_INDIRECT, CORE_NONE,
	    CORE_MISPREDICTED_CALLS_INDIRECT, CORE_MISPREDICTED_RETURNS};
	enum branch_class class = insn->kind - CODE_NEAR;
	bool conditional = class == BRANCH_CONDITIONAL, taken = !conditional || to != block->end;

	count(core, all[class], 1);
	count(core, CORE_BRANCHES_TAKEN, taken);
	count(core, CORE_CONDITIONAL_TAKEN, conditional && taken);
	core->events.taken = taken;
	core->events.mispredicted =
	    predictor_branch(core->predictor, insn->address, class, taken, to, block->end);
	core->events.resteered = predictor_resteered(core->predictor);
	if (core->events.mispredicted) {
		count(core, CORE_MISPREDICTED, 1);
		count(core, wrong[class], 1);
		count(core, CORE_MISPREDICTED_TAKEN, taken);
		count(core, CORE_MISPREDICTED_CONDITIONAL_TAKEN, conditional && taken);
	}
	count(core, CORE_RESTEERS, core->events.resteered);
}

static void count_far(struct core *core)
{
	count(core, CORE_FAR_BRANCHES, 1);
	count(core, CORE_BRANCHES_TAKEN, 1);
}

/* The ring behind a far branch to `to`. */
static enum core_ring ring_behind(const struct core *core, enum code_kind kind, uint64_t to)
{
	switch (kind) {
	case CODE_FAR_IN:
		return CORE_RING_KERNEL;
	case CODE_FAR_OUT:
		return CORE_RING_USER;
	case CODE_FAR_FRAME:
		if (core->selector != SELECTOR_UNKNOWN)
			return core->selector & SELECTOR_RPL ? CORE_RING_USER : CORE_RING_KERNEL;
		return is_high(to) ? CORE_RING_KERNEL : CORE_RING_USER;
	default:
		return core->ring;
	}
}

/* How many of its instructions retired when it was left for `to`, which is none of the places that
 * it leads to: what has not done its access has faulted. */
static unsigned retired_before(const struct core *core, const struct code_block *block, uint64_t to,
			       bool *left)
{
	for (unsigned i = 0; i < block->nr; i++)
		if (block->insn[i].address == to)
			return i;
	*left = true;
	for (unsigned i = 0; i < block->nr; i++) {
		const struct code_insn *insn = &block->insn[i];

		if ((insn->accesses && insn->address > core->last_access) ||
		    insn->kind == CODE_FAULTS)
			return i;
	}
	return block->nr;
}

/* Whether a block whose instructions are all done goes on at `to`. */
static bool leads_to(const struct core *core, const struct code_block *block, uint64_t to)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	if (last->accesses && core->last_access != last->address)
		return false;
	switch (last->kind) {
	case CODE_PLAIN:
		return to == block->end;
	case CODE_NEAR + BRANCH_CONDITIONAL:
		return to == block->end || to == block->target;
	case CODE_NEAR + BRANCH_JUMP:
	case CODE_NEAR + BRANCH_CALL:
		return to == block->target;
	case CODE_FAULTS:
		return false;
	default:
		return true;
	}
}

static void count_instructions(struct core *core, const struct code_block *block, unsigned nr)
{
	count(core, CORE_INSTRUCTIONS, nr);
	if (nr == block->nr) {
		count(core, CORE_LOADS, block->loads);
		count(core, CORE_STORES, block->stores);
		return;
	}
	for (unsigned i = 0; i < nr; i++) {
		count(core, CORE_LOADS, block->insn[i].loads);
		count(core, CORE_STORES, block->insn[i].stores);
	}
}

/* A repeated instruction is done when the guest is behind it. */
static bool repeats_on(const struct code_block *block, uint64_t to)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	return last->repeats && to != block->end;
}

/* The pipeline takes the block, with a repetition that is not the last as one more. */
static void time_block(struct core *core, const struct code_block *block, unsigned nr, bool left)
{
	const struct block *timing = block->timing[core->kind];

	core->events.executed = nr + (nr < block->nr && block->insn[nr].repeats);
	if (timing && core->events.executed)
		pipeline_block(core->pipeline, timing, &core->events);
	if (left)
		pipeline_interrupt(core->pipeline);
}

/* The branch that ended a block, NULL: there is none; or what has interrupted the guest at `at`. */
static void record(struct core *core, const struct code_insn *branch, uint64_t at, uint64_t to,
		   bool left, enum core_ring ring)
{
	struct core_branch entry = {
	    .from = at, .to = to, .kind = CORE_BRANCH_FAR, .from_ring = core->ring, .ring = ring};

	if (!left) {
		if (!branch ||
		    (branch->kind == CODE_NEAR + BRANCH_CONDITIONAL && !core->events.taken))
			return;
		entry.from = branch->address;
		entry.length = branch->length;
		entry.mispredicted = core->events.mispredicted;
		if (branch->kind <= CODE_NEAR_LAST)
			entry.kind = branch->kind - CODE_NEAR;
	}
	records_add(&core->records, &core->page->filter, entry, pipeline_cycles(core->pipeline));
}

/* `stopped`: the guest is outside at `to`, and whether it has gone there is the caller's to say. */
static void finish_block(struct core *core, uint64_t to, bool stopped)
{
	const struct code_block *block = core->block;
	const struct code_insn *last;
	enum core_ring new_ring = core->ring;
	bool left = false;
	unsigned nr;

	if (!block)
		return;
	core->block = NULL;
	last = &block->insn[block->nr - 1];
	nr = block->nr;
	if (repeats_on(block, to)) {
		left = to != last->address && to != block->start;
		nr = to == block->start ? 0 : nr - 1;
	} else if (!leads_to(core, block, to)) {
		nr = retired_before(core, block, to, &left);
	}
	/* QEMU counts a repetition, and what it knows to be undefined when it translates it. */
	count(core, CORE_EXECUTED,
	      nr + (nr < block->nr &&
		    (block->insn[nr].repeats || block->insn[nr].kind == CODE_FAULTS)));
	count_instructions(core, block, nr);
	if (nr == block->nr && code_is_branch(last)) {
		count(core, CORE_BRANCHES, 1);
		if (last->kind <= CODE_NEAR_LAST)
			count_near(core, block, last, to);
		else
			count_far(core);
	}
	time_block(core, block, nr, left);
	if (nr < block->nr || !code_is_branch(last))
		last = NULL;
	if (last && !stopped && last->kind > CODE_NEAR_LAST)
		new_ring = ring_behind(core, last->kind, to);
	if (!stopped && (left || (new_ring == CORE_RING_USER && is_high(to))))
		new_ring = CORE_RING_KERNEL;
	if (core->recording)
		record(core, last, nr < block->nr ? block->insn[nr].address : block->end, to, left,
		       new_ring);
	change_ring(core, new_ring);
}

/* ---- what the border says ---- */

static void fetch(struct core *core, const struct code_block *block)
{
	struct access_result result;
	struct access access = {.vaddr = block->start,
				.paddr = block->physical,
				.now = pipeline_cycles(core->pipeline)};

	while (access.vaddr < block->end) {
		uint64_t step = CORE_LINE_SIZE - access.vaddr % CORE_LINE_SIZE,
			 left = block->end - access.vaddr;

		access.size = (uint32_t)(left < step ? left : step);
		access.ip = access.vaddr;
		memory_fetch(core->memory, &access, &result);
		if (result.level != MEM_L1 || result.dtlb_miss)
			core->events.fetch_cycles +=
			    result.latency - core->config->memory.l1i.latency;
		access.vaddr += step;
		access.paddr += step;
	}
}

/* The guest goes on: whatever happened before somebody counts is nobody's. */
static void begin(struct core *core)
{
	const struct core_processor *page = core->page;

	if (page->details && !core->details)
		settle_forget_pipeline(&core->settled, core->pipeline);
	core->details = page->details;
	core->counting = page->counting;
	core->recording = page->filter.enabled;
	if (page->filter.load && core->recording)
		records_load(&core->records, page->branches, page->nr_branches, page->position);
	change_ring(core, page->ring);
	arm(core);
}

bool core_block(struct core *core, const struct code_block *block)
{
	if (!core->inside) {
		core->inside = true;
		core->block = NULL;
		if (core->page)
			begin(core);
	}
	finish_block(core, block->start, false);
	core->block = block;
	core->last_access = 0;
	core->events.accesses = core->events.fetch_cycles = 0;
	core->events.taken = core->events.mispredicted = core->events.resteered = false;
	core->selector = SELECTOR_UNKNOWN;
	fetch(core, block);
	return core->nr_watches && due(core);
}

/* QEMU runs an instruction at a device once more in a block of its own, which nobody sees begin. */
static unsigned index_of(const struct code_block *block, const struct code_insn *insn)
{
	if (insn >= block->insn && insn < block->insn + block->nr)
		return (unsigned)(insn - block->insn);
	for (unsigned i = 0; i < block->nr; i++)
		if (block->insn[i].address == insn->address)
			return i;
	return 0;
}

static void note_access(struct core *core, const struct code_insn *insn,
			const struct access *access, const struct access_result *result)
{
	if (!core->block || core->events.accesses == MOST_ACCESSES)
		return;
	core->accesses[core->events.accesses++] =
	    (struct block_access){.vaddr = access->vaddr,
				  .insn = (uint16_t)index_of(core->block, insn),
				  .size = (uint8_t)access->size,
				  .store = access->store,
				  .result = *result};
}

bool core_access(struct core *core, const struct code_insn *insn, uint64_t vaddr, uint64_t paddr,
		 unsigned size, bool store)
{
	static const uint8_t levels[MEM_LEVELS] = {CORE_LOADS_L1, CORE_LOADS_LFB,  CORE_LOADS_L2,
						   CORE_LOADS_L3, CORE_LOADS_HITM, CORE_LOADS_DRAM};
	struct access access = {.vaddr = vaddr,
				.paddr = paddr,
				.ip = insn->address,
				.now = pipeline_cycles(core->pipeline),
				.size = size,
				.store = store};
	struct access_result result;

	/* What loads and stores has faulted when only its load is seen. */
	if (store || !insn->stores)
		core->last_access = insn->address;
	memory_access(core->memory, &access, &result);
	if (!store)
		count(core, levels[result.level], 1);
	note_access(core, insn, &access, &result);
	return core->watch_parts && core->nr_watches && due(core);
}

void core_device_access(struct core *core, const struct code_insn *insn)
{
	core->last_access = insn->address;
}

void core_frame_selector(struct core *core, uint16_t selector)
{
	core->selector = selector;
}

void core_sync(struct core *core)
{
	struct core_processor *page = core->page;

	finish_block(core, page->rip, true);
	settle_parts(core);
	core->inside = false;
	if (core->recording) {
		page->nr_branches = records_copy(&core->records, page->branches);
		page->position = core->records.position;
	}
	for (unsigned ring = 0; ring < CORE_RINGS; ring++)
		for (unsigned q = 0; q < CORE_NR_QUANTITIES; q++)
			page->work[ring][q] = core->totals[ring][q] - core->reported[ring][q];
	memcpy(core->reported, core->totals, sizeof(core->reported));
}
