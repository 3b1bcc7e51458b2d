/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that need a value in a register of their own: which off-core responses count, how slow
 * loads must be, which front-end stalls. SDM volume 3, "Off-core Response Performance Monitoring",
 * "Load Latency Performance Monitoring Facility", "FRONTEND_RETIRED".
 */
#include <linux/errno.h>
#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "pmu/intel.h"

#define CODE_MASK (EVTSEL_EVENT | EVTSEL_UMASK)

/* `other`: the register that may be taken instead, with its code. */
static const struct {
	uint16_t code;
	uint16_t msr;
	uint8_t other;
} registers[HW_EXTRA] = {
    {0x01b7, MSR_OFFCORE_RSP0, 1},
    {0x01bb, MSR_OFFCORE_RSP0 + 1, 0},
    {0x01cd, MSR_PEBS_LD_LAT, 2},
    {0x01c6, MSR_PEBS_FRONTEND, 3},
};

#define PATTERN 0x11 /* bits that each of them has */

void intel_extra_discover(void)
{
	for (unsigned i = 0; i < HW_EXTRA; i++)
		if (hw_register_works(registers[i].msr, PATTERN, 0))
			intel_caps.extra |= (uint8_t)BIT(i);
}

/* The register of that code, or -1. */
static int find_register(uint64_t code)
{
	for (int i = 0; i < HW_EXTRA; i++)
		if ((code & CODE_MASK) == registers[i].code)
			return i;
	return -1;
}

int intel_extra_configure(struct hw_event *hw, uint64_t code, uint64_t value)
{
	const struct hw_extra_event *extra = hw_caps.model->extra;
	int own = find_register(code);

	while (extra && extra->code && extra->code != (code & CODE_MASK))
		extra++;
	if (!extra || !extra->code)
		return 0;
	if (value & ~extra->valid)
		return -EINVAL;
	if (own < 0 || !(intel_caps.extra & BIT(own)))
		return -ENXIO;
	hw->extra_needed = true;
	hw->extra = value;
	return 0;
}

static bool try_register(struct hw_cpu *cpu, struct hw_event *hw, unsigned i)
{
	if (!(intel_caps.extra & BIT(i)) || (cpu->extra_users[i] && cpu->extra[i] != hw->extra))
		return false;
	cpu->extra[i] = hw->extra;
	cpu->extra_users[i]++;
	hw->extra_index = (int8_t)i;
	return true;
}

/* The register of the event's own code first. */
bool intel_extra_take(struct hw_cpu *cpu, struct hw_event *hw)
{
	unsigned own = (unsigned)find_register(hw->config);

	return try_register(cpu, hw, own) || try_register(cpu, hw, registers[own].other);
}

void intel_extra_drop(struct hw_cpu *cpu, struct hw_event *hw)
{
	if (hw->extra_index < 0)
		return;
	cpu->extra_users[hw->extra_index]--;
	hw->extra_index = -1;
}

uint64_t intel_extra_select(const struct hw_event *hw)
{
	wrmsr(registers[hw->extra_index].msr, hw->extra);
	return (hw->config & ~CODE_MASK) | registers[hw->extra_index].code;
}
