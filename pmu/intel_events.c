/* SPDX-License-Identifier: BSD-2-Clause */
/* From perf_event_attr to an event select: codes, constraints, and what this PMU cannot do. */
#include <linux/errno.h>
#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "pmu/core.h"
#include "pmu/intel.h"
#include "pmu/registers.h"

#define CODE_MASK (EVTSEL_EVENT | EVTSEL_UMASK)
/* What a raw config may choose; its other bits are the kernel's to set, and ignored as Linux
 * ignores them. */
#define RAW_MASK (CODE_MASK | EVTSEL_EDGE | EVTSEL_INVERT | EVTSEL_CMASK)

#define OFFCORE_RESPONSES 0x3fffff8fff /* bits of OFFCORE_RSP_x on Skylake */

/* Events that a fixed counter counts, by its number. */
static const uint64_t fixed_codes[] = {0x00c0, 0x003c, INTEL_REF_CYCLES};

static uint64_t fixed_counters(uint64_t config)
{
	uint64_t code = config & RAW_MASK;

	for (unsigned i = 0; i < sizeof(fixed_codes) / sizeof(fixed_codes[0]); i++)
		if (code == fixed_codes[i])
			return BIT(ASSIGN_FIXED0 + i) & hw_caps.fixed;
	return 0;
}

static uint64_t general_counters(uint64_t config)
{
	return (config & RAW_MASK) == INTEL_REF_CYCLES ? 0 : hw_general_counters(config);
}

/*
 * Events whose register takes its value from config1, and the bits it may have on Skylake: off-core
 * responses, and those of PEBS (load latency, front end), which is not there.
 */
static const struct extra_event {
	uint64_t code, valid;
	bool pebs;
} extra_events[] = {
    {0x01b7, OFFCORE_RESPONSES, false},
    {0x01bb, OFFCORE_RESPONSES, false},
    {0x01cd, 0xffff, true},
    {0x01c6, 0x7fff17, true},
};

static const struct extra_event *find_extra(uint64_t code)
{
	for (unsigned i = 0; i < sizeof(extra_events) / sizeof(extra_events[0]); i++)
		if ((code & CODE_MASK) == extra_events[i].code)
			return &extra_events[i];
	return NULL;
}

static int configure_extra(struct perf_event *event, uint64_t code, uint64_t value)
{
	const struct extra_event *extra = hw_caps.model->cache_extra ? find_extra(code) : NULL;
	struct hw_event *hw = &event->hw;

	if (!extra)
		return 0;
	if (value & ~extra->valid)
		return -EINVAL;
	if (extra->pebs || !intel_caps.offcore)
		return -ENXIO;
	hw->extra_needed = true;
	hw->extra = value;
	return 0;
}

static int configure_cache(struct perf_event *event)
{
	uint64_t extra;
	int err = hw_configure_cache(event, &extra);

	return err ? err : configure_extra(event, event->hw.config, extra);
}

static int configure_raw(struct perf_event *event)
{
	event->hw.config |= event->attr.config & RAW_MASK;
	return configure_extra(event, event->attr.config, event->attr.config1);
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

/* Every branch: Linux takes that for branch trace store, which is not here. */
static bool wants_branch_trace(const struct perf_event *event, uint64_t period)
{
	return !event->attr.freq && period == 1 &&
	       (event->hw.config & CODE_MASK) == hw_caps.generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS];
}

/* Counting for the other threads of the core: raw events of privileged users. */
static int configure_any_thread(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_RAW || !(event->attr.config & EVTSEL_ANY))
		return 0;
	if (intel_caps.version < 3 || cpuid_has(CPUID_PMU_ANYTHREAD_DEPRECATED))
		return -EINVAL;
	if (perf_limits.paranoid > 0 && !perf_privileged())
		return -EACCES;
	event->hw.config |= EVTSEL_ANY;
	return 0;
}

int intel_configure(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct hw_event *hw = &event->hw;
	int err;

	if (attr->precise_ip)
		return -EOPNOTSUPP;
	if ((attr->sample_regs_user | attr->sample_regs_intr) & REGISTERS_EXTENDED)
		return -EINVAL;
	hw_configure_begin(event);
	err = configure_code(event);
	if (err)
		return err;
	if (wants_branch_trace(event, attr->sample_period))
		return -EOPNOTSUPP;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		err = lbr_configure(event);
	if (err)
		return err;
	if (attr->aux_output)
		return -EINVAL;
	err = configure_any_thread(event);
	hw->allowed = fixed_counters(hw->config) | general_counters(hw->config);
	return err;
}

int intel_check_period(const struct perf_event *event, uint64_t period)
{
	return wants_branch_trace(event, period) ? -EINVAL : 0;
}
