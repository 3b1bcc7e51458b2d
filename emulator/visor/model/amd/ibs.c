/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction-based sampling: counting up to a tag, and the control registers. Source: AMD APM vol.
 * 2, "Instruction-Based Sampling"; BKDG of family 10h, MSRC001_1030 to 103A; PPRs of families 17h
 * and 19h.
 */
#include "emulator/visor/model/amd/ibs.h"
#include "emulator/visor/model/amd/ibs_registers.h"

#include "abi/core_page.h"
#include "emulator/visor/model/amd/ibs_bits.h"
#include "emulator/visor/model/base/event_rows.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"

#define CAPS_FIRST    0x01fu /* valid, fetches, ops, count can be written, ops can be counted */
#define CAPS_EXTENDED 0x2e0u /* branch target, longer counts, invalid RIPs said, fetch control */
#define CAPS_L3_MISS  0x800u
#define CAPS_LATENCY  0x1000u

/* IBSCTL: the entry of the extended LVT for its interrupts, and whether that is valid. */
#define LVT_VALID REG_BIT(8)

#define UOPS_RATE  18432 /* for EVENT_SCALE instructions, as RETIRED_UOPS */
#define FETCH_RATE 4096  /* as INSTRUCTION_CACHE_FETCHES */

/* A core may not find another instruction that fetches a line: then any instruction is taken. */
#define FETCH_STEPS 16

/* A core stops the guest between blocks, so only their first instructions would be tagged: it stops
 * MARGIN events early, and the rest is run one by one. */
#define MARGIN 16

#define FIRST_RANDOM 0x2545f491u

/* The differences between the two kinds. */
static const struct kind {
	uint64_t enable, valid;
	uint64_t count; /* the bits of the control register that show the count */
	uint8_t shift;  /* of them against the count */
	uint8_t random; /* low bits of the count that begin at random, if that is on */
} kinds[IBS_KINDS] = {
    [IBS_OP] = {OP_ENABLE, OP_VALID, OP_COUNT, 32, 7},
    [IBS_FETCH] = {FETCH_ENABLE, FETCH_VALID, FETCH_COUNT, 12, 4},
};

uint32_t ibs_capabilities(const struct personality *personality)
{
	uint32_t features = personality->features;

	return (features & FEATURE_IBS ? CAPS_FIRST : 0) |
	       (features & FEATURE_IBS_EXTENDED ? CAPS_EXTENDED : 0) |
	       (features & FEATURE_IBS_L3_MISS ? CAPS_L3_MISS : 0) |
	       (features & FEATURE_IBS_LATENCY ? CAPS_LATENCY : 0);
}

/* Enabled, and no sample is waiting to be read. */
static bool is_on(const struct model *model, enum ibs_kind kind)
{
	uint64_t control = model->ibs.samplers[kind].control;

	return (control & kinds[kind].enable) && !(control & kinds[kind].valid);
}

static bool counts_ops(const struct model *model)
{
	return model->ibs.samplers[IBS_OP].control & OP_COUNTS_OPS;
}

/* Returns the events until a tag; if 0 was written the count must wrap. */
static uint64_t period(const struct model *model, enum ibs_kind kind)
{
	uint64_t control = model->ibs.samplers[kind].control;
	uint64_t most = (control & MAX_COUNT) << 4;

	if (kind == IBS_OP)
		most |= control & OP_MAX_COUNT_HIGH;
	return most ? most : MAX_COUNT << 4;
}

static uint64_t events_left(const struct model *model, enum ibs_kind kind)
{
	uint64_t most = period(model, kind), count = model->ibs.samplers[kind].count;

	return count < most ? most - count : 1;
}

/* Fetches are counted by lines, at which blocks often start. */
static uint64_t margin(enum ibs_kind kind)
{
	return kind == IBS_OP ? MARGIN : 0;
}

static bool is_near(const struct model *model, enum ibs_kind kind)
{
	return events_left(model, kind) <= margin(kind);
}

/* xorshift32: reproducible. */
static uint64_t random_bits(struct model *model, unsigned bits)
{
	uint32_t *x = &model->ibs.random;

	if (!*x)
		*x = FIRST_RANDOM;
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x >> (32 - bits);
}

static bool is_random(const struct model *model, enum ibs_kind kind)
{
	return kind == IBS_OP ? counts_ops(model)
			      : model->ibs.samplers[kind].control & FETCH_RANDOM;
}

/* Returns the initial count after a tag. */
uint64_t ibs_first_count(struct model *model, enum ibs_kind kind)
{
	return is_random(model, kind) ? random_bits(model, kinds[kind].random) : 0;
}

/* ---- the registers ---- */

static uint64_t read_control(const struct model *model, enum ibs_kind kind)
{
	const struct ibs_sampler *sampler = &model->ibs.samplers[kind];

	return sampler->control | (sampler->count << kinds[kind].shift & kinds[kind].count);
}

uint64_t ibs_read(const struct model *model, enum reg reg, unsigned index)
{
	switch (reg) {
	case REG_IBS_FETCH_CTL:
		return read_control(model, IBS_FETCH);
	case REG_IBS_OP_CTL:
		return read_control(model, IBS_OP);
	case REG_IBS_FETCH:
		return model->ibs.fetch[index];
	case REG_IBS_OP:
		return model->ibs.op[index];
	case REG_IBS_TARGET:
		return model->ibs.target;
	case REG_IBS_FETCH_EXTENDED:
		return model->ibs.fetch_extended;
	default: /* REG_IBS_LVT */
		return LVT_VALID | model->personality->ibs_lvt;
	}
}

/* Zen's fetch counter accepts a written count only when it is enabled (Linux: "fail to reset the
 * fetch count"). */
static bool keeps_count(const struct model *model, enum ibs_kind kind, uint64_t before)
{
	return kind == IBS_FETCH && (model->personality->features & FEATURE_IBS_STICKY) &&
	       (before & FETCH_ENABLE);
}

static void write_control(struct model *model, enum ibs_kind kind, uint64_t value)
{
	struct ibs_sampler *sampler = &model->ibs.samplers[kind];
	uint64_t before = sampler->control;

	sampler->control = value & ~kinds[kind].count;
	sampler->armed = sampler->ready = false;
	sampler->fraction = 0;
	if (keeps_count(model, kind, before))
		return;
	sampler->count = (value & kinds[kind].count) >> kinds[kind].shift;
	if (kind == IBS_FETCH && (value & FETCH_ENABLE))
		sampler->count |= ibs_first_count(model, kind);
}

void ibs_write(struct model *model, enum reg reg, unsigned index, uint64_t value)
{
	switch (reg) {
	case REG_IBS_FETCH_CTL:
		write_control(model, IBS_FETCH, value);
		break;
	case REG_IBS_OP_CTL:
		write_control(model, IBS_OP, value);
		break;
	case REG_IBS_FETCH:
		model->ibs.fetch[index] = value;
		break;
	case REG_IBS_OP:
		model->ibs.op[index] = value;
		break;
	case REG_IBS_TARGET:
		model->ibs.target = value;
		break;
	case REG_IBS_FETCH_EXTENDED:
		model->ibs.fetch_extended = value;
		break;
	default: /* REG_IBS_LVT is read-only: register_writable() keeps it from here */
		break;
	}
}

/* ---- counting ---- */

static enum core_quantity quantity_of(const struct model *model, enum ibs_kind kind)
{
	if (kind == IBS_FETCH)
		return CORE_L1I_FETCHES;
	return counts_ops(model) ? CORE_UOPS_ISSUED : CORE_CYCLES;
}

static uint64_t rate_of(const struct model *model, enum ibs_kind kind)
{
	if (kind == IBS_FETCH)
		return FETCH_RATE;
	return counts_ops(model) ? UOPS_RATE : CYCLES_RATE;
}

/* An emulated instruction has no quantities: it is one micro-operation. */
static uint64_t events_in(struct model *model, enum ibs_kind kind, const struct model_work *work)
{
	struct ibs_sampler *sampler = &model->ibs.samplers[kind];

	if (work->quantities)
		return work->quantities[quantity_of(model, kind)];
	if (model->core)
		return kind == IBS_OP && counts_ops(model) ? work->instructions : 0;
	sampler->fraction += work->instructions * rate_of(model, kind);
	return sampler->fraction >> EVENT_SCALE_SHIFT;
}

static void ibs_count(struct model *model, enum ibs_kind kind, const struct model_work *work)
{
	struct ibs_sampler *sampler = &model->ibs.samplers[kind];
	uint64_t left = events_left(model, kind), events = events_in(model, kind, work);

	sampler->fraction &= EVENT_SCALE - 1;
	if (events < left) {
		sampler->count += events;
		return;
	}
	/* The count of ops restarts at once; the count of fetches keeps showing its progress. */
	sampler->count = kind == IBS_OP ? ibs_first_count(model, kind) : period(model, kind);
	sampler->armed = true;
	sampler->sought = 0;
}

/* The work is that of one instruction. */
static void seek(struct model *model, enum ibs_kind kind, const struct model_work *work)
{
	struct ibs_sampler *sampler = &model->ibs.samplers[kind];
	bool fetches = kind == IBS_OP || !work->quantities || work->quantities[CORE_L1I_FETCHES] ||
		       sampler->sought >= FETCH_STEPS;

	sampler->ready = work->instructions && fetches;
	sampler->sought += (uint32_t)work->instructions;
}

void ibs_retire(struct model *model, const struct model_work *work)
{
	for (enum ibs_kind kind = 0; kind < IBS_KINDS; kind++) {
		if (!is_on(model, kind) || model->ibs.samplers[kind].ready)
			continue;
		if (model->ibs.samplers[kind].armed)
			seek(model, kind, work);
		else
			ibs_count(model, kind, work);
	}
}

uint64_t ibs_until(const struct model *model)
{
	uint64_t first = MODEL_NEVER, n;

	for (enum ibs_kind kind = 0; kind < IBS_KINDS; kind++) {
		const struct ibs_sampler *sampler = &model->ibs.samplers[kind];

		if (!is_on(model, kind))
			continue;
		if (sampler->armed || (model->core && is_near(model, kind)))
			return 1;
		if (model->core)
			continue;
		n = (events_left(model, kind) << EVENT_SCALE_SHIFT) - sampler->fraction;
		n = (n + rate_of(model, kind) - 1) / rate_of(model, kind);
		if (n < first)
			first = n;
	}
	return first;
}

bool ibs_counts(const struct model *model)
{
	return is_on(model, IBS_OP) || is_on(model, IBS_FETCH);
}

bool ibs_counts_details(const struct model *model)
{
	return is_on(model, IBS_OP) && counts_ops(model);
}

unsigned ibs_watches(const struct model *model, struct core_watch *watches)
{
	unsigned nr = 0;

	for (enum ibs_kind kind = 0; kind < IBS_KINDS; kind++)
		if (is_on(model, kind) && !model->ibs.samplers[kind].armed && !is_near(model, kind))
			watches[nr++] = (struct core_watch){
			    .left = events_left(model, kind) - margin(kind),
			    .terms = {(uint8_t)quantity_of(model, kind)},
			    .rings = 1u << CORE_RING_KERNEL | 1u << CORE_RING_USER,
			    .number = (uint8_t)(MODEL_MAX_COUNTER + kind),
			};
	return nr;
}

bool model_ibs_waits(const struct model *model)
{
	for (enum ibs_kind kind = 0; kind < IBS_KINDS; kind++)
		if (is_on(model, kind) && model->ibs.samplers[kind].armed)
			return true;
	return false;
}

bool model_ibs_ready(const struct model *model)
{
	return model->ibs.samplers[IBS_OP].ready || model->ibs.samplers[IBS_FETCH].ready;
}

void model_ibs_put_off(struct model *model)
{
	for (enum ibs_kind kind = 0; kind < IBS_KINDS; kind++)
		model->ibs.samplers[kind].ready = false;
}

bool model_has_ibs(const struct model *model)
{
	return model->personality->features & FEATURE_IBS;
}

bool model_take_ibs(struct model *model, unsigned *lvt)
{
	bool interrupt = model->ibs.interrupt;

	*lvt = model->personality->ibs_lvt;
	model->ibs.interrupt = false;
	return interrupt;
}
