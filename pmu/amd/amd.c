/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's PMU. K7 has four counters, family 15h six with their own registers, and Zen 4 (PerfMonV2)
 * global control and status. APM volume 2, "Performance Monitoring Counters".
 */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/trap/nmi.h"
#include "kernel/base/log.h"
#include "pmu/amd/amd.h"
#include "pmu/core/core.h"

#define LEGACY_COUNTERS 4
#define CORE_COUNTERS   6
#define COUNTER_BITS    48
#define LATE_NS         (100 * 1000000ul)

static const struct hw_registers legacy_registers = {
    .select = MSR_K7_EVTSEL0, .counter = MSR_K7_PERFCTR0, .step = 1, .write_bits = COUNTER_BITS};
static const struct hw_registers core_registers = {.select = MSR_F15H_PERF_CTL0,
						   .counter = MSR_F15H_PERF_CTR0,
						   .step = 2,
						   .write_bits = COUNTER_BITS};
static const struct hw_registers v2_registers = {.select = MSR_F15H_PERF_CTL0,
						 .counter = MSR_F15H_PERF_CTR0,
						 .step = 2,
						 .write_bits = COUNTER_BITS,
						 .global_control = MSR_AMD_PERF_GLOBAL_CTL,
						 .global_status = MSR_AMD_PERF_GLOBAL_STATUS,
						 .global_clear = MSR_AMD_PERF_GLOBAL_STATUS_CLEAR};

static void reset(void)
{
	const struct hw_registers *r = hw_caps.registers;
	const struct hw_kind *kind = hw_this_kind();

	for (uint64_t left = kind->general; left; left &= left - 1)
		wrmsr(r->select + (uint32_t)__builtin_ctzl(left) * r->step, 0);
	if (!r->global_control)
		return;
	wrmsr(r->global_control, 0);
	wrmsr(r->global_clear, kind->status);
}

/* Sets the register layout of this processor's generation. Returns the number of its counters. */
static uint32_t find_generation(void)
{
	hw_caps.version = 1; /* counters alone */
	hw_caps.control = &hw_select_control;
	hw_caps.registers = &legacy_registers;
	if (!cpuid_has(CPUID_PERFCTR_CORE))
		return LEGACY_COUNTERS;
	hw_caps.registers = &core_registers;
	if (!cpuid_has(CPUID_PERFMON_V2))
		return CORE_COUNTERS;
	hw_caps.version = 2; /* PerfMonV2 */
	hw_caps.control = &hw_global_control;
	hw_caps.registers = &v2_registers;
	return cpuid_read(CPUID_PERFMON_V2_CORE);
}

static void report_left(uint32_t number)
{
	uint64_t global = ~0ul;

	if (hw_caps.registers->global_control)
		rdmsr_safe(hw_caps.registers->global_control, &global);
	hw_report_left(number, global);
}

/* Reports that there is no PMU. No CPUID bit announces the first four counters, so their absence is
 * not an error. */
static void report_none(uint32_t number)
{
	if (number == LEGACY_COUNTERS)
		log_info("no PMU: CPUID announces none, and the first four counters are not there");
	else
		log_warn(
		    "no PMU: CPUID announces %u counters, but they do not keep what is written",
		    number);
}

static bool discover(void)
{
	const struct amd_model *model = amd_find_model();
	struct hw_kind *kind = hw_this_kind();
	uint32_t number;

	if (!model)
		return false;
	number = find_generation();
	report_left(number);
	kind->general = hw_find_general(number);
	if (!kind->general) {
		report_none(number);
		return false;
	}
	hw_caps.general_bits = COUNTER_BITS;
	kind->status = kind->enables = kind->general;
	if (hw_caps.version >= 2 && lbr_init(&amd_lbr))
		kind->status |= GLOBAL_STATUS_LBR_FRZ;
	kind->model = &model->events;
	for (unsigned i = 0; i < PERF_COUNT_HW_MAX; i++)
		kind->generic[i] = model->generic[i];
	return true;
}

const struct hw_vendor amd_vendor = {
    .name = "AMD",
    .discover = discover,
    .configure = amd_configure,
    .words = amd_words,
    .reset = reset,
    /* NMIs may be so late that the handler of another one has found the counter before its own NMI
     * arrives. NMIs of the next 100 ms are claimed in any case (as on Linux). */
    .late_counters = 1,
    .late_ns = LATE_NS,
    .late_nmis = true,
};
