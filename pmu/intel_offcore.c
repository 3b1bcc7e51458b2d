/* SPDX-License-Identifier: BSD-2-Clause */
/* OFFCORE_RESPONSE events: each of the two event codes has a register that says which responses
 * count. SDM volume 3, "Off-core Response Performance Monitoring". */
#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "pmu/intel.h"

#define CODE_MASK (EVTSEL_EVENT | EVTSEL_UMASK)

static const struct {
	uint64_t code;
	uint32_t msr;
} registers[HW_EXTRA] = {{0x01b7, MSR_OFFCORE_RSP0}, {0x01bb, MSR_OFFCORE_RSP0 + 1}};

static bool try_register(struct hw_cpu *cpu, struct hw_event *hw, unsigned i)
{
	if (cpu->extra_users[i] && cpu->extra[i] != hw->extra)
		return false;
	cpu->extra[i] = hw->extra;
	cpu->extra_users[i]++;
	hw->extra_index = (int8_t)i;
	return true;
}

/* The register of the event's own code first: either code can use the other's. */
bool intel_extra_take(struct hw_cpu *cpu, struct hw_event *hw)
{
	unsigned own = (hw->config & CODE_MASK) == registers[1].code;

	return try_register(cpu, hw, own) || try_register(cpu, hw, !own);
}

void intel_extra_drop(struct hw_cpu *cpu, struct hw_event *hw)
{
	cpu->extra_users[hw->extra_index]--;
	hw->extra_index = -1;
}

uint64_t intel_extra_select(const struct hw_event *hw)
{
	wrmsr(registers[hw->extra_index].msr, hw->extra);
	return (hw->config & ~CODE_MASK) | registers[hw->extra_index].code;
}
