/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Top-down events: PERF_METRICS divides the pipeline slots that fixed counter 3 counts. Both start
 * from 0 and are reset to 0 at every read, so that the shares, of 8 bits each, apply to the slots
 * since then. SDM volume 3, "Performance Metrics".
 */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "pmu/core/core.h"
#include "pmu/hw/shadow.h"
#include "pmu/intel/intel.h"
#include "pmu/record/userpage.h"

#define FILTERS       (EVTSEL_EDGE | EVTSEL_PIN_CONTROL | EVTSEL_ANY | EVTSEL_INVERT | EVTSEL_CMASK)
#define METRIC_FIRST  0x8000 /* codes, a unit mask apart; Linux's */
#define METRIC_STEP   0x100
#define SLOTS_COUNTER 3 /* fixed */
#define SLOTS_INDEX   (ASSIGN_FIXED0 + SLOTS_COUNTER)
#define SLOTS_RDPMC   (1u << 30 | SLOTS_COUNTER)
#define METRICS_RDPMC (1u << 29)
#define METRIC0       48  /* their places among the counters, from GLOBAL_CTRL's bit of them on */
#define WHOLE         255 /* sum of all shares */

static const struct hw_derived topdown; /* at the end of this file */

/* Returns the metric of the event, or -1. */
static int metric_of(const struct perf_event *event)
{
	uint64_t code = event->attr.config & CODE_MASK;

	if (code < METRIC_FIRST || (code - METRIC_FIRST) % METRIC_STEP ||
	    (code - METRIC_FIRST) / METRIC_STEP >= intel_kind(event->hw.kind)->metrics)
		return -1;
	return (int)((code - METRIC_FIRST) / METRIC_STEP);
}

static bool is_slots(const struct perf_event *event)
{
	return hw_is_raw(event) && (event->attr.config & CODE_MASK) == INTEL_SLOTS;
}

/* Checks a metric, which needs slots as the leader of its group, counting from 0. */
static int configure_metric(struct perf_event *event, int metric)
{
	const struct perf_event *leader = event->leader;

	if (event_is_sampling(event) || !is_slots(leader) || event_is_sampling(leader))
		return -EINVAL;
	event->hw.derived = &topdown;
	event->hw.allowed = BIT(METRIC0 + metric);
	return 0;
}

int intel_topdown_configure(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int metric = metric_of(event);

	if (!intel_kind(event->hw.kind)->metrics || !hw_is_raw(event) ||
	    (metric < 0 && !is_slots(event)))
		return 0;
	if (attr->config1 || attr->config2 || (attr->config & FILTERS))
		return -EINVAL;
	if (metric >= 0)
		return configure_metric(event, metric);
	event->hw.derived = event_is_sampling(event) ? NULL : &topdown;
	return 0;
}

static void start_from_zero(void)
{
	wrmsr(MSR_FIXED_CTR0 + SLOTS_COUNTER, 0);
	wrmsr(MSR_PERF_METRICS, 0);
}

/* Returns the event's share of `slots`. */
static uint64_t share(const struct perf_event *event, uint64_t slots, uint64_t metrics)
{
	unsigned metric = (unsigned)(event->hw.index - METRIC0);

	if (event->hw.index == SLOTS_INDEX)
		return slots;
	return slots * (metrics >> 8 * metric & 0xff) / WHOLE;
}

/* Adds to the event's count. Readers of its page add the register's value to it: task code that
 * is writing the page finds hw.prev changed. */
static void add_share(struct perf_event *event, uint64_t slots, uint64_t metrics)
{
	if (!event || !event->hw.derived_on)
		return;
	__atomic_add_fetch(&event->count, (int64_t)share(event, slots, metrics), __ATOMIC_RELAXED);
	__atomic_store_n(&event->hw.prev, event->hw.prev + 1, __ATOMIC_RELAXED);
	userpage_update(event);
}

/* Distributes the slots since the last call among the events. All counters are stopped. */
static void share_out(struct hw_cpu *cpu)
{
	uint64_t slots = rdpmc(SLOTS_RDPMC), metrics = rdpmc(METRICS_RDPMC);

	if (!slots)
		return;
	start_from_zero();
	add_share(cpu->events[SLOTS_INDEX], slots, metrics);
	for (int i = 0; i < intel_kind(cpu->kind)->metrics; i++)
		add_share(cpu->events[METRIC0 + i], slots, metrics);
}

/* Shares out the counts. A PMI that interrupts task code in the middle of this leaves them
 * unchanged. */
static void share_out_now(void)
{
	struct intel_cpu *cpu = intel_this_cpu();

	if (this_cpu()->nmi_depth) {
		if (!cpu->sharing_out)
			share_out(hw_this_cpu());
		return;
	}
	hw_pmus[HW_FIRST].pause();
	__atomic_store_n(&cpu->sharing_out, true, __ATOMIC_RELAXED);
	share_out(hw_this_cpu());
	__atomic_store_n(&cpu->sharing_out, false, __ATOMIC_RELAXED);
	hw_pmus[HW_FIRST].resume();
}

static void topdown_read(struct perf_event *event)
{
	if (event->hw.derived_on)
		share_out_now();
}

static void write_slots_control(uint64_t field)
{
	shadow_write(&hw_this_cpu()->fixed_control, MSR_FIXED_CTR_CTRL,
		     15ul << FIXED_CTRL_SHIFT(SLOTS_COUNTER),
		     field << FIXED_CTRL_SHIFT(SLOTS_COUNTER));
}

static void topdown_start(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;

	__atomic_store_n(&hw->prev, 0, __ATOMIC_RELAXED);
	if (hw->index != SLOTS_INDEX) {
		hw->rdpmc = METRICS_RDPMC;
		share_out_now();
		hw->derived_on = true;
		return;
	}
	start_from_zero();
	hw->derived_on = true;
	write_slots_control((hw->config & EVTSEL_USR ? FIXED_CTRL_USR : 0) |
			    (hw->config & EVTSEL_OS ? FIXED_CTRL_OS : 0));
}

static void topdown_stop(struct perf_event *event)
{
	if (!event->hw.derived_on)
		return;
	if (event->hw.index == SLOTS_INDEX)
		write_slots_control(0);
	topdown_read(event);
	event->hw.derived_on = false;
}

static const struct hw_derived topdown = {
    .start = topdown_start, .stop = topdown_stop, .read = topdown_read};
