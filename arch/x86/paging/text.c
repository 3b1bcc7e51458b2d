/* SPDX-License-Identifier: BSD-2-Clause */
/* Modifies the kernel's own code: its pages stay read-only, and write protection is disabled
 * briefly on this processor. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/text.h"

#define INT3 0xcc

__attribute__((section(".probe_slots"), aligned(PROBE_SLOT_BYTES)))
const uint8_t probe_slots[PROBE_SLOTS * PROBE_SLOT_BYTES] = {
    [0 ... PROBE_SLOTS * PROBE_SLOT_BYTES - 1] = INT3};

void text_write(void *to, const void *from, size_t bytes)
{
	uint64_t flags = irq_save(), cr0 = read_cr0();

	write_cr0(cr0 & ~CR0_WP);
	for (size_t i = 0; i < bytes; i++)
		((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
	write_cr0(cr0);
	irq_restore(flags);
}
