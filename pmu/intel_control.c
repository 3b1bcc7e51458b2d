/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping and starting all counters at once, and which of them wrapped: by the global registers,
 * or, in version 1, which has none, by the event selects and the counters' sign bits. SDM volume 3,
 * "Architectural Performance Monitoring".
 */
#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "pmu/intel.h"

/* ---- version 2 and later ---- */

static void global_stop(struct intel_cpu *cpu)
{
	(void)cpu;
	wrmsr(MSR_PERF_GLOBAL_CTRL, 0);
}

static void global_start(struct intel_cpu *cpu)
{
	wrmsr(MSR_PERF_GLOBAL_CTRL, cpu->global);
}

static uint64_t global_wrapped(struct intel_cpu *cpu)
{
	(void)cpu;
	return rdmsr(MSR_PERF_GLOBAL_STATUS) & intel_caps.status;
}

static void global_acknowledge(uint64_t status)
{
	wrmsr(MSR_PERF_GLOBAL_OVF_CTRL, status);
}

static void global_write_select(struct intel_cpu *cpu, int counter, uint64_t select)
{
	(void)cpu;
	wrmsr(MSR_PERFEVTSEL0 + (uint32_t)counter, select);
}

const struct intel_control intel_global_control = {
    .stop = global_stop,
    .start = global_start,
    .wrapped = global_wrapped,
    .acknowledge = global_acknowledge,
    .write_select = global_write_select,
};

/* ---- version 1 ---- */

/* A PMI in between may stop an event, whose select is then written once more. */
static void write_shadow(struct intel_cpu *cpu, int counter, uint64_t mask)
{
	uint64_t select;

	do {
		select = __atomic_load_n(&cpu->select[counter], __ATOMIC_RELAXED);
		wrmsr(MSR_PERFEVTSEL0 + (uint32_t)counter, select & mask);
	} while (__atomic_load_n(&cpu->select[counter], __ATOMIC_RELAXED) != select);
}

static void write_all(struct intel_cpu *cpu, uint64_t mask)
{
	for (uint64_t left = cpu->used; left; left &= left - 1)
		write_shadow(cpu, __builtin_ctzl(left), mask);
}

static void select_stop(struct intel_cpu *cpu)
{
	write_all(cpu, ~EVTSEL_ENABLE);
}

static void select_start(struct intel_cpu *cpu)
{
	if (cpu->global)
		write_all(cpu, ~0ul);
}

/* Counters run up to 0 from less than half their range, whose sign they keep until they wrap. */
static uint64_t select_wrapped(struct intel_cpu *cpu)
{
	uint64_t wrapped = 0;

	for (uint64_t left = cpu->used; left; left &= left - 1) {
		int counter = __builtin_ctzl(left);
		const struct perf_event *event = cpu->events[counter];

		if (event && event->hw.running &&
		    !(rdpmc((uint32_t)counter) & BIT(intel_caps.general_bits - 1)))
			wrapped |= BIT(counter);
	}
	return wrapped;
}

static void select_acknowledge(uint64_t status)
{
	(void)status;
}

/* While everything is stopped only the shadow is written. */
static void select_write_select(struct intel_cpu *cpu, int counter, uint64_t select)
{
	__atomic_store_n(&cpu->select[counter], select, __ATOMIC_RELAXED);
	write_shadow(cpu, counter, cpu->global ? ~0ul : ~EVTSEL_ENABLE);
}

const struct intel_control intel_select_control = {
    .stop = select_stop,
    .start = select_start,
    .wrapped = select_wrapped,
    .acknowledge = select_acknowledge,
    .write_select = select_write_select,
};
