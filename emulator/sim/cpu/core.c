/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a simulated processor from the plugin: blocks, accesses, and where the guest
 * stopped. */
#include "emulator/sim/cpu/core.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sim/cpu/page/geometry.h"
#include "emulator/sim/cpu/quick.h"

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
	core->guesses = true;
	core->floor = INT64_MAX;
	if (!core->memory || !core->predictor || !core->pipeline) {
		core_free(core);
		return NULL;
	}
	core_find_components(core);
	core->saturates = predictor_saturates(core->predictor);
	return core;
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

void core_sample_kernel(struct core *core)
{
	core->samples_kernel = true;
	core->detail.changes = true;
}

void core_name_events(const struct core *core, char names[VISOR_EVENTS_MAX][VISOR_EVENT_BYTES])
{
	component_counts_name(&core->component_counts, names);
}

struct core_processor *core_take_page(struct core *core, struct core_processor *page)
{
	struct core_processor *before = core->page;

	core->page = page;
	return before;
}

void core_lose_sight(struct core *core, unsigned effects)
{
	core->block = NULL;
	core->quick_bytes = 0;
	core->inside = false;
	core_change(core);
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

	if (core->untimed || core->config->detail == DETAIL_FUNCTIONAL ||
	    !(core_needs(core) & CORE_NEEDS_CYCLES))
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

/* Discards what happened while nothing was counting. */
void core_begin(struct core *core)
{
	const struct core_processor *page = core->page;

	if ((page->details || core->observer) && !core->details)
		settle_forget_pipeline(&core->settled, core->pipeline);
	core->details = page->details || core->observer;
	core->counting = page->counting || core->observer;
	core->recording = page->filter.enabled;
	core->tracing = (page->pt.ctl & PT_CTL_TRACE) && core->tracer.machine.place;
	core->storing = page->store.rings && core->tracer.machine.place;
	core->follows = core->recording || core->tracing || core->storing;
	memory_forget_pages(core->memory);
	if (page->filter.load && core->recording)
		records_load(&core->records, page->branches, page->nr_branches, page->position);
	core->untimed = core_requests_nothing(page) && !core->observer;
	core->blind = !(core_needs(core) & CORE_NEEDS_MEMORY);
	core->guesses = core_needs(core) & CORE_NEEDS_BRANCHES;
	detail_begin(&core->detail, use_for(core), core->answering);
	if (page->ring != core->ring)
		pipeline_drain(core->pipeline);
	core_change_ring(core, page->ring);
	core_choose_light(core);
	memory_prefetchers(core->memory, page->prefetch_off);
	sampler_begin(&core->sampler, page);
	core_arm(core);
}

void core_end_block(struct core *core, uint64_t to)
{
	core_finish_block(core, to, CORE_WENT_ON);
}

void core_in_ring(struct core *core, enum core_ring ring)
{
	core_change_ring(core, ring);
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

void core_set_page_query(struct core *core, memory_page_at *page_at, void *who)
{
	memory_set_page_query(core->memory, page_at, who);
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
	return core_now(core);
}

bool core_is_timed(const struct core *core)
{
	return core->inside && !core->untimed;
}

void core_wait(struct core *core, uint64_t cycles)
{
	pipeline_wait(core->pipeline, cycles);
}

void core_assist(struct core *core, unsigned operation)
{
	if (!(core->config->pipe.fp_assists >> operation & 1))
		return;
	core->totals[core->ring][CORE_FP_ASSISTS]++;
	core->assists++;
	core_change(core);
}

void core_contends(struct core *core, uint64_t vaddr)
{
	uint32_t cycles = memory_contends(core->memory, vaddr);

	if (cycles)
		core_wait(core, cycles);
}

void core_polls(struct core *core, bool polls)
{
	if (core->polls != (polls || core->paused))
		core_change(core);
	core->polls = polls || core->paused;
	core->paused = polls;
	memory_polls(core->memory, core->polls);
}

void core_start_clock(struct core *core, int64_t at)
{
	memory_start_clock(core->memory, at);
}
