/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's PMU: discovery by CPUID leaf 0AH, checked by writing and reading back. SDM volume 3,
 * "Architectural Performance Monitoring".
 */
#include <linux/errno.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/trap/nmi.h"
#include "kernel/base/log.h"
#include "kernel/mem/memory.h"
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/intel_ds.h"

struct intel_kind intel_kinds[HW_KINDS];
struct intel_cpu intel_cpus[MAX_CPUS];

#define REGISTERS(general, bits)                                                                  \
	{                                                                                         \
		.select = MSR_PERFEVTSEL0, .counter = (general), .step = 1, .write_bits = (bits), \
		.global_control = MSR_PERF_GLOBAL_CTRL, .global_status = MSR_PERF_GLOBAL_STATUS,  \
		.global_clear = MSR_PERF_GLOBAL_OVF_CTRL,                                         \
	}

/* Writes to PMCx sign-extend bit 31; its alias takes all bits. */
static const struct hw_registers legacy_registers = REGISTERS(MSR_PMC0, 32);
static const struct hw_registers full_registers = REGISTERS(MSR_PMC0_FULL, 64);

/* From version 6 on each counter has a block of four registers. */
static const struct hw_registers v6_registers = {
    .select = MSR_PMC_V6_SELECT0,
    .counter = MSR_PMC_V6_COUNTER0,
    .step = 4,
    .write_bits = 64,
    .global_control = MSR_PERF_GLOBAL_CTRL,
    .global_status = MSR_PERF_GLOBAL_STATUS,
    .global_clear = MSR_PERF_GLOBAL_OVF_CTRL,
};

/* Leaf 23H (from version 6 on, and earlier on some) lists the counters of this kind of cores. */
static bool has_bitmaps(void)
{
	return cpuid_has(CPUID_PMU_EXTENDED) && cpuid_has(CPUID_PMU_HAS_COUNTERS);
}

/* On a hybrid machine CPUID's leaf 0AH reports the common counters: performance cores have more. */
#define CORE_MORE_GENERAL 2
#define CORE_MORE_FIXED   1

static bool has_more_counters(const struct hw_kind *kind)
{
	return kind == &hw_kinds[HW_FIRST] && cpuid_has(CPUID_HYBRID) && !has_bitmaps();
}

/* Versions 2 to 4 may report too few fixed counters (assume three), but a hypervisor's number is
 * exact. */
static uint64_t find_fixed(const struct hw_kind *kind)
{
	uint32_t number = cpuid_read(CPUID_PMU_FIXED_COUNT), bitmap = 0;
	uint64_t found = 0;

	if (hw_caps.version < 2 || !wrmsr_safe(MSR_FIXED_CTR_CTRL, 0))
		return 0;
	if (has_bitmaps()) {
		number = 0;
		bitmap = cpuid_read(CPUID_PMU_FIXED_ALL);
	} else if (hw_caps.version >= 5)
		bitmap = cpuid_read(CPUID_PMU_FIXED_BITMAP);
	else if (number < 3 && !cpuid_has(CPUID_HYPERVISOR))
		number = 3;
	if (has_more_counters(kind))
		number += CORE_MORE_FIXED;
	for (uint32_t i = 0; i < INTEL_MAX_FIXED; i++)
		if ((i < number || (bitmap & BIT(i))) &&
		    hw_register_works(MSR_FIXED_CTR0 + i, HW_PATTERN, 0))
			found |= BIT(GLOBAL_FIXED0 + i);
	return found;
}

/* The architectural events by their bit in CPUID leaf 0AH. */
static const struct {
	uint8_t id;
	uint16_t code;
} architectural[] = {
    {PERF_COUNT_HW_CPU_CYCLES, 0x003c},    {PERF_COUNT_HW_INSTRUCTIONS, 0x00c0},
    {PERF_COUNT_HW_BUS_CYCLES, 0x013c},    {PERF_COUNT_HW_CACHE_REFERENCES, 0x4f2e},
    {PERF_COUNT_HW_CACHE_MISSES, 0x412e},  {PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x00c4},
    {PERF_COUNT_HW_BRANCH_MISSES, 0x00c5},
};

static void find_events(struct hw_kind *kind)
{
	uint32_t number = cpuid_read(CPUID_PMU_EVENTS_LENGTH),
		 absent = cpuid_read(CPUID_PMU_EVENTS_ABSENT);
	const struct intel_generic *generic;

	for (unsigned i = 0; i < sizeof(architectural) / sizeof(architectural[0]); i++)
		if (i < number && !(absent & BIT(i)))
			kind->generic[architectural[i].id] = architectural[i].code;
	for (generic = intel_model(kind)->generic; generic && generic->code; generic++)
		if (!kind->generic[generic->id])
			kind->generic[generic->id] = generic->code;
	if (kind->fixed & BIT(GLOBAL_FIXED0 + 2))
		kind->generic[PERF_COUNT_HW_REF_CPU_CYCLES] = INTEL_REF_CYCLES;
}

/* Selects the format of branch records. Freezing at a PMI came with version 2, the bit that shows
 * it with version 4. */
static void find_branch_records(struct hw_kind *kind, uint64_t capabilities)
{
	const struct lbr_format *format = intel_branch_format(capabilities, intel_model(kind));

	if (hw_caps.version >= 2 && format && lbr_init(format) && hw_caps.version >= 4)
		kind->status |= GLOBAL_STATUS_LBR_FRZ;
}

/* Detects topdown metrics: GLOBAL_CTRL enables them like counters. */
static void find_metrics(struct hw_kind *kind, uint64_t capabilities)
{
	if ((capabilities & PERF_CAP_METRICS) && hw_register_works(MSR_PERF_METRICS, HW_PATTERN, 0))
		intel_kind(kind)->metrics = intel_model(kind)->metrics;
	kind->enables =
	    kind->general | kind->fixed | (intel_kind(kind)->metrics ? GLOBAL_METRICS : 0);
}

/* Detects fields of event selects that version 6 adds. */
static void find_fields(struct hw_kind *kind)
{
	if (!cpuid_has(CPUID_PMU_EXTENDED))
		return;
	if (cpuid_has(CPUID_PMU_UMASK2))
		intel_kind(kind)->more_fields |= EVTSEL_UMASK2;
	if (cpuid_has(CPUID_PMU_EQUAL))
		intel_kind(kind)->more_fields |= EVTSEL_EQUAL;
}

static void find_capabilities(struct hw_kind *kind)
{
	uint64_t capabilities = 0;

	if (cpuid_has(CPUID_PDCM))
		rdmsr_safe(MSR_PERF_CAPABILITIES, &capabilities);
	if (hw_caps.version < 6 && (capabilities & PERF_CAP_FULL_WIDTH) &&
	    hw_register_works(MSR_PMC0_FULL, HW_PATTERN, 0))
		hw_caps.registers = &full_registers;
	find_fields(kind);
	intel_extra_discover();
	intel_ds_discover(capabilities);
	find_metrics(kind, capabilities);
	find_branch_records(kind, capabilities);
}

/* Reports counters that firmware left running. They may be in use there, but the driver takes
 * them. */
static void report_left(void)
{
	uint64_t global = ~0ul, fixed = 0;

	if (hw_caps.version >= 2) {
		rdmsr_safe(MSR_PERF_GLOBAL_CTRL, &global);
		rdmsr_safe(MSR_FIXED_CTR_CTRL, &fixed);
	}
	hw_report_left(cpuid_read(CPUID_PMU_GP_COUNTERS), global);
	for (uint32_t i = 0; i < INTEL_MAX_FIXED; i++)
		if ((fixed >> FIXED_CTRL_SHIFT(i) & (FIXED_CTRL_OS | FIXED_CTRL_USR)) &&
		    (global & BIT(GLOBAL_FIXED0 + i)))
			log_info("PMU: firmware left fixed counter %u running", i);
}

/* Stops all counters, and acknowledges earlier overflows. */
static bool reset_global(void)
{
	uint64_t status;

	if (hw_caps.version < 2)
		return true;
	if (!wrmsr_safe(MSR_PERF_GLOBAL_CTRL, 0))
		return false;
	return rdmsr_safe(MSR_PERF_GLOBAL_STATUS, &status) &&
	       wrmsr_safe(MSR_PERF_GLOBAL_OVF_CTRL, status & hw_this_kind()->status);
}

#define WIDTH_LEAST 32 /* bits: a write sets the lower 32 of a counter */
#define WIDTH_MAX   62 /* more than any processor has; counts have 64 bits with their sign */

/* Returns the width that CPUID announces for counters, if the one at `msr` has it; otherwise 0, and
 * clears *counters, which cannot be used then. */
static uint8_t width_of(uint32_t announced, const char *name, uint32_t msr, uint64_t *counters)
{
	if (!*counters || (announced >= WIDTH_LEAST && announced <= WIDTH_MAX &&
			   hw_counter_has_width(msr, announced)))
		return (uint8_t)announced;
	log_warn("CPUID announces %s counters of %u bits: they are not used", name, announced);
	*counters = 0;
	return 0;
}

static uint32_t lowest(uint64_t counters)
{
	return counters ? (uint32_t)__builtin_ctzl(counters) : 0;
}

static void find_widths(struct hw_kind *kind)
{
	const struct hw_registers *r = hw_caps.registers;
	uint32_t fixed = lowest(kind->fixed >> GLOBAL_FIXED0);

	hw_caps.general_bits =
	    width_of(cpuid_read(CPUID_PMU_GP_WIDTH), "general",
		     r->counter + lowest(kind->general) * r->step, &kind->general);
	hw_caps.fixed_bits = width_of(cpuid_read(CPUID_PMU_FIXED_WIDTH), "fixed",
				      MSR_FIXED_CTR0 + fixed, &kind->fixed);
}

static void find_counters(struct hw_kind *kind)
{
	uint32_t more = has_more_counters(kind) ? CORE_MORE_GENERAL : 0;
	uint32_t bitmap = has_bitmaps() ? cpuid_read(CPUID_PMU_GP_BITMAP) : 0;

	if (bitmap)
		kind->general = hw_find_general(32u - (uint32_t)__builtin_clz(bitmap)) & bitmap;
	else
		kind->general = hw_find_general(cpuid_read(CPUID_PMU_GP_COUNTERS) + more);
	kind->fixed = find_fixed(kind);
	find_widths(kind);
	kind->status = kind->general | kind->fixed;
}

#define LATE_NS          1000000 /* how late a PMI may come */
#define ARROW_LAKE_H     0xc5
#define NATIVE_CRESTMONT 2

/* Arrow Lake H has efficient cores of two generations: the older ones are on an island. */
static bool is_island(void)
{
	return cpuid_model() == ARROW_LAKE_H && cpuid_read(CPUID_CORE_NATIVE) == NATIVE_CRESTMONT;
}

/* Sets the kind of this processor: the efficient cores of a hybrid machine are its second, and the
 * ones of its low-power island its third. */
static bool find_kind(unsigned *kind)
{
	bool hybrid = cpuid_has(CPUID_HYBRID);

	*kind = HW_FIRST;
	if (hybrid && cpuid_read(CPUID_CORE_TYPE) == CORE_TYPE_ATOM)
		*kind = is_island() ? HW_THIRD : HW_SECOND;
	return hybrid;
}

static void reset(void)
{
	reset_global();
	intel_ds_start();
}

static bool discover(void)
{
	struct hw_kind *kind = hw_this_kind();

	hw_caps.version = cpuid_read(CPUID_PMU_VERSION);
	if (!hw_caps.version)
		return false;
	hw_caps.registers = hw_caps.version >= 6 ? &v6_registers : &legacy_registers;
	hw_caps.control = hw_caps.version >= 2 ? &hw_global_control : &hw_select_control;
	report_left();
	if (!reset_global()) {
		log_warn("no PMU: CPUID announces version %u, whose global registers are not there",
			 hw_caps.version);
		return false;
	}
	find_counters(kind);
	if (!kind->general) {
		log_warn("no PMU: CPUID announces counters, but they do not keep what is written");
		return false;
	}
	intel_kind(kind)->model = intel_find_model();
	kind->model = &intel_model(kind)->events;
	find_events(kind);
	find_capabilities(kind);
	return true;
}

const struct hw_vendor intel_vendor = {
    .name = "Intel",
    .discover = discover,
    .find_kind = find_kind,
    .kinds = {"cpu_core", "cpu_atom", "cpu_lowpower"},
    .configure = intel_configure,
    .check_period = intel_check_period,
    .reset = reset,
    .shared = &intel_extra,
    .records = &intel_ds,
    .late_counters = 2, /* the PMI of a counter that was handled with another's */
    .late_ns = LATE_NS,
    .words = intel_words,
    .masks_lvtpc = true,
};
