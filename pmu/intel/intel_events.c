/* SPDX-License-Identifier: BSD-2-Clause */
/* From perf_event_attr to an event select: codes, constraints, and unsupported attributes. */
#include <linux/errno.h>
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/base/limits.h"
#include "pmu/base/registers.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/intel_bts.h"
#include "pmu/intel/intel_ds.h"

#define RAW_MASK INTEL_RAW_MASK

/* Events of the fixed counters, by counter; some only on newer processors. */
static const struct {
	uint16_t code;
	uint8_t counter, since;
} fixed_events[] = {
    {0x00c0, 0, 2},           /* INST_RETIRED.ANY */
    {0x003c, 1, 2},           /* CPU_CLK_UNHALTED.THREAD */
    {INTEL_REF_CYCLES, 2, 2}, /* CPU_CLK_UNHALTED.REF_TSC */
    {INTEL_SLOTS, 3, 5},      /* TOPDOWN.SLOTS */
    {INTEL_PREC_DIST, 0, 5},  /* INST_RETIRED.PREC_DIST, and its older code */
    {0x01c0, 0, 5},
};

static uint64_t fixed_counters(const struct hw_event *hw)
{
	const struct intel_fixed_event *fixed;
	uint64_t code = hw->config & (RAW_MASK | EVTSEL_EQUAL | EVTSEL_UMASK2);

	for (unsigned i = 0; i < sizeof(fixed_events) / sizeof(fixed_events[0]); i++)
		if (code == fixed_events[i].code && hw_caps.version >= fixed_events[i].since)
			return BIT(ASSIGN_FIXED0 + fixed_events[i].counter) & hw->kind->fixed;
	for (fixed = intel_model(hw->kind)->fixed; fixed && fixed->code; fixed++)
		if (code == fixed->code)
			return BIT(ASSIGN_FIXED0 + fixed->counter) & hw->kind->fixed;
	return 0;
}

/* Events of fixed counters alone have event select 0. */
static bool is_fixed_only(const struct hw_event *hw)
{
	return !(hw->config & EVTSEL_EVENT) &&
	       ((hw->config & RAW_MASK) == INTEL_REF_CYCLES || fixed_counters(hw));
}

static uint64_t counting_counters(const struct hw_event *hw)
{
	return fixed_counters(hw) | (is_fixed_only(hw) ? 0 : hw_general_counters(hw));
}

/* precise_ip 3 needs the fixed counter, which has the least skid. */
static uint64_t precise_counters(const struct perf_event *event)
{
	const struct hw_event *hw = &event->hw;
	const struct intel_model *model = intel_model(hw->kind);
	uint64_t counters;

	if (model->precise_only)
		return hw_constrained(model->precise, hw->config, 0) & intel_kind(hw->kind)->pebs;
	if (event->attr.precise_ip == 3 && (hw->config & RAW_MASK) == 0xc0)
		return fixed_counters(hw) & intel_kind(hw->kind)->pebs;
	counters = hw_constrained(model->precise, hw->config, 0);
	if (!counters)
		counters = counting_counters(hw);
	if (event->attr.precise_ip == 3 && model->most_precise)
		counters &= model->most_precise;
	return counters & intel_kind(hw->kind)->pebs;
}

static int configure_cache(struct perf_event *event)
{
	hw_cache_rows *responses = intel_model(event->hw.kind)->responses;
	uint64_t config = event->attr.config;
	int err = hw_configure_cache(event);

	return err ? err
		   : intel_extra_configure(&event->hw, event->hw.config,
					   responses ? hw_cache_word(responses, config) : 0);
}

static int configure_raw(struct perf_event *event)
{
	event->hw.config |=
	    event->attr.config & (RAW_MASK | intel_kind(event->hw.kind)->more_fields);
	return intel_extra_configure(&event->hw, event->attr.config, event->attr.config1);
}

static int configure_code(struct perf_event *event)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return hw_configure_generic(event);
	case PERF_TYPE_HW_CACHE:
		return configure_cache(event);
	default:
		return configure_raw(event);
	}
}

/* True when the event samples every branch: the branch trace store does that, as on Linux. */
static bool wants_branch_trace(const struct perf_event *event, uint64_t period)
{
	return !event->attr.freq && period == 1 &&
	       (event->hw.config & CODE_MASK) ==
		   event->hw.kind->generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS];
}

/* Handles the any-thread bit: raw events of privileged users may count all threads of the core.
 * Ignored where the processor has dropped it. */
static int configure_any_thread(struct perf_event *event)
{
	if (!hw_is_raw(event) || !(event->attr.config & EVTSEL_ANY))
		return 0;
	if (hw_caps.version < 3)
		return -EINVAL;
	if (perf_limits.paranoid > 0 && !perf_privileged())
		return -EACCES;
	if (!cpuid_has(CPUID_PMU_ANYTHREAD_DEPRECATED))
		event->hw.config |= EVTSEL_ANY;
	return 0;
}

/* False when the event samples vector registers but is not precise: only precise records have
 * them. */
static bool extended_registers_fit(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->sample_regs_user & REGISTERS_EXTENDED)
		return false;
	return !(attr->sample_regs_intr & REGISTERS_EXTENDED) ||
	       (attr->precise_ip && intel_kind(event->hw.kind)->pebs);
}

#define MEM_LOADS     0x01cd /* MEM_TRANS_RETIRED.LOAD_LATENCY */
#define MEM_LOADS_AUX 0x8203

static bool is_raw(const struct perf_event *event, uint64_t code)
{
	return hw_is_raw(event) && (event->attr.config & CODE_MASK) == code;
}

/* True when a load event needs another event that its group lacks. */
static bool lacks_aux(const struct perf_event *event)
{
	const struct perf_event *leader = event->leader, *sibling;

	if (!intel_model(event->hw.kind)->loads_need_aux || !is_raw(event, MEM_LOADS) ||
	    !(event->attr.sample_type & PERF_SAMPLE_DATA_SRC))
		return false;
	if (leader == event)
		return true;
	if (is_raw(leader, MEM_LOADS_AUX))
		return false;
	event_for_each_sibling(sibling, leader)
		if (is_raw(sibling, MEM_LOADS_AUX))
			return false;
	return true;
}

/* Applies the model's restrictions of periods to an event with its final select. */
static void configure_period(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	const struct intel_period_limit *limit = intel_model(hw->kind)->limits;

	for (; limit && limit->shortest; limit++)
		if ((hw->config & limit->mask) == limit->code &&
		    event->attr.precise_ip >= limit->precise_ip) {
			hw->shortest = limit->shortest;
			hw->grain = -(int64_t)limit->grain;
			return;
		}
}

static int configure(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct hw_event *hw = &event->hw;
	int err;

	hw_configure_begin(event);
	err = intel_ds_configure(event);
	if (err)
		return err;
	if (!extended_registers_fit(event))
		return -EINVAL;
	err = configure_code(event);
	if (err)
		return err;
	if (wants_branch_trace(event, attr->sample_period))
		return intel_bts_configure(event);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		err = lbr_configure(event);
	if (err)
		return err;
	if (attr->aux_output)
		return -EINVAL;
	err = intel_topdown_configure(event);
	if (err || hw->allowed)
		return err;
	if (lacks_aux(event))
		return -ENODATA;
	err = configure_any_thread(event);
	intel_ds_choose(event);
	configure_period(event);
	hw->allowed = hw->is_precise ? precise_counters(event) : counting_counters(hw);
	return err;
}

/* Returns the events that a busy processor makes in half a second, as Linux estimates them
 * (intel_pmu_freq_start_period; also in Debian's 6.1). */
static uint64_t expected_events(const struct perf_event_attr *attr)
{
	static const uint32_t generic[PERF_COUNT_HW_MAX] = {
	    [PERF_COUNT_HW_CPU_CYCLES] = 500000000,
	    [PERF_COUNT_HW_INSTRUCTIONS] = 500000000,
	    [PERF_COUNT_HW_CACHE_REFERENCES] = 25000000,
	    [PERF_COUNT_HW_CACHE_MISSES] = 25000000,
	    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 125000000,
	    [PERF_COUNT_HW_BRANCH_MISSES] = 125000000,
	    [PERF_COUNT_HW_BUS_CYCLES] = 500000000,
	    [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 500000000,
	    [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 500000000,
	    [PERF_COUNT_HW_REF_CPU_CYCLES] = 500000000,
	};

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return generic[attr->config];
	case PERF_TYPE_HW_CACHE:
		return 25000000;
	default:
		return 256000;
	}
}

/* Begins frequency mode with a period that fits a busy processor. */
static void begin_frequency(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	uint64_t period = (expected_events(&event->attr) - 1) / event->attr.sample_freq;

	if (period < hw->shortest)
		period = hw->shortest;
	period &= (uint64_t)hw->grain;
	hw->period = hw->last_period = period ? period : 1;
	hw->period_left = (int64_t)hw->period;
}

int intel_configure(struct perf_event *event)
{
	int err = configure(event);

	if (!err && event->attr.freq && event->attr.sample_freq)
		begin_frequency(event);
	return err;
}

int intel_check_period(const struct perf_event *event, uint64_t period)
{
	return wants_branch_trace(event, period) ? -EINVAL : 0;
}
