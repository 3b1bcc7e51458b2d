/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a simulated processor from the plugin: blocks, accesses, and where the guest
 * stopped. */
#include "emulator/sim/cpu/core.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sim/cpu/core_state.h"
#include "emulator/sim/cpu/geometry.h"

/* A sample's least distance for windows: the cycles of a few blocks matter little. */
#define WINDOWS_PERIOD 100000

struct core *core_new(const struct core_config *config, struct shared_cache *shared, unsigned kind)
{
	struct core *core = calloc(1, sizeof(*core));

	if (!core)
		return NULL;
	core->config = config;
	core->memory = memory_new(config, shared);
	core->predictor = core->memory ? predictor_new(config, memory_number(core->memory)) : NULL;
	core->pipeline = pipeline_new(config);
	core->kind = kind;
	core->selector = SELECTOR_UNKNOWN;
	core->detail.use = DETAIL_ALL;
	if (core->memory && core->predictor && core->pipeline)
		return core;
	core_free(core);
	return NULL;
}

void core_free(struct core *core)
{
	if (!core)
		return;
	pipeline_free(core->pipeline);
	observer_free(core->observer);
	predictor_free(core->predictor);
	memory_free(core->memory);
	free(core);
}

void core_connect(struct core *core, struct core_processor *page)
{
	core->page = page;
	core_geometry(core->config, &page->geometry);
}

struct core_processor *core_take_page(struct core *core, struct core_processor *page)
{
	struct core_processor *before = core->page;

	core->page = page;
	return before;
}

void core_lose_sight(struct core *core, unsigned effects)
{
	core->block = core->plain = NULL;
	core->inside = false;
	core_have_effects(core, effects);
}

bool core_fetches_pairs(const struct core *core)
{
	return core->config->memory.prefetchers & ~core->page->prefetch_off & PREFETCH_ADJACENT;
}

void core_forget_blocks(struct core *core)
{
	core_settle_runs(core);
	pipeline_forget_blocks(core->pipeline);
}

/* Fetches a line that is no plain hit. */
static void fetched_slowly(struct core *core, const struct access_result *result)
{
	core_missed(core);
	if (result->level != MEM_L1 || result->dtlb_miss)
		core->events.fetch_cycles += result->latency - core->config->memory.l1i.latency;
	core->missed_to |= detail_missed(result);
}

/* Fetches a line and reports it to the sampler. */
static void fetch_noted(struct core *core, const struct access *access)
{
	struct access_result result;

	memory_fetch(core->memory, access, &result);
	fetched_slowly(core, &result);
	sampler_fetch(&core->sampler, access, &result);
}

static void fetch_lines(struct core *core, struct code_block *block)
{
	bool hit = true;
	struct access_result result;
	struct access access = {.vaddr = block->start,
				.paddr = block->physical,
				.now = pipeline_cycles(core->pipeline)};

	while (access.vaddr < block->end) {
		uint64_t step = CORE_LINE_SIZE - access.vaddr % CORE_LINE_SIZE,
			 left = block->end - access.vaddr;

		access.size = (uint32_t)(left < step ? left : step);
		access.ip = access.vaddr;
		block->lines++;
		if (core->sampler.how == CORE_SAMPLE_STEP) {
			hit = false;
			fetch_noted(core, &access);
		} else if (!memory_fetch_hits(core->memory, &access)) {
			hit = false;
			memory_fetch_slow(core->memory, &access, &result);
			fetched_slowly(core, &result);
		}
		access.vaddr += step;
		access.paddr += step;
	}
	if (hit)
		block->fetched = memory_fetch_stamp(core->memory);
}

/* While the instruction caches are unchanged, lines that hit will hit again. */
static inline void fetch(struct core *core, struct code_block *block)
{
	if (core->sampler.how != CORE_SAMPLE_STEP &&
	    memory_fetches_hit(core->memory, block->fetched, block->lines))
		return;
	block->lines = 0;
	block->fetched = 0;
	sampler_block(&core->sampler);
	fetch_lines(core, block);
}

/* True if a watch runs out so soon that the place where it does matters. */
static bool samples(const struct core_processor *page)
{
	for (unsigned i = 0; i < page->nr_watches && i < CORE_WATCHES; i++)
		if (page->watches[i].left < WINDOWS_PERIOD)
			return true;
	return false;
}

/* Returns the use of the pipeline from the entry on. Windows are for a processor that is alone, of
 * whose pipeline only cycles are wanted. */
static enum detail_use use_for(const struct core *core)
{
	const struct core_processor *page = core->page;

	if (core->untimed || core->config->detail == DETAIL_FUNCTIONAL)
		return DETAIL_NONE;
	if (core->config->detail == DETAIL_PIPELINE || page->details || page->sampling ||
	    core->follows || core->observer || samples(page) || !memory_is_alone(core->memory))
		return DETAIL_ALL;
	return DETAIL_WINDOWS;
}

void core_look_at_clock(struct core *core)
{
	if (!core->inside || core->detail.use != DETAIL_WINDOWS)
		return;
	detail_begin(&core->detail, DETAIL_WINDOWS, false);
	core_choose_light(core);
}

/* Guest entry: discards what happened while nothing was counting. */
static void begin(struct core *core)
{
	const struct core_processor *page = core->page;

	if ((page->details || core->observer) && !core->details)
		settle_forget_pipeline(&core->settled, core->pipeline);
	core->details = page->details || core->observer;
	core->counting = page->counting || core->observer;
	core->recording = page->filter.enabled;
	core->tracing = (page->pt.ctl & PT_CTL_TRACE) && core->tracer.machine.place;
	core->follows = core->recording || core->tracing;
	memory_forget_pages(core->memory);
	if (page->filter.load && core->recording)
		records_load(&core->records, page->branches, page->nr_branches, page->position);
	core->untimed = core_asks_nothing(page) && !core->observer;
	detail_begin(&core->detail, use_for(core), core->answering);
	if (page->ring != core->ring)
		pipeline_drain(core->pipeline);
	core_change_ring(core, page->ring);
	core_choose_light(core);
	memory_prefetchers(core->memory, page->prefetch_off);
	sampler_begin(&core->sampler, page);
	core_arm(core);
}

bool core_block(struct core *core, struct code_block *block)
{
	if (!core->inside) {
		core->inside = true;
		core->block = NULL;
		pipeline_forget(core->pipeline);
		if (core->page)
			begin(core);
		if (core->tracing)
			trace_entered(core, block);
	}
	core_finish_block(core, block->start, CORE_WENT_ON);
	if (core->detail.use == DETAIL_WINDOWS && (core->detail.left -= block->nr) <= 0) {
		detail_next(&core->detail);
		core_choose_light(core);
	}
	if (!core->light && !(block->timed >> core->kind & 1))
		code_time(block, core->kind, core->config);
	core->block = block;
	core_find_plain(core);
	core->last_access = 0;
	core->events.fetch_cycles = 0;
	core->events.outcome = 0;
	core->missed_to = 0;
	core->selector = SELECTOR_UNKNOWN;
	fetch(core, block);
	return core->nr_watches && core_due(core);
}

void core_end_block(struct core *core, uint64_t to)
{
	core_finish_block(core, to, CORE_WENT_ON);
}

void core_in_ring(struct core *core, enum core_ring ring)
{
	core_change_ring(core, ring);
}

/* Passes the access to the sampler. Returns true if the watches must be checked now. */
static bool note_access(struct core *core, const struct code_insn *insn,
			const struct access *access, const struct access_result *result)
{
	if (!sampler_access(&core->sampler, access, result, core->config->memory.l1d.latency,
			    insn->locked))
		return false;
	core->totals[core->ring][CORE_LOADS_SLOW]++;
	return core->slow_left && !--core->slow_left;
}

/*
 * True if the access belongs to the running block. QEMU attributes the accesses of an interrupt's
 * or fault's delivery to an earlier block's last instruction, if that called one of QEMU's helpers,
 * as every RET does.
 */
static inline bool is_of(const struct code_block *block, const struct code_insn *insn)
{
	return insn->address - block->start < block->end - block->start;
}

/* QEMU runs an instruction at a device again in a block of its own, whose start is not reported. */
static unsigned index_of(const struct code_block *block, const struct code_insn *insn)
{
	if (insn >= block->insn && insn < block->insn + block->nr)
		return (unsigned)(insn - block->insn);
	for (unsigned i = 0; i < block->nr; i++)
		if (block->insn[i].address == insn->address)
			return i;
	return 0;
}

/* Computes when an access that is no plain hit begins. */
static void look_ahead(struct core *core, const struct code_insn *insn, struct access *access)
{
	const struct block *timing = core->block ? core->block->timing[core->kind] : NULL;

	if (!timing || core->light || !is_of(core->block, insn))
		return;
	access->now =
	    pipeline_begin(core->pipeline, timing, index_of(core->block, insn), access->store);
	if (access->store && insn == core->taking && core->taken > access->now)
		access->now = core->taken;
	if (!access->store)
		access->room = pipeline_room(core->pipeline, access->now);
}

/* The access was made, with this result. Returns whether the guest must stop. */
static inline bool accessed(struct core *core, const struct code_insn *insn,
			    const struct access *access, const struct access_result *result)
{
	const struct block *timing;
	bool look = false, later;

	if (!core->block || !is_of(core->block, insn))
		return false;
	if (core->polls)
		memory_polls_at(core->memory, access->vaddr, access->store);
	later = core->last_access == insn->address;
	/* A load without the store of a read-modify-write instruction has faulted. */
	if (access->store || !insn->stores)
		core->last_access = insn->address;
	if (core->sampler.how)
		look = note_access(core, insn, access, result);
	timing = core->block->timing[core->kind];
	if (timing && !core->light)
		pipeline_access(core->pipeline, timing,
				&(struct block_access){.vaddr = access->vaddr,
						       .insn = index_of(core->block, insn),
						       .size = access->size,
						       .store = access->store,
						       .later = later,
						       .begin = access->now,
						       .result = result});
	look |= core->missed && core->watch_memory;
	return look && core->nr_watches && core_look(core, insn->address);
}

/* Handles an access that is no plain hit in L1D. */
static bool access_slow(struct core *core, const struct code_insn *insn, struct access *access)
{
	struct access_result result;

	look_ahead(core, insn, access);
	memory_access_slow(core->memory, access, &result);
	if (result.level == MEM_HITM && !access->store) {
		core->taking = insn;
		core->taken = access->now + result.latency;
	}
	if (result.modifies_code) {
		core->totals[core->ring][CORE_CLEARS_SMC]++;
		core->clear = true;
	}
	core->missed_to |= detail_missed(&result);
	core_missed(core);
	return accessed(core, insn, access, &result);
}

/* True if the pipeline can ignore an access that hits L1D. */
static inline bool is_plain(const struct core *core, const struct code_insn *insn, uint64_t vaddr,
			    unsigned size, bool store)
{
	const struct code_block *block = core->plain;

	if (!block)
		return false;
	if (!store)
		return is_of(block, insn) && pipeline_plain_load(core->pipeline, vaddr, size);
	return (uintptr_t)insn - (uintptr_t)block->insn < block->nr * sizeof(*insn) &&
	       pipeline_plain_store(core->pipeline, vaddr, size, insn->stored[core->kind]);
}

/* Handles a hit that changes the replacement order. Returns false if the access is none. */
static __attribute__((noinline)) bool other_hit(struct core *core, uint64_t vaddr, unsigned size,
						bool store)
{
	if (!memory_other_hit(core->memory, vaddr, size, store, pipeline_cycles(core->pipeline)))
		return false;
	core_missed(core);
	return true;
}

bool core_load_plain(struct core *core, const struct code_insn *insn, uint64_t vaddr, unsigned size)
{
	if (!is_plain(core, insn, vaddr, size, false) ||
	    !memory_word_hit(core->memory, vaddr, false))
		return false;
	core->last_access = insn->address;
	return true;
}

bool core_store_plain(struct core *core, const struct code_insn *insn, uint64_t vaddr,
		      unsigned size)
{
	if (!is_plain(core, insn, vaddr, size, true) || !memory_word_hit(core->memory, vaddr, true))
		return false;
	if (!core->light)
		pipeline_stores(core->pipeline, vaddr, size, insn->stored[core->kind]);
	core->last_access = insn->address;
	return true;
}

static __attribute__((noinline)) enum core_answer hit_known(struct core *core,
							    const struct code_insn *insn,
							    uint64_t vaddr, unsigned size,
							    bool store)
{
	static const struct access_result hit = {.level = MEM_L1};
	const struct access access = {.vaddr = vaddr,
				      .ip = insn->address,
				      .now = pipeline_cycles(core->pipeline),
				      .size = size,
				      .store = store};

	return accessed(core, insn, &access, &hit) ? CORE_STOPS : CORE_GOES_ON;
}

static __attribute__((noinline)) enum core_answer access_known(struct core *core,
							       const struct code_insn *insn,
							       uint64_t vaddr, unsigned size,
							       bool store)
{
	struct access access = {.vaddr = vaddr,
				.ip = insn->address,
				.now = pipeline_cycles(core->pipeline),
				.size = size,
				.store = store};

	if (!memory_knows_page(core->memory, &access) && !memory_was_told(core->memory, &access))
		return CORE_ASKS;
	return access_slow(core, insn, &access) ? CORE_STOPS : CORE_GOES_ON;
}

enum core_answer core_access_known(struct core *core, const struct code_insn *insn, uint64_t vaddr,
				   unsigned size, bool store)
{
	bool plain = is_plain(core, insn, vaddr, size, store);

	if (insn->asks)
		return CORE_ASKS;
	if (!memory_plain_hit(core->memory, vaddr, size, store) &&
	    !(plain && other_hit(core, vaddr, size, store)))
		return access_known(core, insn, vaddr, size, store);
	if (!plain)
		return hit_known(core, insn, vaddr, size, store);
	if (store && !core->light)
		pipeline_stores(core->pipeline, vaddr, size, insn->stored[core->kind]);
	if (store || !insn->stores)
		core->last_access = insn->address;
	return CORE_GOES_ON;
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
	struct access_result result = {.level = MEM_L1};

	if (insn->streams && store)
		memory_stream(core->memory, &access, &result);
	else if (!memory_access_hits(core->memory, &access))
		return access_slow(core, insn, &access);
	return accessed(core, insn, &access, &result);
}

void core_device_access(struct core *core, const struct code_insn *insn)
{
	if (core->block && is_of(core->block, insn))
		core->last_access = insn->address;
}

void core_touch(struct core *core, enum touch_kind kind, uint64_t vaddr, uint64_t paddr)
{
	const struct access access = {
	    .vaddr = vaddr, .paddr = paddr, .now = pipeline_cycles(core->pipeline), .size = 1};

	switch (kind) {
	case TOUCH_FLUSH:
		memory_flush_line(core->memory, vaddr, paddr);
		break;
	case TOUCH_CLEAN:
		memory_clean_line(core->memory, vaddr, paddr);
		break;
	case TOUCH_PREFETCH:
		memory_prefetch(core->memory, &access);
		break;
	case TOUCH_PAGE:
		memory_flush_page(core->memory, vaddr);
		break;
	}
}

bool core_physical(struct core *core, uint64_t vaddr, uint64_t *physical)
{
	struct access access = {.vaddr = vaddr};

	if (!memory_knows_page(core->memory, &access))
		return false;
	*physical = access.paddr;
	return true;
}

void core_ask_pages(struct core *core, memory_page_at *page_at, void *who)
{
	memory_ask_pages(core->memory, page_at, who);
}

void core_trace_by(struct core *core, const struct trace_machine *machine)
{
	core->tracer.machine = *machine;
	core->tracer.pt.context = machine->who;
	core->tracer.pt.at = machine->memory;
}

void core_frame_selector(struct core *core, uint16_t selector)
{
	core->selector = selector;
}

void core_sync(struct core *core)
{
	struct core_processor *page = core->page;

	core_finish_block(core, page->rip, page->end);
	core_settle(core);
	core->inside = false;
	if (core->recording) {
		page->nr_branches = records_copy(&core->records, page->branches);
		page->position = core->records.position;
	}
	page->sample = core->sampler.sample;
	page->error = detail_error(&core->detail);
	for (unsigned ring = 0; ring < CORE_RINGS; ring++)
		for (unsigned q = 0; q < CORE_NR_QUANTITIES; q++)
			page->work[ring][q] = core->totals[ring][q] - core->reported[ring][q];
	memcpy(core->reported, core->totals, sizeof(core->reported));
}

uint64_t core_time(const struct core *core)
{
	return pipeline_retired(core->pipeline);
}

bool core_is_timed(const struct core *core)
{
	return core->inside && !core->untimed;
}

void core_wait(struct core *core, uint64_t cycles)
{
	pipeline_wait(core->pipeline, cycles);
}

void core_contends(struct core *core, uint64_t vaddr)
{
	uint32_t cycles = memory_contends(core->memory, vaddr);

	if (cycles)
		core_wait(core, cycles);
}

void core_polls(struct core *core, bool polls)
{
	core->polls = polls || core->paused;
	core->paused = polls;
	memory_polls(core->memory, core->polls);
}

void core_start_clock(struct core *core, int64_t at)
{
	memory_start_clock(core->memory, at);
}
