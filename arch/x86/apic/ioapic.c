/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks the I/O APICs' inputs: 82093AA data sheet, section 3. */
#include <stddef.h>
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/ioapic.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/paging.h"

/* Registers are reached through an index and a window, here as indices of 32-bit words. */
enum { IOAPIC_INDEX = 0, IOAPIC_WINDOW = 4, IOAPIC_BYTES = 0x20 };
enum { IOAPIC_VERSION = 0x01, IOAPIC_REDIRECTION = 0x10 };

#define VERSION_LAST_INPUT FIELD(23, 16)
#define REDIRECTION_MASKED 0x10000u

#define REDIRECTION_TARGET(id) ((uint32_t)(id) << 24)

static volatile uint32_t *first; /* the I/O APIC that has the ISA interrupts */

static uint32_t last_input(volatile uint32_t *ioapic)
{
	ioapic[IOAPIC_INDEX] = IOAPIC_VERSION;
	return (uint32_t)FIELD_GET(VERSION_LAST_INPUT, ioapic[IOAPIC_WINDOW]);
}

static void mask(volatile uint32_t *ioapic)
{
	uint32_t last = last_input(ioapic);

	for (uint32_t input = 0; input <= last; input++) {
		ioapic[IOAPIC_INDEX] = IOAPIC_REDIRECTION + 2 * input;
		ioapic[IOAPIC_WINDOW] = REDIRECTION_MASKED;
	}
}

void ioapic_mask_all(void)
{
	for (uint32_t i = 0; i < acpi_info.nr_ioapics; i++) {
		void *ioapic =
		    paging_map_device(acpi_info.ioapics[i], IOAPIC_BYTES, PAGING_UNCACHED);

		if (!ioapic)
			continue;
		mask(ioapic);
		if (!first)
			first = ioapic;
	}
}

bool ioapic_route(uint32_t input, uint8_t vector, uint32_t apic_id)
{
	if (!first || input > last_input(first))
		return false;
	first[IOAPIC_INDEX] = IOAPIC_REDIRECTION + 2 * input + 1;
	first[IOAPIC_WINDOW] = REDIRECTION_TARGET(apic_id);
	first[IOAPIC_INDEX] = IOAPIC_REDIRECTION + 2 * input;
	first[IOAPIC_WINDOW] = vector;
	return true;
}
