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
#include "core/tally.h"

#define SELECTOR_UNKNOWN UINT32_MAX
#define SELECTOR_RPL     3

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
	struct code_block *block; /* that runs; NULL: nobody knows */
	uint64_t last_access;     /* address of its last instruction that did all of its own */
	uint32_t selector;        /* that its IRET has loaded */
	enum core_ring ring;
	bool inside;   /* the guest runs: the page's words of the entry are taken */
	bool counting; /* somebody counts: what happens is settled by ring */
	bool details;  /* the pipeline's details as well, which take time to gather */
	unsigned nr_watches;
	struct watch watches[CORE_WATCHES];
	uint64_t due_cycles; /* no watch runs out before this cycle, */
	uint32_t due_blocks; /* or within so many blocks, */
	bool watch_memory;   /* or but for what a cache or TLB misses, */
	bool missed;         /* as just happened */
	uint64_t cycles;     /* of the pipeline's, that are in the totals */
	struct block_events events;
	struct code_block *ran; /* blocks whose runs are not in the totals */
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

/* ---- settling ---- */

/* What the blocks have done so far happened in the ring that the guest is in. */
static void settle_runs(struct core *core)
{
	for (struct code_block *block = core->ran; block; block = block->ran) {
		for (unsigned outcome = 0; outcome < CODE_OUTCOMES; outcome++)
			if (block->runs[outcome]) {
				tally_add(core->totals[core->ring], block, outcome,
					  block->runs[outcome]);
				block->runs[outcome] = 0;
			}
		block->ran_on = NULL;
	}
	core->ran = NULL;
}

static void claim(struct core *core, struct code_block *block)
{
	if (block->ran_on)
		settle_runs(block->ran_on);
	block->ran_on = core;
	block->ran = core->ran;
	core->ran = block;
}

#define BUS_RATIO 4 /* reference cycles in one of the bus */

static void settle_cycles(struct core *core)
{
	uint64_t *totals = core->totals[core->ring], cycles = pipeline_cycles(core->pipeline);
	uint64_t nominal = pipeline_reference(core->pipeline, cycles),
		 before = pipeline_reference(core->pipeline, core->cycles);

	totals[CORE_CYCLES] += cycles - core->cycles;
	totals[CORE_REF_CYCLES] += nominal - before;
	totals[CORE_BUS_CYCLES] += nominal / BUS_RATIO - before / BUS_RATIO;
	totals[CORE_SLOTS] += (cycles - core->cycles) * core->config->pipe.width;
	core->cycles = cycles;
}

/* The same of all that the parts have counted. */
static void settle_parts(struct core *core)
{
	uint64_t *totals = core->totals[core->ring];

	settle_runs(core);
	settle_cycles(core);
	settle_memory(&core->settled, core->memory, totals);
	if (core->details)
		settle_pipeline(&core->settled, core->pipeline, totals);
}

void core_forget_blocks(struct core *core)
{
	settle_runs(core);
	pipeline_forget_blocks(core->pipeline);
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

/* A watch has so much left: when it must be looked at again, at the latest. */
static void look_again(struct core *core, const struct core_watch *what, uint64_t left)
{
	for (unsigned i = 0; i < CORE_TERMS; i++) {
		unsigned quantity = what->terms[i];
		uint64_t blocks = left / (tally_most(quantity) * CORE_TERMS);

		if (quantity >= CORE_CYCLES && quantity <= CORE_BUS_CYCLES) { /* none is faster */
			uint64_t end = pipeline_cycles(core->pipeline) + left;

			if (end < core->due_cycles)
				core->due_cycles = end;
		} else if (settles_memory(quantity) && quantity != CORE_L1D_LOADS &&
			   quantity != CORE_L1D_STORES && quantity != CORE_L1I_FETCHES &&
			   quantity != CORE_LOADS_L1) {
			core->watch_memory = true;
		} else if (quantity && blocks < core->due_blocks) {
			core->due_blocks = blocks;
		}
	}
}

/* Looks at all watches, whose totals are settled. Returns whether one has run out. */
static bool look(struct core *core)
{
	core->due_cycles = UINT64_MAX;
	core->due_blocks = UINT32_MAX;
	core->watch_memory = core->missed = false;
	for (unsigned i = 0; i < core->nr_watches; i++) {
		const struct watch *watch = &core->watches[i];
		uint64_t now = sum(core, watch->what);

		if (now >= watch->end) {
			core->nr_watches = 0; /* once */
			return true;
		}
		look_again(core, watch->what, watch->end - now);
	}
	return false;
}

static void arm(struct core *core)
{
	unsigned nr = core->page->nr_watches;

	core->nr_watches = nr < CORE_WATCHES ? nr : CORE_WATCHES;
	for (unsigned i = 0; i < core->nr_watches; i++) {
		const struct core_watch *what = &core->page->watches[i];

		core->watches[i] = (struct watch){sum(core, what) + what->left, what};
	}
	core->due_cycles = core->due_blocks = 0;
}

static bool due(struct core *core)
{
	if (pipeline_cycles(core->pipeline) < core->due_cycles && core->due_blocks &&
	    !(core->watch_memory && core->missed)) {
		core->due_blocks--;
		return false;
	}
	settle_parts(core);
	return look(core);
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

/* The branch that ends the block went there: whether the core expected it. */
static void predict(struct core *core, const struct code_block *block, const struct code_insn *insn,
		    uint64_t to)
{
	enum branch_class class = insn->kind - CODE_NEAR;
	bool taken = class != BRANCH_CONDITIONAL || to != block->end;

	core->events.taken = taken;
	core->events.mispredicted =
	    predictor_branch(core->predictor, insn->address, class, taken, to, block->end);
	core->events.resteered = predictor_resteered(core->predictor);
}

/* All of the block has retired. */
static void count_whole(struct core *core, struct code_block *block)
{
	const struct block_events *events = &core->events;

	if (block->ran_on != core)
		claim(core, block);
	block->runs[events->taken * OUTCOME_TAKEN | events->mispredicted * OUTCOME_MISPREDICTED |
		    events->resteered * OUTCOME_RESTEERED]++;
}

/* The first nr instructions have retired; QEMU counts one more where it is a repetition, or known
 * to be undefined when it is translated. */
static void count_part(struct core *core, const struct code_block *block, unsigned nr)
{
	const struct code_insn *next = &block->insn[nr];

	count(core, CORE_EXECUTED, nr + (next->repeats || next->kind == CODE_FAULTS));
	count(core, CORE_INSTRUCTIONS, nr);
	for (unsigned i = 0; i < nr; i++) {
		count(core, CORE_LOADS, block->insn[i].loads);
		count(core, CORE_STORES, block->insn[i].stores);
	}
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

/* A repeated instruction is done when the guest is behind it. */
static bool repeats_on(const struct code_block *block, uint64_t to)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	return last->repeats && to != block->end;
}

/* The pipeline takes the block, with a repetition that is not the last as one more. */
static void time_block(struct core *core, const struct code_block *block, unsigned nr, bool left)
{
	struct block *timing = block->timing[core->kind];

	core->events.executed = nr + (nr < block->nr && block->insn[nr].repeats);
	if (timing && core->events.executed)
		pipeline_block(core->pipeline, timing, &core->events);
	else
		pipeline_forget(core->pipeline);
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

/* A block that ends as most do, within its ring. Returns false when this one does not. */
static bool finish_plain(struct core *core, struct code_block *block, uint64_t to)
{
	const struct code_insn *last = &block->insn[block->nr - 1];

	if (last->kind > CODE_NEAR_LAST || last->repeats || core->recording ||
	    !leads_to(core, block, to) || (is_high(to) && core->ring == CORE_RING_USER))
		return false;
	if (last->kind != CODE_PLAIN)
		predict(core, block, last, to);
	count_whole(core, block);
	time_block(core, block, block->nr, false);
	return true;
}

/* `stopped`: the guest is outside at `to`, and whether it has gone there is the caller's to say. */
static void finish_other(struct core *core, struct code_block *block, uint64_t to, bool stopped)
{
	const struct code_insn *last = &block->insn[block->nr - 1];
	enum core_ring new_ring = core->ring;
	unsigned nr = block->nr;
	bool left = false;

	if (repeats_on(block, to)) {
		left = to != last->address && to != block->start;
		nr = to == block->start ? 0 : nr - 1;
	} else if (!leads_to(core, block, to)) {
		nr = retired_before(core, block, to, &left);
	}
	if (nr < block->nr || !code_is_branch(last))
		last = NULL;
	if (last && last->kind <= CODE_NEAR_LAST)
		predict(core, block, last, to);
	if (nr == block->nr)
		count_whole(core, block);
	else
		count_part(core, block, nr);
	time_block(core, block, nr, left);
	if (last && !stopped && last->kind > CODE_NEAR_LAST)
		new_ring = ring_behind(core, last->kind, to);
	if (!stopped && (left || (new_ring == CORE_RING_USER && is_high(to))))
		new_ring = CORE_RING_KERNEL;
	if (core->recording)
		record(core, last, nr < block->nr ? block->insn[nr].address : block->end, to, left,
		       new_ring);
	change_ring(core, new_ring);
}

static void finish_block(struct core *core, uint64_t to, bool stopped)
{
	struct code_block *block = core->block;

	core->block = NULL;
	if (block && !finish_plain(core, block, to))
		finish_other(core, block, to, stopped);
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
		if (!memory_fetch_hits(core->memory, &access)) {
			memory_fetch_slow(core->memory, &access, &result);
			core->missed = true;
			if (result.level != MEM_L1 || result.dtlb_miss)
				core->events.fetch_cycles +=
				    result.latency - core->config->memory.l1i.latency;
		}
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

bool core_block(struct core *core, struct code_block *block)
{
	if (!core->inside) {
		core->inside = true;
		core->block = NULL;
		pipeline_forget(core->pipeline);
		if (core->page)
			begin(core);
	}
	finish_block(core, block->start, false);
	core->block = block;
	core->last_access = 0;
	core->events.fetch_cycles = 0;
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

bool core_access(struct core *core, const struct code_insn *insn, uint64_t vaddr, uint64_t paddr,
		 unsigned size, bool store)
{
	struct access access = {.vaddr = vaddr,
				.paddr = paddr,
				.ip = insn->address,
				.now = pipeline_cycles(core->pipeline),
				.size = size,
				.store = store};
	struct access_result result;
	const struct block *timing;

	/* What loads and stores has faulted when only its load is seen. */
	if (store || !insn->stores)
		core->last_access = insn->address;
	if (memory_access_hits(core->memory, &access)) {
		result = (struct access_result){.level = MEM_L1};
	} else {
		memory_access_slow(core->memory, &access, &result);
		core->missed = true;
	}
	if (!core->block)
		return false;
	timing = core->block->timing[core->kind];
	if (timing)
		pipeline_access(core->pipeline, timing,
				&(struct block_access){.vaddr = vaddr,
						       .insn = index_of(core->block, insn),
						       .size = size,
						       .store = store,
						       .result = &result});
	return core->missed && core->watch_memory && core->nr_watches && due(core);
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
