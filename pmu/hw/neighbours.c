/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that processors must not use together. Events of AMD's northbridge (family 16h and
 * before) are counted once for all its cores: two cores must not program the same counter with
 * them. On Sandy Bridge to Haswell with hyper-threading, memory events of a thread corrupt the
 * other thread's counter of the same number (errata BJ122, BV98, HSD29). BKDG of family 10h,
 * section 3.12; Linux, arch/x86/events.
 */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/topology.h"
#include "arch/x86/trap/remote.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/hw/neighbours.h"

void hw_neighbours_find(struct hw_cpu *cpu)
{
	unsigned id = this_cpu_read(id);
	uint8_t level = cpu->kind->model->neighbours;

	cpu->neighbours = (struct cpu_mask){0};
	cpu->has_neighbours = false;
	if (level == HW_NO_NEIGHBOURS)
		return;
	cpu->neighbours = topology_mask(id, level == HW_CORE ? TOPOLOGY_CORE : TOPOLOGY_PACKAGE);
	cpu_mask_remove(&cpu->neighbours, id);
	cpu->has_neighbours = !cpu_mask_empty(&cpu->neighbours);
}

/* Returns the counters of all neighbours with exclusive events, and, if `any`, with others. */
static uint64_t used_by_neighbours(const struct hw_cpu *cpu, bool any)
{
	const struct cpu_mask *all = &cpu->neighbours;
	uint64_t used = 0;

	for (uint32_t i = cpu_mask_next(all, 0); i != MAX_CPUS; i = cpu_mask_next(all, i + 1)) {
		const struct hw_cpu *other = &hw_cpus[i];

		used |= any ? other->used : other->exclusive;
	}
	return used;
}

uint64_t hw_allowed_beside(const struct hw_cpu *cpu, const struct hw_event *hw)
{
	bool strict = hw->kind->model->strict;

	if (!hw->exclusive && !strict)
		return hw->allowed;
	return hw->allowed & ~used_by_neighbours(cpu, hw->exclusive && strict);
}

bool hw_room_beside(const struct hw_cpu *cpu)
{
	uint64_t general = cpu->kind->general;

	if (!cpu->kind->model->strict || !(cpu->exclusive | used_by_neighbours(cpu, false)))
		return true;
	return bits_set(cpu->used & general) < bits_set(general) / 2;
}
