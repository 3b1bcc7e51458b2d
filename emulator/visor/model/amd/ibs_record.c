/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that instruction-based sampling latches for the tagged instruction. Source: BKDG of
 * family 10h and PPRs of families 17h and 19h, MSRC001_1030 to 103C.
 */
#include "abi/core_page.h"
#include "emulator/visor/model/amd/ibs.h"
#include "emulator/visor/model/amd/ibs_bits.h"
#include "emulator/visor/model/amd/ibs_registers.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* IBS_OP_WORDS */
enum { OP_RIP, OP_DATA, OP_DATA2, OP_DATA3, OP_LINEAR, OP_PHYSICAL };

static const struct core_access no_access;

static bool is_extended(const struct model *model)
{
	return model->personality->features & FEATURE_IBS_EXTENDED;
}

/* Sums up a quantity over both rings. */
static uint64_t sum(const struct model_ibs_source *source, enum core_quantity quantity)
{
	return source->work ? source->work[CORE_RING_KERNEL][quantity] +
				  source->work[CORE_RING_USER][quantity]
			    : 0;
}

static uint64_t limited(uint64_t cycles)
{
	return cycles < UINT16_MAX ? cycles : UINT16_MAX;
}

static const struct core_access *access_of(const struct model_ibs_source *source)
{
	if (!source->sample)
		return &no_access;
	return source->sample->load.level ? &source->sample->load : &source->sample->store;
}

static const struct core_access *fetch_of(const struct model_ibs_source *source)
{
	return source->sample ? &source->sample->fetch : &no_access;
}

/* ---- of an op ---- */

static uint64_t branch_bits(const struct model_ibs_source *source)
{
	bool branch = source->branch || sum(source, CORE_BRANCHES),
	     taken = source->taken || sum(source, CORE_BRANCHES_TAKEN),
	     returns = source->returns || sum(source, CORE_RETURNS);

	return (branch ? DATA_BRANCH : 0) | (taken ? DATA_TAKEN : 0) | (returns ? DATA_RETURN : 0) |
	       (sum(source, CORE_MISPREDICTED) ? DATA_MISPREDICTED : 0);
}

/* It retires in order after it has completed: no later than the next one could. */
static uint64_t op_data(const struct model_ibs_source *source)
{
	uint64_t cycles = sum(source, CORE_CYCLES);

	if (cycles < access_of(source)->cycles)
		cycles = access_of(source)->cycles;
	return limited(cycles) << DATA_TAG_SHIFT | branch_bits(source);
}

/* Source of a load's data beyond L1 and L2. A plain hit in the last level is in no modified state;
 * family 10h has a separate encoding for that. */
static uint64_t op_data2(const struct model *model, const struct core_access *access)
{
	bool first = !is_extended(model), zen4 = model->personality->features & FEATURE_IBS_L3_MISS;
	uint64_t cache = zen4 ? 1 : 2;

	switch (access->level) {
	case CORE_LEVEL_L3:
		return (first ? 1 : cache) | DATA2_CACHE_HIT;
	case CORE_LEVEL_HITM:
		return cache;
	case CORE_LEVEL_MEMORY:
		return 3;
	default:
		return 0;
	}
}

static uint64_t width(unsigned bytes)
{
	uint64_t code = 0;

	for (; bytes; bytes /= 2)
		code++;
	return code << DATA3_WIDTH_SHIFT;
}

static uint64_t extended_data3(const struct model_ibs_source *source,
			       const struct core_access *access)
{
	uint64_t refill =
	    sum(source, CORE_DTLB_LOAD_WALK_CYCLES) + sum(source, CORE_DTLB_STORE_WALK_CYCLES);
	bool beyond = access->level != CORE_LEVEL_L1 && access->level != CORE_LEVEL_L2;

	return (beyond ? DATA3_L2_MISS : 0) | width(access->bytes) |
	       limited(refill) << DATA3_REFILL_SHIFT;
}

static uint64_t op_data3(const struct model *model, const struct model_ibs_source *source)
{
	const struct core_access *access = access_of(source);
	bool load, store, miss = access->level > CORE_LEVEL_L1, split;

	if (!access->level)
		return 0;
	load = source->sample->load.level;
	store = source->sample->store.level;
	split = sum(source, CORE_SPLIT_LOADS) || sum(source, CORE_SPLIT_STORES);
	return (load ? DATA3_LOAD : 0) | (store ? DATA3_STORE : 0) | (miss ? DATA3_MISS : 0) |
	       (access->flags & CORE_ACCESS_TLB_MISS ? DATA3_TLB_MISS : 0) |
	       (access->flags & CORE_ACCESS_WALK ? DATA3_WALK : 0) |
	       (access->flags & CORE_ACCESS_LOCKED ? DATA3_LOCKED : 0) |
	       (access->level == CORE_LEVEL_FILL ? DATA3_FILL : 0) |
	       (split ? DATA3_MISALIGNED : 0) | DATA3_LINEAR | DATA3_PHYSICAL |
	       (load && miss ? limited(access->cycles) << DATA3_LATENCY_SHIFT : 0) |
	       (is_extended(model) ? extended_data3(source, access) : 0);
}

static void latch_op(struct model *model, const struct model_ibs_source *source)
{
	const struct core_access *access = access_of(source);
	struct ibs *ibs = &model->ibs;
	bool load = source->sample && source->sample->load.level;

	ibs->op[OP_RIP] = source->ip;
	ibs->op[OP_DATA] = op_data(source);
	ibs->op[OP_DATA2] = load ? op_data2(model, access) : 0;
	ibs->op[OP_DATA3] = op_data3(model, source);
	ibs->op[OP_LINEAR] = access->address;
	ibs->op[OP_PHYSICAL] = access->physical;
	ibs->target = ibs->op[OP_DATA] & DATA_TAKEN ? source->next : 0;
	ibs->samplers[IBS_OP].control |= OP_VALID;
}

/* ---- of a fetch ---- */

static uint64_t fetch_bits(const struct model *model, const struct core_access *fetch)
{
	bool miss = fetch->level > CORE_LEVEL_L1, beyond = fetch->level > CORE_LEVEL_L2,
	     memory = fetch->level == CORE_LEVEL_MEMORY;
	uint64_t bits = FETCH_VALID | FETCH_COMPLETE;

	if (!fetch->level)
		return bits;
	return bits | FETCH_PHYSICAL | FETCH_LATENCY(limited(fetch->cycles)) |
	       (miss ? FETCH_MISS : 0) |
	       (fetch->flags & CORE_ACCESS_TLB_MISS ? FETCH_TLB_MISS : 0) |
	       (fetch->flags & CORE_ACCESS_WALK ? FETCH_WALK : 0) |
	       (beyond && is_extended(model) ? FETCH_L2_MISS : 0) |
	       (memory && model->personality->features & FEATURE_IBS_L3_MISS ? FETCH_L3_MISS : 0);
}

static void latch_fetch(struct model *model, const struct model_ibs_source *source)
{
	const struct core_access *fetch = fetch_of(source);
	struct ibs *ibs = &model->ibs;
	uint64_t *control = &ibs->samplers[IBS_FETCH].control;

	*control = (*control & ~FETCH_LATCHED) | fetch_bits(model, fetch);
	ibs->fetch[0] = source->ip;
	ibs->fetch[1] = fetch->physical;
	ibs->fetch_extended = limited(sum(source, CORE_ITLB_WALK_CYCLES));
}

/* ---- */

/* True if the load has missed L1 and took longer than the threshold in IBS_OP_CTL. */
static bool is_slow(uint64_t control, const struct model_ibs_source *source)
{
	uint64_t threshold = ((control >> OP_LATENCY_SHIFT & 15) + 1) * OP_LATENCY_UNIT;

	return source->sample && source->sample->load.level > CORE_LEVEL_L1 &&
	       source->sample->load.cycles > threshold;
}

static bool is_wanted(const struct model *model, enum ibs_kind kind,
		      const struct model_ibs_source *source)
{
	uint64_t control = model->ibs.samplers[kind].control;

	if (kind == IBS_FETCH)
		return !(control & FETCH_L3_ONLY) || fetch_of(source)->level == CORE_LEVEL_MEMORY;
	if ((control & OP_SLOW_ONLY) && !is_slow(control, source))
		return false;
	return !(control & OP_L3_ONLY) ||
	       (source->sample && source->sample->load.level == CORE_LEVEL_MEMORY);
}

void model_ibs_record(struct model *model, const struct model_ibs_source *source)
{
	for (enum ibs_kind kind = 0; kind < IBS_KINDS; kind++) {
		struct ibs_sampler *sampler = &model->ibs.samplers[kind];

		if (!sampler->ready)
			continue;
		sampler->armed = sampler->ready = false;
		if (!is_wanted(model, kind, source)) {
			sampler->count = ibs_first_count(model, kind);
			continue;
		}
		if (kind == IBS_OP)
			latch_op(model, source);
		else
			latch_fetch(model, source);
		model->ibs.interrupt = true;
	}
}
