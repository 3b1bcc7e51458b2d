/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a block: the entry of the guest before it, the end of the last one, its lines. */
#include "emulator/sim/cpu/quick.h"

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
static void fetch(struct core *core, struct code_block *block)
{
	if (core->blind || (core->sampler.how != CORE_SAMPLE_STEP &&
			    memory_fetches_hit(core->memory, block->fetched, block->lines)))
		return;
	block->lines = 0;
	block->fetched = 0;
	sampler_block(&core->sampler);
	fetch_lines(core, block);
}

/* The guest was entered. */
static void start_enter(struct core *core, const struct code_block *block)
{
	core->inside = true;
	core->block = NULL;
	pipeline_forget(core->pipeline);
	if (core->page)
		core_begin(core);
	if (core->tracing)
		trace_entered(core, block);
	if (core->storing)
		store_entered(core, block);
}

/* Decides which of the next blocks are for core_block_quick(). */
static void choose_floor(struct core *core)
{
	if (!core->light || core->follows || core->observer || core->sampler.how)
		return;
	core->floor = core->ring == CORE_RING_USER ? 0 : INT64_MIN;
	core->left = core->detail.use == DETAIL_WINDOWS ? core->detail.left : INT64_MAX;
}

bool core_block(struct core *core, struct code_block *block)
{
	enum core_answer answer = core_block_quick(core, block);

	if (answer != CORE_ASKS)
		return answer == CORE_STOPS;
	if (!core->inside)
		start_enter(core, block);
	core_finish_block(core, block->start, CORE_WENT_ON);
	if (core->detail.use == DETAIL_WINDOWS && (core->detail.left -= block->nr) <= 0) {
		detail_next(&core->detail);
		core_choose_light(core);
	}
	if (!core->light && !(block->timed >> core->kind & 1))
		code_time(block, core->kind, core->config);
	core->block = block;
	core_find_quick(core);
	core->last_access = 0;
	core->events.fetch_cycles = 0;
	core->events.outcome = 0;
	core->missed_to = 0;
	core->selector = SELECTOR_UNKNOWN;
	fetch(core, block);
	choose_floor(core);
	return core->nr_watches && core_due(core);
}
