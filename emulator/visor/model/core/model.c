/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting: retired work becomes counts, counts overflow, overflows make a PMI. Source: Intel SDM
 * vol. 3, "Performance Monitoring": overflow, "Freezing LBR and Performance Counters on PMI", table
 * "IA-32 processor states following power-up, reset, or INIT".
 */
#include "emulator/visor/model/amd/ibs.h"
#include "emulator/visor/model/amd/ibs_registers.h"
#include "emulator/visor/model/base/counter.h"
#include "emulator/visor/model/base/lbr/lbr.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/tables.h"
#include "emulator/visor/model/base/vendor.h"
#include "emulator/visor/model/core/model.h"
#include "emulator/visor/model/core/pmi.h"
#include "emulator/visor/model/intel/pebs.h"
#include "emulator/visor/model/intel/pebs_build.h"

/* Events until an overflow: counters that only count begin farther away. */
#define PERIOD_MAX (1ull << 30)

_Static_assert(NR_REGS <= MODEL_REGISTERS, "each has its masks");

static void find_masks(struct register_masks *masks, const struct personality *p)
{
	for (enum reg reg = 0; reg < NR_REGS; reg++) {
		masks[reg].writable = register_writable(p, reg);
		masks[reg].accepted = masks[reg].writable | register_ignored(p, reg);
	}
}

void model_reset(struct model *model, const struct personality *personality)
{
	*model = (struct model){
	    .personality = personality,
	    .misc_enable = MISC_ENABLE_FAST_STRINGS,
	    .pmi_delay = personality->pmi_delay,
	};
	find_masks(model->masks, personality);
	lbr_reset(model);
	if (personality->version >= 2)
		model->global_control = REG_BITS(0, personality->general - 1);
}

void model_set_clock(struct model *model, uint32_t tsc_khz, uint32_t crystal_khz)
{
	model->tsc_khz = tsc_khz;
	model->crystal_khz = crystal_khz;
}

bool model_offers_nx(const struct model *model)
{
	return !(model->misc_enable & MISC_ENABLE_NO_XD);
}

void model_use_core(struct model *model, const struct core_geometry *geometry, unsigned components,
		    enum model_stops stops)
{
	model->core = true;
	model->component_events = (uint8_t)components;
	model->core_stops = stops;
	model->geometry = geometry;
	counters_decode(model);
}

uint8_t model_prefetch_off(const struct model *model)
{
	return model->prefetch_off;
}

#define MODEL_SLOTS (MODEL_MAX_GENERAL + 3) /* fixed counter 3 counts the slots of the metrics */

static bool has_sum(const struct model_counter *counter)
{
	return counter->sum.terms[0] != CORE_NONE;
}

/* Returns the rings in which counter `slot` counts now; 0: none. */
static unsigned counting_rings(const struct model *model, unsigned slot)
{
	const struct model_counter *counter = &model->counters[slot];

	if ((!counter->rate.per_scale && !has_sum(counter)) || (model->status & STATUS_CTR_FRZ))
		return 0;
	if (model->personality->version >= 2 && !(model->global_control & counter_bit(slot)))
		return 0;
	return counter->rings;
}

/* Returns one quantity of the work; a single emulated instruction has only itself and its
 * branch. */
static uint64_t quantity(const struct model_work *work, unsigned term)
{
	if (work->quantities)
		return work->quantities[term];
	switch (term) {
	case CORE_INSTRUCTIONS:
	case CORE_EXECUTED:
		return work->instructions;
	case CORE_BRANCHES:
	case CORE_BRANCHES_TAKEN:
	case CORE_FAR_BRANCHES:
		return work->branches;
	default:
		return 0;
	}
}

/* Returns the events of a simulated core, or the cycles that CMASK, INV and E convert them to:
 * events come in bursts, so the rest of a burst is kept in the counter's fraction. */
static uint64_t summed_events(struct model_counter *counter, const struct model_work *work)
{
	uint64_t events = 0, cycles = quantity(work, CORE_CYCLES), active, burst;

	for (unsigned i = 0; i < CORE_TERMS && counter->sum.terms[i]; i++)
		events += quantity(work, counter->sum.terms[i]);
	if (counter->sum.cycles == SUM_EVENTS)
		return events;
	burst = counter->sum.burst ? counter->sum.burst : 1;
	events += counter->fraction;
	active = events / burst;
	counter->fraction = events % burst;
	if (active > cycles)
		active = cycles;
	if (counter->sum.cycles == SUM_ACTIVE)
		return active;
	if (counter->sum.cycles == SUM_QUIET)
		return cycles - active;
	return active < cycles - active ? active : cycles - active;
}

/* Returns the whole events in `work` for this counter; keeps the rest in its fraction. */
static uint64_t events_in(struct model_counter *counter, const struct model_work *work)
{
	unsigned __int128 parts;

	if (has_sum(counter))
		return summed_events(counter, work);
	if (work->exact && counter->rate.basis == BASIS_BRANCHES)
		return work->branches;
	if (work->exact && counter->rate.basis == BASIS_MISPREDICTS)
		return work->mispredicts;
	parts = (unsigned __int128)work->instructions * counter->rate.per_scale + counter->fraction;
	counter->fraction = parts & (EVENT_SCALE - 1);
	return parts >> EVENT_SCALE_SHIFT;
}

/* A simulated core retires instructions one by one, so they need no watch unless the caller cannot
 * stop on an instruction count; all other quantities are watched. */
static bool is_watched(const struct model *model, const struct model_counter *counter)
{
	return has_sum(counter) && (model->core_stops == MODEL_STOPS_ALL ||
				    counter->sum.terms[0] != CORE_INSTRUCTIONS ||
				    counter->sum.terms[1] || counter->sum.cycles != SUM_EVENTS);
}

/* Returns the instructions until the counter overflows: the fewest with `need` events. */
static uint64_t until_wrap(const struct model *model, const struct model_counter *counter,
			   uint64_t mask, bool exact)
{
	uint64_t need = mask - counter->value + 1, parts;

	if (is_watched(model, counter))
		return MODEL_NEVER;
	if (has_sum(counter))
		return need;

	if (exact && counter->rate.basis != BASIS_RATE)
		return need;
	parts = (need << EVENT_SCALE_SHIFT) - counter->fraction;
	return parts / counter->rate.per_scale + (parts % counter->rate.per_scale != 0);
}

/* A PEBS counter that overflows waits for the next instruction that it counts; any other sets its
 * status bit and sends its PMI. `ago`: instructions since then. */
static void wrap(struct model *model, unsigned slot, uint64_t ago)
{
	if (model->pebs.counters & counter_bit(slot)) {
		model->pebs.armed |= counter_bit(slot);
		model->pebs.sought = 0;
		return;
	}
	if (model->personality->version >= 2)
		model->status |= counter_bit(slot);
	if (model->counters[slot].interrupts)
		pmi_send(model, slot, ago);
}

#define PEBS_STEPS 16

/* The event that an armed PEBS counter waits for is searched instruction by instruction, which is
 * slow: for a rare one the core stops, at most a block late. */
static bool awaits_stop(const struct model *model, unsigned slot)
{
	return model->core_stops && is_watched(model, &model->counters[slot]) &&
	       model->pebs.sought >= PEBS_STEPS;
}

/* True if this work contains the event that the armed PEBS counter `slot` waits for; if events are
 * only estimated, any instruction qualifies. */
static bool is_next_event(const struct model *model, unsigned slot, const struct model_work *work,
			  uint64_t events)
{
	const struct model_counter *counter = &model->counters[slot];

	if (awaits_stop(model, slot))
		return events && work->sample && (work->sample->ended >> slot & 1);
	/* Accesses of an interrupt's delivery belong to no instruction. */
	if (has_sum(counter))
		return events && work->instructions;
	return work->exact && counter->rate.basis != BASIS_RATE ? events : work->instructions;
}

/* Returns the instructions since the counter, with the state `before`, overflowed during the
 * work. */
static uint64_t since_wrap(const struct model *model, const struct model_counter *before,
			   uint64_t mask, const struct model_work *work)
{
	uint64_t until;

	if (has_sum(before))
		return 0;
	until = until_wrap(model, before, mask, work->exact);
	return work->instructions > until ? work->instructions - until : 0;
}

static void look_for_record(struct model *model, unsigned slot, const struct model_work *work,
			    uint64_t events)
{
	if (is_next_event(model, slot, work, events))
		model->pebs.ready |= counter_bit(slot);
	else
		model->pebs.sought += (uint32_t)work->instructions;
}

static void model_count(struct model *model, unsigned slot, const struct model_work *work)
{
	struct model_counter *counter = &model->counters[slot];
	const struct model_counter before = *counter;
	uint64_t mask = counter_mask(model, slot), events = events_in(counter, work);

	if (model->pebs.armed & counter_bit(slot))
		look_for_record(model, slot, work, events);
	if (events > mask - counter->value)
		wrap(model, slot, since_wrap(model, &before, mask, work));
	counter->value = (counter->value + events) & mask;
}

/* MSR_PERF_METRICS: shares of the slots, 255 in total, from bit 0 up: retiring, bad speculation,
 * front-end bound, back-end bound; and a part of each: heavy operations, mispredicted branches,
 * fetch latency, memory bound. */
#define LEVEL1      (77ull | 25 << 8 | 51 << 16 | 102ull << 24)
#define LEVEL2      (10ull | 20 << 8 | 30 << 16 | 60 << 24)
#define METRICS     (LEVEL1 | LEVEL2 << 32)
#define METRICS_ALL 255

/* The metrics' quantities, in the order of their bits. */
static const uint8_t metric_terms[MODEL_METRICS] = {
    CORE_SLOTS_RETIRING, CORE_SLOTS_BAD_SPECULATION, CORE_SLOTS_FRONTEND,      CORE_SLOTS_BACKEND,
    CORE_SLOTS_HEAVY,    CORE_SLOTS_MISPREDICTED,    CORE_SLOTS_FETCH_LATENCY, CORE_SLOTS_MEMORY,
};

/* Returns the shares of the slots since the metrics were written; the first four add up to all of
 * them. */
static uint64_t core_metrics(struct model *model, const struct model_work *work)
{
	uint64_t slots = 0, left = METRICS_ALL, metrics = 0;

	for (unsigned i = 0; i < MODEL_METRICS; i++)
		model->metric_slots[i] += quantity(work, metric_terms[i]);
	for (unsigned i = 0; i < MODEL_METRICS / 2; i++)
		slots += model->metric_slots[i];
	if (!slots)
		return model->metrics;
	for (unsigned i = 0; i < MODEL_METRICS; i++) {
		uint64_t share = model->metric_slots[i] * METRICS_ALL / slots;

		if (i == MODEL_METRICS / 2 - 1)
			share = left;
		else if (i < MODEL_METRICS / 2)
			left -= share;
		metrics |= (share < METRICS_ALL ? share : METRICS_ALL) << (8 * i);
	}
	return metrics;
}

void model_retire(struct model *model, const struct model_work *work)
{
	energy_retire(model, work);
	pmi_advance(model, work->instructions);
	ibs_retire(model, work);
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if (counting_rings(model, slot) & work->ring)
			model_count(model, slot, work);
	if ((work->instructions || work->quantities) && (model->global_control & GLOBAL_METRICS) &&
	    (counting_rings(model, MODEL_SLOTS) & work->ring))
		model->metrics = model->core ? core_metrics(model, work) : METRICS;
	model->lbr.retired += work->instructions;
}

/* True if an overflow of the counter has an effect. */
static bool stops(const struct model *model, unsigned slot)
{
	return model->counters[slot].interrupts || (model->pebs.counters & counter_bit(slot));
}

uint64_t model_until_overflow(const struct model *model, unsigned rings, bool exact)
{
	uint64_t first = pmi_until_next(model), sample = ibs_until(model);

	if (sample < first)
		first = sample;
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++) {
		const struct model_counter *counter = &model->counters[slot];
		uint64_t n;

		if (!stops(model, slot) || !(counting_rings(model, slot) & rings))
			continue;
		if ((model->pebs.armed & counter_bit(slot)) && !awaits_stop(model, slot))
			return 1;
		n = until_wrap(model, counter, counter_mask(model, slot), exact);
		if (n < first)
			first = n;
	}
	return first;
}

bool model_pebs_is_next(const struct model *model, enum model_ring ring)
{
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if ((model->pebs.armed & counter_bit(slot)) && (counting_rings(model, slot) & ring))
			return !model->pebs.sought;
	return false;
}

bool model_counts_details(const struct model *model)
{
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		for (unsigned i = 0; i < CORE_TERMS; i++)
			if (model->counters[slot].sum.terms[i] >= CORE_FIRST_DETAIL)
				return true;
	return (model->global_control & GLOBAL_METRICS) || ibs_counts_details(model);
}

/* Returns enum core_needs of a quantity. Where lines in flight count apart, time matters. */
static unsigned needs_of(unsigned quantity)
{
	if (quantity >= CORE_SLOTS || quantity == CORE_LOADS_L1 || quantity == CORE_LOADS_LFB ||
	    quantity == CORE_LOADS_SLOW || (quantity >= CORE_CYCLES && quantity <= CORE_BUS_CYCLES))
		return CORE_NEEDS_ALL;
	if (CORE_IS_COMPONENT(quantity))
		return CORE_NEEDS_BRANCHES | CORE_NEEDS_MEMORY;
	if (quantity >= CORE_LOADS_L1)
		return CORE_NEEDS_MEMORY;
	return quantity >= CORE_MISPREDICTED && quantity <= CORE_RESTEERS ? CORE_NEEDS_BRANCHES : 0;
}

/* True if a period ends so soon that it is a sample's. */
static bool is_sampled(const struct model *model, unsigned slot)
{
	return stops(model, slot) &&
	       counter_mask(model, slot) - model->counters[slot].value < PERIOD_MAX;
}

unsigned model_needs(const struct model *model)
{
	unsigned needs = 0;

	if (model->energy.live || (model->global_control & GLOBAL_METRICS) || ibs_counts(model))
		return CORE_NEEDS_ALL;
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++) {
		const struct event_sum *sum = &model->counters[slot].sum;

		if (!counting_rings(model, slot))
			continue;
		if (sum->cycles != SUM_EVENTS || is_sampled(model, slot))
			return CORE_NEEDS_ALL;
		for (unsigned i = 0; i < CORE_TERMS; i++)
			needs |= needs_of(sum->terms[i]);
	}
	return needs;
}

unsigned model_watches(const struct model *model, struct core_watch *watches)
{
	unsigned nr = ibs_watches(model, watches);

	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++) {
		const struct model_counter *counter = &model->counters[slot];
		unsigned rings = counting_rings(model, slot);
		struct core_watch *watch = &watches[nr];
		bool armed = model->pebs.armed & counter_bit(slot);

		if (!stops(model, slot) || !rings || !is_watched(model, counter) ||
		    (armed && !awaits_stop(model, slot)))
			continue;
		*watch = (struct core_watch){
		    .left = armed ? 1 : counter_mask(model, slot) - counter->value + 1,
		    .number = (uint8_t)slot,
		    .rings = (rings & MODEL_KERNEL ? 1u << CORE_RING_KERNEL : 0) |
			     (rings & MODEL_USER ? 1u << CORE_RING_USER : 0),
		};
		for (unsigned i = 0; i < CORE_TERMS; i++)
			watch->terms[i] =
			    counter->sum.cycles == SUM_EVENTS ? counter->sum.terms[i] : CORE_NONE;
		if (counter->sum.cycles != SUM_EVENTS)
			watch->terms[0] = CORE_CYCLES;
		nr++;
	}
	return nr;
}

bool model_splits_rings(const struct model *model)
{
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++) {
		unsigned rings = counting_rings(model, slot);

		if (rings == MODEL_USER || rings == MODEL_KERNEL)
			return true;
	}
	return false;
}

bool model_counts(const struct model *model)
{
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if (counting_rings(model, slot))
			return true;
	return model->energy.live || pmi_until_next(model) != MODEL_NEVER || ibs_counts(model);
}

bool model_take_pmi(struct model *model)
{
	if (!model->pmi_pending)
		return false;
	model->pmi_pending = false;
	if (model->personality->freeze)
		model->personality->freeze(model);
	return true;
}

bool model_masks_lvtpc(const struct model *model)
{
	return model->personality->masks_lvtpc;
}

/* LOAD_LATENCY counts slow loads even if no record is made of them. */
bool model_samples_accesses(const struct model *model, uint32_t *slow_cycles)
{
	*slow_cycles = (uint32_t)model->pebs.load_limit;
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if (model->counters[slot].sum.terms[0] == CORE_LOADS_SLOW)
			return true;
	return model->pebs.counters || model_ibs_waits(model);
}
