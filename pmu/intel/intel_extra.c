/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events with an extra register: off-core responses, snoop responses, the threshold of load
 * latency, front-end stalls. SDM volume 3, "Off-core Response Performance Monitoring", "Load
 * Latency Performance Monitoring Facility", "FRONTEND_RETIRED".
 */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/intel.h"

static const uint16_t registers[HW_EXTRA] = {
    [EXTRA_OFFCORE0] = MSR_OFFCORE_RSP0, [EXTRA_OFFCORE1] = MSR_OFFCORE_RSP0 + 1,
    [EXTRA_LATENCY] = MSR_PEBS_LD_LAT,   [EXTRA_FRONTEND] = MSR_PEBS_FRONTEND,
    [EXTRA_SNOOP0] = MSR_SNOOP_RSP0,     [EXTRA_SNOOP1] = MSR_SNOOP_RSP0 + 1,
};

#define PATTERN 0x11 /* bits that each of them has */

/* Returns whether the model has an event for the register: only then it is touched. */
static bool is_used(unsigned reg)
{
	const struct intel_extra_event *event = intel_model(hw_this_kind())->extra;

	while (event && event->code && event->reg != reg)
		event++;
	return event && event->code;
}

void intel_extra_discover(void)
{
	for (unsigned i = 0; i < HW_EXTRA; i++)
		if (is_used(i) && hw_register_works(registers[i], PATTERN, 0))
			intel_kind(hw_this_kind())->extra |= (uint8_t)BIT(i);
}

/* Returns the event of this code that has an extra register, or NULL. */
static const struct intel_extra_event *find_event(const struct hw_event *hw, uint64_t code)
{
	const struct intel_extra_event *event = intel_model(hw->kind)->extra;

	while (event && event->code && event->code != (code & CODE_MASK))
		event++;
	return event && event->code ? event : NULL;
}

/* Returns the event that uses the register, or NULL. */
static const struct intel_extra_event *find_user(const struct hw_event *hw, unsigned reg)
{
	const struct intel_extra_event *event = intel_model(hw->kind)->extra;

	while (event->code && event->reg != reg)
		event++;
	return event->code ? event : NULL;
}

int intel_extra_configure(struct hw_event *hw, uint64_t code, uint64_t value)
{
	const struct intel_extra_event *event = find_event(hw, code);

	if (!event)
		return 0;
	if (value & ~event->valid)
		return -EINVAL;
	if (!(intel_kind(hw->kind)->extra & BIT(event->reg)))
		return -ENXIO;
	hw->extra_needed = true;
	hw->extra = value;
	return 0;
}

static bool is_taken(const struct hw_cpu *cpu, const struct hw_event *hw, unsigned i)
{
	return cpu->extra_users[i] && cpu->extra[i] != hw->extra;
}

/* Nehalem's and Westmere's threads share the registers of their core. */
static bool neighbours_differ(const struct hw_cpu *cpu, const struct hw_event *hw, unsigned i)
{
	const struct cpu_mask *all = &cpu->neighbours;

	if (!cpu->has_neighbours || !hw->kind->model->registers_shared)
		return false;
	for (uint32_t n = cpu_mask_next(all, 0); n != MAX_CPUS; n = cpu_mask_next(all, n + 1))
		if (is_taken(&hw_cpus[n], hw, i))
			return true;
	return false;
}

static bool try_register(struct hw_cpu *cpu, struct hw_event *hw, unsigned i)
{
	if (!(intel_kind(hw->kind)->extra & BIT(i)) || !find_user(hw, i) || is_taken(cpu, hw, i) ||
	    neighbours_differ(cpu, hw, i))
		return false;
	cpu->extra[i] = hw->extra;
	cpu->extra_users[i]++;
	hw->extra_index = (int8_t)i;
	return true;
}

/* Claims the register of the event's code; of the two for off-core responses either will do. */
static bool intel_extra_take(struct hw_cpu *cpu, struct hw_event *hw)
{
	unsigned own = find_event(hw, hw->config)->reg;

	if (try_register(cpu, hw, own))
		return true;
	return own <= EXTRA_OFFCORE1 && try_register(cpu, hw, EXTRA_OFFCORE1 - own);
}

static void drop(struct hw_cpu *cpu, struct hw_event *hw)
{
	if (hw->extra_index < 0)
		return;
	cpu->extra_users[hw->extra_index]--;
	hw->extra_index = -1;
}

/* An event that got the other register has the code that goes with it. */
static uint64_t select_with(const struct hw_event *hw)
{
	wrmsr(registers[hw->extra_index], hw->extra);
	if (find_event(hw, hw->config)->reg == hw->extra_index)
		return hw->config;
	return (hw->config & ~CODE_MASK) | find_user(hw, (unsigned)hw->extra_index)->code;
}

const struct hw_shared intel_extra = {
    .take = intel_extra_take, .drop = drop, .select = select_with};
