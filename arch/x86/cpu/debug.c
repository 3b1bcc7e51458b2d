/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads debug registers, and checks addresses that must not be watched. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/debug.h"
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/percpu.h"

extern const char entry_text_start[], entry_text_end[]; /* linker.ld */

static void write_address(unsigned slot, uint64_t address)
{
	switch (slot) {
	case 0:
		write_dr0(address);
		break;
	case 1:
		write_dr1(address);
		break;
	case 2:
		write_dr2(address);
		break;
	default:
		write_dr3(address);
	}
}

static bool is_used(const struct debug_registers *wanted, unsigned slot)
{
	return wanted->control >> 2 * slot & 3;
}

/* Disables all slots while an address changes. */
static bool load_addresses(struct debug_registers *loaded, const struct debug_registers *wanted)
{
	bool stopped = false;

	for (unsigned slot = 0; slot < DEBUG_SLOTS; slot++) {
		if (!is_used(wanted, slot) || wanted->address[slot] == loaded->address[slot])
			continue;
		if (!stopped && loaded->control)
			write_dr7(0);
		stopped = true;
		loaded->address[slot] = wanted->address[slot];
		write_address(slot, wanted->address[slot]);
	}
	return stopped;
}

/* For an NMI `control` is valid while DR7 is set. */
void debug_load(const struct debug_registers *wanted)
{
	struct debug_registers *loaded = &this_cpu()->debug;
	bool stopped = load_addresses(loaded, wanted);

	if (!stopped && loaded->control == wanted->control)
		return;
	__atomic_store_n(&loaded->control, loaded->control | wanted->control, __ATOMIC_RELAXED);
	write_dr7(wanted->control);
	__atomic_store_n(&loaded->control, wanted->control, __ATOMIC_RELAXED);
}

static bool touches(uint64_t first, uint64_t last, uint64_t start, uint64_t end)
{
	return first < end && last >= start;
}

bool debug_may_watch(uint64_t first, uint64_t last)
{
	if (touches(first, last, (uint64_t)entry_text_start, (uint64_t)entry_text_end))
		return false;
	for (uint32_t i = 0; i < nr_cpus; i++)
		if (touches(first, last, (uint64_t)cpus[i], (uint64_t)(cpus[i] + 1)))
			return false;
	return !descriptors_touched(first, last);
}
