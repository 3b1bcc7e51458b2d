/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the debug registers for the events that a processor counts by them. */
#include <linux/hw_breakpoint.h>
#include "arch/x86/cpu/debug.h"
#include "pmu/base/cpu.h"

/* Returns the bits of DR7 that make a slot watch it. */
static uint64_t control_of(const struct perf_event_attr *attr, unsigned slot)
{
	if (attr->bp_type == HW_BREAKPOINT_X)
		return debug_control(slot, DEBUG_EXECUTE, 1);
	return debug_control(slot, attr->bp_type == HW_BREAKPOINT_W ? DEBUG_WRITE : DEBUG_ACCESS,
			     (unsigned)attr->bp_len);
}

void breakpoints_load(struct pmu_cpu *cpu)
{
	struct debug_registers wanted = {0};

	cpu->breakpoints_changed = false;
	for (unsigned slot = 0; slot < DEBUG_SLOTS; slot++) {
		const struct perf_event *event = cpu->breakpoints[slot];

		if (!event)
			continue;
		wanted.address[slot] = event->attr.bp_addr;
		wanted.control |= control_of(&event->attr, slot);
	}
	debug_load(&wanted);
}
