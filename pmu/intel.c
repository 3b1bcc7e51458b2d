/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's PMU: discovery by CPUID leaf 0AH, checked by writing and reading back, and the PMU
 * operations on its counters. SDM volume 3, "Architectural Performance Monitoring".
 */
#include "pmu/intel.h"
#include <linux/errno.h>
#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "arch/x86/nmi.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "pmu/core.h"
#include "pmu/cpu.h"

struct intel_caps intel_caps;

static struct intel_cpu intel_cpus[MAX_CPUS];

struct intel_cpu *intel_this_cpu(void)
{
	return &intel_cpus[this_cpu()->id];
}

/* ---- the operations ---- */

static void intel_pause(void)
{
	struct intel_cpu *cpu = intel_this_cpu();

	if (cpu->pauses++)
		return;
	cpu->global = 0;
	intel_caps.control->stop(cpu);
}

static void intel_resume(void)
{
	struct intel_cpu *cpu = intel_this_cpu();

	if (--cpu->pauses)
		return;
	cpu->global = intel_caps.general | intel_caps.fixed;
	intel_caps.control->start(cpu);
}

static void give_counter(struct intel_cpu *cpu, struct perf_event *event, int counter)
{
	cpu->events[counter] = event;
	cpu->used |= BIT(counter);
	intel_counter_place(event, counter);
}

static void take_counter(struct intel_cpu *cpu, struct perf_event *event)
{
	cpu->events[event->hw.index] = NULL;
	cpu->used &= ~BIT(event->hw.index);
	event->hw.index = -1;
}

/* Gives the events their places of the new assignment; those that move stop for that moment. */
static void move_events(struct intel_cpu *cpu, struct perf_event *events[], const int8_t place[],
			unsigned nr)
{
	bool was_running[ASSIGN_COUNTERS];

	for (unsigned i = 0; i < nr; i++) {
		was_running[i] = events[i]->hw.running;
		if (events[i]->hw.index == place[i])
			continue;
		intel_counter_stop(events[i]);
		take_counter(cpu, events[i]);
	}
	for (unsigned i = 0; i < nr; i++) {
		if (events[i]->hw.index == place[i])
			continue;
		give_counter(cpu, events[i], place[i]);
		if (was_running[i])
			intel_counter_start(events[i]);
		userpage_update(events[i]);
	}
}

/* No counter that the event could use is free: moves others to make room. Returns its counter, or
 * -1. */
static int make_room(struct intel_cpu *cpu, const struct perf_event *event)
{
	struct perf_event *events[ASSIGN_COUNTERS];
	uint64_t allowed[ASSIGN_COUNTERS + 1];
	int8_t place[ASSIGN_COUNTERS + 1];
	unsigned nr = 0;

	for (uint64_t used = cpu->used; used; used &= used - 1) {
		int counter = __builtin_ctzl(used);

		events[nr] = cpu->events[counter];
		allowed[nr] = events[nr]->hw.allowed;
		place[nr++] = (int8_t)counter;
	}
	allowed[nr] = event->hw.allowed;
	place[nr] = -1;
	if (!assign_counter(allowed, place, nr + 1, nr))
		return -1;
	intel_pause();
	move_events(cpu, events, place, nr);
	intel_resume();
	return place[nr];
}

static int intel_add(struct perf_event *event)
{
	struct intel_cpu *cpu = intel_this_cpu();
	struct hw_event *hw = &event->hw;
	uint64_t free = hw->allowed & ~cpu->used;
	int counter;

	if (hw->extra_needed && !intel_extra_take(cpu, hw))
		return -EAGAIN;
	counter = free ? assign_preferred(free) : make_room(cpu, event);
	if (counter < 0) {
		intel_extra_drop(cpu, hw);
		return -EAGAIN;
	}
	give_counter(cpu, event, counter);
	hw->freq_stamp = 0;
	intel_counter_start(event);
	if (event->attr.freq)
		tick_need(this_pmu_cpu());
	return 0;
}

static void intel_del(struct perf_event *event)
{
	struct intel_cpu *cpu = intel_this_cpu();

	intel_counter_stop(event);
	take_counter(cpu, event);
	intel_extra_drop(cpu, &event->hw);
}

static void intel_read(struct perf_event *event)
{
	if (event->hw.running)
		intel_counter_update(event);
}

static uint32_t intel_user_index(const struct perf_event *event)
{
	return event->hw.rdpmc + 1;
}

static uint8_t intel_bits(const struct perf_event *event)
{
	return event->hw.index >= 0 ? intel_counter_bits(event->hw.index) : intel_caps.general_bits;
}

/* ---- event_init: does the event, and its group, fit the empty PMU? ---- */

struct group_check {
	struct intel_cpu cpu; /* the registers of an empty processor */
	struct hw_event extra[ASSIGN_COUNTERS];
	uint64_t allowed[ASSIGN_COUNTERS + 1];
	int8_t place[ASSIGN_COUNTERS + 1];
	unsigned nr;
};

static bool check_member(struct group_check *check, const struct perf_event *event)
{
	unsigned i = check->nr;

	if (event->pmu != &intel_pmu)
		return true;
	if (i == ASSIGN_COUNTERS)
		return false;
	check->allowed[i] = event->hw.allowed;
	check->place[i] = -1;
	check->extra[i] = event->hw;
	check->extra[i].extra_index = -1;
	check->nr++;
	return intel_extra_take(&check->cpu, &check->extra[i]) &&
	       assign_counter(check->allowed, check->place, check->nr, i);
}

/* As Linux: siblings that are off do not count. */
static bool group_fits(const struct perf_event *event)
{
	const struct perf_event *leader = event->leader, *sibling;
	struct group_check *check;
	bool fits;

	if (leader == event)
		return event->hw.allowed != 0;
	check = kalloc(sizeof(*check));
	if (!check)
		return false;
	fits = check_member(check, leader);
	event_for_each_sibling(sibling, leader)
		if (sibling->state > EVENT_OFF)
			fits = fits && check_member(check, sibling);
	fits = fits && check_member(check, event);
	kfree(check);
	return fits;
}

static int intel_event_init(struct perf_event *event)
{
	uint32_t type = event->attr.type;
	int err;

	if (type != PERF_TYPE_RAW && type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE)
		return -ENOENT;
	err = intel_configure(event);
	if (err)
		return err;
	return group_fits(event) ? 0 : -EINVAL;
}

/* ---- discovery ---- */

/* A register that swallows writes, or faults, is no register. Leaves `idle` in it. */
static bool register_works(uint32_t msr, uint64_t pattern, uint64_t idle)
{
	uint64_t value;

	return wrmsr_safe(msr, pattern) && rdmsr_safe(msr, &value) && value == pattern &&
	       wrmsr_safe(msr, idle);
}

#define PATTERN 0x5555

static bool general_counter_works(uint32_t i)
{
	return register_works(MSR_PERFEVTSEL0 + i, FIELD_PUT(EVTSEL_EVENT, 0xc0), 0) &&
	       register_works(MSR_PMC0 + i, PATTERN, 0);
}

static uint64_t find_general(void)
{
	uint32_t number = cpuid_read(CPUID_PMU_GP_COUNTERS);
	uint64_t found = 0;

	for (uint32_t i = 0; i < number && i < INTEL_MAX_GENERAL; i++)
		if (general_counter_works(i))
			found |= BIT(i);
	return found;
}

/* Versions 2 to 4 may tell too few fixed counters (assume three), but hypervisors mean what they
 * say. */
static uint64_t find_fixed(void)
{
	uint32_t number = cpuid_read(CPUID_PMU_FIXED_COUNT), bitmap = 0;
	uint64_t found = 0;

	if (intel_caps.version < 2 || !wrmsr_safe(MSR_FIXED_CTR_CTRL, 0))
		return 0;
	if (intel_caps.version >= 5)
		bitmap = cpuid_read(CPUID_PMU_FIXED_BITMAP);
	else if (number < 3 && !cpuid_has(CPUID_HYPERVISOR))
		number = 3;
	for (uint32_t i = 0; i < INTEL_MAX_FIXED; i++)
		if ((i < number || (bitmap & BIT(i))) &&
		    register_works(MSR_FIXED_CTR0 + i, PATTERN, 0))
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

static void find_events(void)
{
	uint32_t number = cpuid_read(CPUID_PMU_EVENTS_LENGTH),
		 absent = cpuid_read(CPUID_PMU_EVENTS_ABSENT);

	for (unsigned i = 0; i < sizeof(architectural) / sizeof(architectural[0]); i++)
		if (i < number && !(absent & BIT(i)))
			intel_caps.generic[architectural[i].id] = architectural[i].code;
	if (intel_caps.fixed & BIT(GLOBAL_FIXED0 + 2))
		intel_caps.generic[PERF_COUNT_HW_REF_CPU_CYCLES] = INTEL_REF_CYCLES;
}

static void find_capabilities(void)
{
	uint64_t capabilities = 0;

	if (cpuid_has(CPUID_PDCM))
		rdmsr_safe(MSR_PERF_CAPABILITIES, &capabilities);
	intel_caps.full_width =
	    (capabilities & PERF_CAP_FULL_WIDTH) && register_works(MSR_PMC0_FULL, PATTERN, 0);
	intel_caps.offcore =
	    register_works(MSR_OFFCORE_RSP0, 1, 0) && register_works(MSR_OFFCORE_RSP0 + 1, 1, 0);
}

/* Says which counters firmware has left running: they may be its own, and are ours from now on. */
static void report_left(void)
{
	uint64_t global = ~0ul, fixed = 0, value;

	if (intel_caps.version >= 2) {
		rdmsr_safe(MSR_PERF_GLOBAL_CTRL, &global);
		rdmsr_safe(MSR_FIXED_CTR_CTRL, &fixed);
	}
	for (uint32_t i = 0; i < cpuid_read(CPUID_PMU_GP_COUNTERS) && i < INTEL_MAX_GENERAL; i++)
		if (rdmsr_safe(MSR_PERFEVTSEL0 + i, &value) && (value & EVTSEL_ENABLE) &&
		    (global & BIT(i)))
			log_info("PMU: firmware left general counter %u running (%lx)", i, value);
	for (uint32_t i = 0; i < INTEL_MAX_FIXED; i++)
		if ((fixed >> FIXED_CTRL_SHIFT(i) & (FIXED_CTRL_OS | FIXED_CTRL_USR)) &&
		    (global & BIT(GLOBAL_FIXED0 + i)))
			log_info("PMU: firmware left fixed counter %u running", i);
}

/* Stops everything, and forgets what wrapped before. */
static bool reset_global(void)
{
	uint64_t status;

	if (intel_caps.version < 2)
		return true;
	if (!wrmsr_safe(MSR_PERF_GLOBAL_CTRL, 0))
		return false;
	return rdmsr_safe(MSR_PERF_GLOBAL_STATUS, &status) &&
	       wrmsr_safe(MSR_PERF_GLOBAL_OVF_CTRL, status & intel_caps.status);
}

static void find_counters(void)
{
	intel_caps.general = find_general();
	intel_caps.fixed = find_fixed();
	intel_caps.general_bits = (uint8_t)cpuid_read(CPUID_PMU_GP_WIDTH);
	intel_caps.fixed_bits = (uint8_t)cpuid_read(CPUID_PMU_FIXED_WIDTH);
	intel_caps.status = intel_caps.general | intel_caps.fixed;
}

bool intel_init(void)
{
	intel_caps.version = cpuid_read(CPUID_PMU_VERSION);
	if (!intel_caps.version)
		return false;
	intel_caps.control =
	    intel_caps.version >= 2 ? &intel_global_control : &intel_select_control;
	report_left();
	if (!reset_global()) {
		log_warn("no PMU: CPUID announces version %u, whose global registers are not there",
			 intel_caps.version);
		return false;
	}
	find_counters();
	if (!intel_caps.general) {
		log_warn("no PMU: CPUID announces counters, but they do not keep what is written");
		return false;
	}
	intel_caps.model = intel_find_model();
	find_events();
	find_capabilities();
	nmi_register(intel_pmi);
	return true;
}

static void intel_cpu_init(void)
{
	reset_global();
	intel_this_cpu()->pauses = 1;
	intel_resume();
	apic_pmi_arm();
}

const struct pmu intel_pmu = {
    .cpu_init = intel_cpu_init,
    .event_init = intel_event_init,
    .add = intel_add,
    .del = intel_del,
    .start = intel_counter_start,
    .stop = intel_counter_stop,
    .read = intel_read,
    .pause = intel_pause,
    .resume = intel_resume,
    .check_period = intel_check_period,
    .user_index = intel_user_index,
    .counter_bits = intel_bits,
};
