/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops and starts all counters at once, and reads which of them wrapped, by the global registers.
 * Without them (Intel's version 1, AMD before PerfMonV2) the event selects and the counters' sign
 * bits serve. SDM volume 3, "Architectural Performance Monitoring"; AMD APM volume 2, "Performance
 * Monitoring Counters".
 */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/hw/hw.h"
#include "pmu/record/userpage.h"

static uint32_t select_msr(int counter)
{
	return hw_caps.registers->select + (uint32_t)counter * hw_caps.registers->step;
}

/* ---- with global registers ---- */

static void global_stop(struct hw_cpu *cpu)
{
	(void)cpu;
	wrmsr(hw_caps.registers->global_control, 0);
}

static void global_start(struct hw_cpu *cpu)
{
	wrmsr(hw_caps.registers->global_control, cpu->global);
}

static uint64_t global_wrapped(struct hw_cpu *cpu)
{
	return rdmsr(hw_caps.registers->global_status) & cpu->kind->status;
}

static void global_acknowledge(uint64_t status)
{
	wrmsr(hw_caps.registers->global_clear, status);
}

static void global_write_select(const struct hw_event *hw, uint64_t select)
{
	wrmsr(hw->select_msr, select);
}

static void global_write_second(const struct hw_event *hw, uint64_t select)
{
	wrmsr(select_msr(hw->index + 1), select);
}

const struct hw_control hw_global_control = {
    .stop = global_stop,
    .start = global_start,
    .wrapped = global_wrapped,
    .acknowledge = global_acknowledge,
    .write_select = global_write_select,
    .write_second = global_write_second,
};

/* ---- without ---- */

/* Repeats the write of the select if a PMI stopped the event in between. */
static void write_shadow(struct hw_cpu *cpu, int counter, uint64_t mask)
{
	uint64_t select;

	do {
		select = __atomic_load_n(&cpu->select[counter], __ATOMIC_RELAXED);
		wrmsr(select_msr(counter), select & mask);
	} while (__atomic_load_n(&cpu->select[counter], __ATOMIC_RELAXED) != select);
}

static void write_all(struct hw_cpu *cpu, uint64_t mask)
{
	for (uint64_t left = cpu->used; left; left &= left - 1)
		write_shadow(cpu, __builtin_ctzl(left), mask);
}

static void select_stop(struct hw_cpu *cpu)
{
	write_all(cpu, ~EVTSEL_ENABLE);
}

static void select_start(struct hw_cpu *cpu)
{
	if (cpu->global)
		write_all(cpu, ~0ul);
}

/* Counters start below half their range, so that the sign bit stays set until they wrap. */
static uint64_t select_wrapped(struct hw_cpu *cpu)
{
	uint64_t wrapped = 0;

	for (uint64_t left = cpu->used; left; left &= left - 1) {
		int counter = __builtin_ctzl(left);
		const struct perf_event *event = cpu->events[counter];

		if (event && event->hw.running &&
		    !(rdpmc((uint32_t)counter) & BIT(hw_caps.general_bits - 1)))
			wrapped |= BIT(counter);
	}
	return wrapped;
}

static void select_acknowledge(uint64_t status)
{
	(void)status;
}

/* While all is stopped only the shadow is written. */
static void write_counter(int counter, uint64_t select)
{
	struct hw_cpu *cpu = hw_this_cpu();

	__atomic_store_n(&cpu->select[counter], select, __ATOMIC_RELAXED);
	write_shadow(cpu, counter, cpu->global ? ~0ul : ~EVTSEL_ENABLE);
}

static void select_write_select(const struct hw_event *hw, uint64_t select)
{
	write_counter(hw->index, select);
}

static void select_write_second(const struct hw_event *hw, uint64_t select)
{
	write_counter(hw->index + 1, select);
}

const struct hw_control hw_select_control = {
    .stop = select_stop,
    .start = select_start,
    .wrapped = select_wrapped,
    .acknowledge = select_acknowledge,
    .write_select = select_write_select,
    .write_second = select_write_second,
};
