/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMI: an NMI when a counter wraps. Its order is fixed: snapshot, stop, acknowledge, sample,
 * reload, re-arm, re-enable. No lock, allocation, print or fault. SDM volume 3, "Performance
 * Monitoring"; "Local Vector Table" (delivery masks LVTPC, but on AMD's). docs/essays.md, "The
 * PMI", explains the order.
 */
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/base/cpu.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"
#include "pmu/record/sideband.h"
#include "pmu/record/userpage.h"

/* Rounds after which counters that keep overflowing while the PMU is stopped are broken
 * hardware. */
#define ROUNDS_MAX 100

void hw_period_passed(struct perf_event *event, struct frame *frame, uint64_t address)
{
	struct hw_event *hw = &event->hw;
	bool ended;

	if (!event->hw.running)
		return;
	event->hw.period_left = hw_counter_update(event);
	ended = event->hw.period_left <= 0;
	if (ended && event_overflow(event, frame, address, hw->last_period, true)) {
		hw_counter_stop(event);
		return;
	}
	hw_counter_reload(event);
	userpage_reloaded(event);
}

void hw_period_lost(struct perf_event *event)
{
	if (!event->hw.running)
		return;
	if (event->hw.reloads)
		hw_counter_reloaded(event);
	event->hw.period_left = hw_counter_update(event);
	records_lost_samples(event, 1);
	if (!event->hw.reloads)
		hw_counter_reload(event);
	userpage_reloaded(event);
}

static void counter_wrapped(struct perf_event *event, struct frame *frame)
{
	if (event)
		hw_period_passed(event, frame, 0);
}

/* Handles every counter of the status; returns their number. */
static inline __attribute__((always_inline)) unsigned
sample_all(struct hw_cpu *cpu, uint64_t status, struct frame *frame)
{
	uint64_t counters = cpu->kind->general | cpu->kind->fixed;
	unsigned handled = 0;

	if (status & cpu->kind->records)
		handled = hw_caps.vendor->records->take(cpu, frame);
	for (status &= counters; status; status &= status - 1) {
		counter_wrapped(cpu->events[__builtin_ctzl(status)], frame);
		handled++;
	}
	return handled;
}

/* Permanently stops counters whose status stays set however often it is acknowledged. */
static void stop_all(struct hw_cpu *cpu, uint64_t status)
{
	for (; status; status &= status - 1) {
		struct perf_event *event = cpu->events[__builtin_ctzl(status)];

		if (event)
			hw_counter_stop(event);
	}
}

/*
 * Unmasks LVTPC after the reload and before the start. Earlier, processors since Haswell raise
 * spurious NMIs; later, a counter that wraps at once finds LVTPC masked.
 */
static void rearm(void)
{
	if (hw_caps.vendor->masks_lvtpc)
		apic_pmi_arm();
}

/* Nothing wrapped. */
static bool claim(struct hw_cpu *cpu)
{
	bool claimed = cpu->stopping || clock_ns() < cpu->late;

	if (claimed)
		rearm();
	return claimed;
}

/* `began`: start time (ns) if this PMI must also check that the program makes progress (stuck.c),
 * else 0. */
static inline __attribute__((always_inline)) bool handle_as(struct frame *frame, uint64_t began)
{
	const struct hw_control *control = hw_caps.control;
	struct hw_cpu *cpu = hw_this_cpu();
	uint64_t status = control->wrapped(cpu);
	unsigned handled = 0, rounds = ROUNDS_MAX;

	if (!status)
		return claim(cpu);
	control->stop(cpu);
	if (cpu->lbr.users)
		lbr_take(&cpu->lbr);
	do {
		control->acknowledge(status);
		handled += sample_all(cpu, status, frame);
		status = control->wrapped(cpu);
	} while (status && --rounds);
	if (status)
		stop_all(cpu, status & (cpu->kind->general | cpu->kind->fixed));
	if (cpu->lbr.users)
		lbr_release();
	if (handled >= hw_caps.vendor->late_counters)
		hw_expect_late(cpu);
	if (this_pmu_cpu()->ring0_since)
		overflow_pmi_ends(this_pmu_cpu());
	if (began)
		hw_stuck_look(cpu, frame, began);
	rearm();
	control->start(cpu);
	return true;
}

static __attribute__((noinline)) bool handle(struct frame *frame)
{
	return handle_as(frame, 0);
}

static __attribute__((noinline)) bool handle_looking(struct frame *frame)
{
	return handle_as(frame, clock_ns());
}

static __attribute__((noinline)) bool handle_timed(struct frame *frame, bool looks)
{
	uint64_t start = clock_ns();
	bool claimed = looks ? handle_looking(frame) : handle(frame);

	if (claimed)
		throttle_took(clock_ns() - start);
	return claimed;
}

bool hw_pmi(struct frame *frame)
{
	if (hw_stuck_looks())
		return perf_limits.sample_ns ? handle_timed(frame, true) : handle_looking(frame);
	return perf_limits.sample_ns ? handle_timed(frame, false) : handle(frame);
}
