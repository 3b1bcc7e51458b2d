/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes of registers: none is trusted before a write has been read back. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "kernel/base/log.h"
#include "pmu/hw/hw.h"

bool hw_register_works(uint32_t msr, uint64_t pattern, uint64_t idle)
{
	uint64_t value;

	return wrmsr_safe(msr, pattern) && rdmsr_safe(msr, &value) && value == pattern &&
	       wrmsr_safe(msr, idle);
}

bool hw_counter_has_width(uint32_t msr, uint32_t bits)
{
	return hw_register_works(msr, BIT(bits) - 1, 0) && !hw_register_works(msr, BIT(bits), 0);
}

static bool counter_works(uint32_t i)
{
	const struct hw_registers *r = hw_caps.registers;

	return hw_register_works(r->select + i * r->step, FIELD_PUT(EVTSEL_EVENT, 0xc0), 0) &&
	       hw_register_works(r->counter + i * r->step, HW_PATTERN, 0);
}

uint64_t hw_find_general(uint32_t number)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < number && i < ASSIGN_FIXED0; i++)
		if (counter_works(i))
			found |= BIT(i);
	return found;
}

void hw_report_left(uint32_t number, uint64_t global)
{
	const struct hw_registers *r = hw_caps.registers;
	uint64_t value;

	for (uint32_t i = 0; i < number && i < ASSIGN_FIXED0; i++)
		if (rdmsr_safe(r->select + i * r->step, &value) && (value & EVTSEL_ENABLE) &&
		    (global & BIT(i)))
			log_info("PMU: firmware left general counter %u running (%lx)", i, value);
}
