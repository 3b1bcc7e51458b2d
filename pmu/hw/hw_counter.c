/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One counter: periods, wrap-around, start and stop. SDM volume 3, "Performance Monitoring".  A
 * counter counts from -left up to 0, where it interrupts; a period beyond its width takes several
 * rounds. The software count has 64 bits.
 */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"
#include "pmu/hw/shadow.h"
#include "pmu/record/userpage.h"

#define RDPMC_FIXED  (1u << 30)
#define SECOND_VALUE FIELD(15, 0) /* a pair has 64 bits */
#define NMI_WAIT     1000         /* looks at a counter: some 50 microseconds */

static bool is_fixed(int counter)
{
	return counter >= ASSIGN_FIXED0;
}

uint8_t hw_counter_bits(int counter)
{
	return is_fixed(counter) ? hw_caps.fixed_bits : hw_caps.general_bits;
}

uint32_t hw_counter_msr(int counter)
{
	const struct hw_registers *registers = hw_caps.registers;

	return is_fixed(counter) ? MSR_FIXED_CTR0 + (uint32_t)(counter - ASSIGN_FIXED0)
				 : registers->counter + (uint32_t)counter * registers->step;
}

/* Returns the number of counter bits that a write sets. */
static uint8_t written_bits(int counter)
{
	uint8_t bits = hw_counter_bits(counter), limit = hw_caps.registers->write_bits;

	return is_fixed(counter) || bits < limit ? bits : limit;
}

/* The longest round is half the counter's range, so that a late reading does not look like a second
 * wrap. */
void hw_counter_place(struct perf_event *event, int counter)
{
	const struct hw_registers *registers = hw_caps.registers;
	struct hw_event *hw = &event->hw;
	uint32_t fixed = (uint32_t)(counter - ASSIGN_FIXED0);

	hw->index = counter;
	if (counter == hw->placed)
		return;
	hw->placed = counter;
	hw->unused_bits = (uint8_t)(64 - hw_counter_bits(counter));
	hw->longest = (int64_t)((1ul << (written_bits(counter) - 1)) - 1);
	hw->rdpmc = is_fixed(counter) ? RDPMC_FIXED | fixed : (uint32_t)counter;
	hw->msr = hw_counter_msr(counter);
	hw->select_msr = registers->select + (uint32_t)counter * registers->step;
}

int64_t hw_counter_update(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	unsigned shift = hw->unused_bits;
	uint64_t load;
	int64_t now, base;

	/* A PMI in between reloads the counter: then the value read belongs to another base. */
	do {
		load = __atomic_load_n(&hw->prev, __ATOMIC_RELAXED);
		base = __atomic_load_n(&hw->base, __ATOMIC_RELAXED);
		now = (int64_t)(rdpmc(hw->rdpmc) << shift) >> shift;
	} while (__atomic_load_n(&hw->prev, __ATOMIC_RELAXED) != load);
	__atomic_store_n(&event->count, base + now, __ATOMIC_RELAXED);
	return hw->due - now;
}

/* Begins a period. Returns the events until the counter wraps. An overdue record wraps at once. A
 * delay of a whole period is dropped. */
static int64_t begin_period(struct hw_event *hw)
{
	int64_t period = (int64_t)hw->period;

	if (hw->record_due) {
		hw->record_due = false;
		return 1;
	}
	hw->period_left = hw->period_left <= -period ? period : hw->period_left + period;
	hw->last_period = hw->period;
	return hw->period_left;
}

void hw_counter_reload(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	int64_t left = hw->period_left, longest = hw->longest;

	if (left <= 0)
		left = begin_period(hw);
	if (left < hw->shortest)
		left = hw->shortest;
	left &= hw->grain;
	if (left > longest)
		left = longest;
	hw->due = hw->period_left - left;
	__atomic_store_n(&hw->base, event->count + left, __ATOMIC_RELAXED);
	__atomic_store_n(&hw->prev, hw->prev + 1, __ATOMIC_RELAXED);
	if (hw->pair) /* the bits above the counter's own: all ones until it wraps */
		wrmsr(hw_counter_msr(hw->index + 1), SECOND_VALUE);
	wrmsr(hw->msr, (uint64_t)-left & (2 * (uint64_t)longest + 1));
}

bool hw_counter_can_reload(const struct perf_event *event)
{
	const struct hw_event *hw = &event->hw;
	int64_t period = (int64_t)hw->period;

	return hw->may_reload && period >= hw->shortest && period == (period & hw->grain) &&
	       period <= hw->longest;
}

uint64_t hw_counter_reload_value(const struct perf_event *event)
{
	return -event->hw.period << event->hw.unused_bits >> event->hw.unused_bits;
}

void hw_counter_reloaded(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;

	hw->due = 0;
	hw->last_period = hw->period;
	__atomic_store_n(&hw->base, hw->base + (int64_t)hw->period, __ATOMIC_RELAXED);
	__atomic_store_n(&hw->prev, hw->prev + 1, __ATOMIC_RELAXED);
}

/* Sets one counter's field of FIXED_CTR_CTRL. */
static void write_fixed_control(int counter, uint64_t field)
{
	unsigned shift = FIXED_CTRL_SHIFT(counter - ASSIGN_FIXED0);

	shadow_write(&hw_this_cpu()->fixed_control, MSR_FIXED_CTR_CTRL,
		     (15ul | FIXED_CTRL_ADAPTIVE) << shift, field << shift);
}

uint64_t hw_fixed_field(uint64_t config)
{
	return (config & EVTSEL_INT ? FIXED_CTRL_PMI : 0) |
	       (config & EVTSEL_USR ? FIXED_CTRL_USR : 0) |
	       (config & EVTSEL_OS ? FIXED_CTRL_OS : 0) |
	       (config & EVTSEL_ANY ? FIXED_CTRL_ANY : 0) |
	       (config & EVTSEL_ADAPTIVE ? FIXED_CTRL_ADAPTIVE : 0);
}

/* Enables or disables the event. A fixed counter has no event code, only an enable field. */
static void select_event(const struct hw_event *hw, bool enabled)
{
	uint64_t select = hw->config;

	if (is_fixed(hw->index)) {
		write_fixed_control(hw->index, enabled ? hw->fixed : 0);
		return;
	}
	if (enabled && hw->extra_index >= 0)
		select = hw_caps.vendor->shared->select(hw);
	if (hw->pair)
		hw_caps.control->write_second(hw, enabled ? EVTSEL_MERGE | EVTSEL_ENABLE : 0);
	hw_caps.control->write_select(hw, select | (enabled ? EVTSEL_ENABLE : 0));
}

void hw_counter_start(struct perf_event *event)
{
	if (event->hw.derived) {
		event->hw.derived->start(event);
		return;
	}
	hw_counter_reload(event);
	event->hw.running = true;
	if (event->hw.is_precise)
		hw_caps.vendor->records->start(event);
	select_event(&event->hw, true);
}

/*
 * Waits for the NMI of a counter that wrapped just before it was stopped: later it would find no
 * event. Never called in the NMI itself, where it cannot arrive.
 */
static void await_nmi(int counter)
{
	struct hw_cpu *cpu = hw_this_cpu();

	if (this_cpu()->nmi_depth)
		return;
	for (unsigned i = 0; i < NMI_WAIT && (hw_caps.control->wrapped(cpu) & BIT(counter)); i++)
		cpu_relax();
}

static void take_rest(struct perf_event *event)
{
	event->hw.running = false;
	event->hw.period_left = hw_counter_update(event);
}

/* Updates the count after a stop. If the counter just wrapped, its PMI counts as handled. Its
 * record, which the next instruction would have caused, becomes due at the next start. */
static void take_rest_in_task(struct perf_event *event)
{
	struct hw_cpu *cpu = hw_this_cpu();

	__atomic_store_n(&cpu->stopping, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	take_rest(event);
	if (event->hw.period_left <= 0) {
		event->hw.record_due = event->hw.is_precise;
		hw_expect_late(cpu);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&cpu->stopping, false, __ATOMIC_RELAXED);
}

void hw_counter_stop(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;

	if (!hw->running) {
		if (hw->derived)
			hw->derived->stop(event);
		return;
	}
	select_event(hw, false);
	if (hw->is_precise)
		hw_caps.vendor->records->stop(event);
	if (hw_caps.vendor->late_nmis)
		await_nmi(hw->index);
	if (this_cpu()->nmi_depth)
		take_rest(event);
	else
		take_rest_in_task(event);
}
