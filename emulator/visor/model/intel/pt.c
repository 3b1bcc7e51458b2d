/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processor Trace's registers. MTC's shortest period is 512 of the crystal's clock, where a Skylake
 * has 8: the crystal here is as fast as the TSC, as a processor takes one tick of both for an
 * instruction.
 */
#include "emulator/visor/model/intel/pt.h"
#include "emulator/visor/model/intel/pt_registers.h"

#include "emulator/visor/model/base/cpuid_field.h"
#include "emulator/visor/model/base/model_state.h"

#define FIELD REG_BITS(0, 3)
#define MTC_PERIODS \
	(REG_BIT(9) | REG_BIT(12) | REG_BIT(15)) /* fields that may be written, a bit each */
#define CYC_LIMITS   REG_BITS(0, 12)
#define PSB_PERIODS  REG_BITS(0, 5)
#define LAST_SUBLEAF 1

static const struct cpuid_field cr3_filter = {EBX, 0, 0}; /* leaf 14H, subleaf 0 */
static const struct cpuid_field psb_cyc = {EBX, 1, 1};
static const struct cpuid_field ranges_stop = {EBX, 2, 2};
static const struct cpuid_field mtc = {EBX, 3, 3};
static const struct cpuid_field ptwrite = {EBX, 4, 4};
static const struct cpuid_field topa = {ECX, 0, 0};
static const struct cpuid_field topa_entries = {ECX, 1, 1};
static const struct cpuid_field single_range = {ECX, 2, 2};
static const struct cpuid_field nr_ranges = {EAX, 0, 2}; /* subleaf 1 */
static const struct cpuid_field mtc_periods = {EAX, 16, 31};
static const struct cpuid_field cyc_limits = {EBX, 0, 15};
static const struct cpuid_field psb_periods = {EBX, 16, 31};

static const struct pt_state *state_of(const struct model *model)
{
	return model->shared_pt ? model->shared_pt : &model->own_pt;
}

struct pt_state *model_pt(struct model *model)
{
	return model->shared_pt ? model->shared_pt : &model->own_pt;
}

void model_share_pt(struct model *model, struct pt_state *state)
{
	model->shared_pt = state;
	*state = (struct pt_state){.mode = PT_MODE_UNKNOWN};
}

bool model_has_ptwrite(const struct model *model)
{
	return model->personality->features & FEATURE_PTWRITE;
}

/* The crystal's clock must be known, and be the TSC's. */
static bool has_mtc(const struct model *model)
{
	return model->crystal_khz && model->crystal_khz == model->tsc_khz;
}

static void subleaf0(const struct model *model, uint32_t regs[4])
{
	regs[EAX] = LAST_SUBLEAF;
	cpuid_set(regs, cr3_filter, 1);
	cpuid_set(regs, psb_cyc, 1);
	cpuid_set(regs, ranges_stop, 1);
	cpuid_set(regs, mtc, has_mtc(model));
	cpuid_set(regs, ptwrite, model_has_ptwrite(model));
	cpuid_set(regs, topa, 1);
	cpuid_set(regs, topa_entries, 1);
	cpuid_set(regs, single_range, 1);
}

static void subleaf1(const struct model *model, uint32_t regs[4])
{
	cpuid_set(regs, nr_ranges, PT_RANGES);
	cpuid_set(regs, mtc_periods, has_mtc(model) ? MTC_PERIODS : 0);
	cpuid_set(regs, cyc_limits, CYC_LIMITS);
	cpuid_set(regs, psb_periods, PSB_PERIODS);
}

void pt_cpuid(const struct model *model, uint32_t subleaf, uint32_t regs[4])
{
	cpuid_keep(regs, 0, 0, 0, 0);
	if (!(model->personality->features & FEATURE_PT))
		return;
	if (subleaf == 0)
		subleaf0(model, regs);
	else if (subleaf == LAST_SUBLEAF)
		subleaf1(model, regs);
}

uint64_t pt_read(const struct model *model, enum reg reg, unsigned index)
{
	const struct pt_state *state = state_of(model);

	switch (reg) {
	case REG_RTIT_CTL:
		return state->ctl;
	case REG_RTIT_STATUS:
		return state->status;
	case REG_RTIT_BASE:
		return state->base;
	case REG_RTIT_MASK:
		return state->mask | PT_MASK_ONES;
	case REG_RTIT_CR3:
		return state->cr3_match;
	default:
		return state->range[index / 2][index % 2];
	}
}

void pt_write(struct model *model, enum reg reg, unsigned index, uint64_t value)
{
	struct pt_state *state = model_pt(model);

	state->generation++;
	switch (reg) {
	case REG_RTIT_CTL:
		state->ctl = value;
		break;
	case REG_RTIT_STATUS:
		state->status = (state->status & PT_STATUS_ENABLES) | value;
		break;
	case REG_RTIT_BASE:
		state->base = value;
		break;
	case REG_RTIT_MASK:
		state->mask = value | PT_MASK_ONES;
		break;
	case REG_RTIT_CR3:
		state->cr3_match = value;
		break;
	default:
		state->range[index / 2][index % 2] = value;
	}
}

static unsigned field(uint64_t ctl, unsigned shift)
{
	return ctl >> shift & FIELD;
}

/* Encodings that CPUID does not list. */
static bool is_listed(const struct model *model, uint64_t ctl)
{
	unsigned freq = field(ctl, PT_CTL_MTC_FREQ);

	if ((ctl & PT_CTL_MTC) && !has_mtc(model))
		return false;
	if (((ctl & PT_CTL_MTC) || freq) && !(MTC_PERIODS >> freq & 1))
		return false;
	for (unsigned i = 0; i < PT_RANGES; i++)
		if (field(ctl, PT_CTL_RANGE_CFG(i)) > PT_RANGE_LAST)
			return false;
	return (CYC_LIMITS >> field(ctl, PT_CTL_CYC_THRESH) & 1) &&
	       (PSB_PERIODS >> field(ctl, PT_CTL_PSB_FREQ) & 1);
}

/* While it traces only TraceEn may be cleared, together with whatever else. */
bool pt_accepts(const struct model *model, enum reg reg, uint64_t value)
{
	const struct pt_state *state = state_of(model);
	bool traces = state->ctl & PT_CTL_TRACE;

	if (reg < REG_RTIT_CTL || reg > REG_RTIT_RANGE)
		return true;
	if (reg != REG_RTIT_CTL)
		return !traces;
	return is_listed(model, value) &&
	       (!traces || !(value & PT_CTL_TRACE) || value == state->ctl);
}

void model_pt_interrupt(struct model *model)
{
	struct pt_state *state = model_pt(model);

	if (!state->interrupt)
		return;
	state->interrupt = PT_INTERRUPT_NONE;
	model->status |= STATUS_TOPA;
	model->pmi_pending = true;
}
