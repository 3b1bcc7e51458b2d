/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks the I/O APICs' inputs: 82093AA data sheet, section 3. */
#include <stddef.h>
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/ioapic.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/paging.h"

/* Registers are accessed through an index and a window, here as indices of 32-bit words. */
enum { IOAPIC_INDEX = 0, IOAPIC_WINDOW = 4, IOAPIC_BYTES = 0x20 };
enum { IOAPIC_VERSION = 0x01, IOAPIC_REDIRECTION = 0x10 };

#define VERSION_LAST_INPUT FIELD(23, 16)
#define REDIRECTION_MASKED 0x10000u
#define REDIRECTION_LEVEL  0x8000u
#define REDIRECTION_LOW    0x2000u

#define REDIRECTION_TARGET(id) ((uint32_t)(id) << 24)

#define MOST_INPUTS 256

/* Each I/O APIC, with the firmware's settings of its inputs. */
static struct {
	volatile uint32_t *registers;
	uint32_t inputs, low[MOST_INPUTS], high[MOST_INPUTS];
} found[ACPI_IOAPICS];
static uint32_t nr_found;

static volatile uint32_t *first; /* the I/O APIC that has the ISA interrupts */

/* Selects a register; returns the window. */
static volatile uint32_t *select(volatile uint32_t *ioapic, uint32_t index)
{
	ioapic[IOAPIC_INDEX] = index;
	return &ioapic[IOAPIC_WINDOW];
}

static uint32_t last_input(volatile uint32_t *ioapic)
{
	return (uint32_t)FIELD_GET(VERSION_LAST_INPUT, *select(ioapic, IOAPIC_VERSION));
}

static void mask(volatile uint32_t *ioapic, uint32_t input)
{
	*select(ioapic, IOAPIC_REDIRECTION + 2 * input) = REDIRECTION_MASKED;
}

static void mask_all(volatile uint32_t *ioapic)
{
	uint32_t last = last_input(ioapic);

	found[nr_found].registers = ioapic;
	found[nr_found].inputs = last + 1;
	for (uint32_t input = 0; input <= last; input++) {
		uint32_t index = IOAPIC_REDIRECTION + 2 * input;

		found[nr_found].high[input] = *select(ioapic, index + 1);
		found[nr_found].low[input] = *select(ioapic, index);
		mask(ioapic, input);
	}
	nr_found++;
}

void ioapic_silence(void)
{
	for (uint32_t i = 0; i < nr_found; i++)
		for (uint32_t input = 0; input < found[i].inputs; input++)
			mask(found[i].registers, input);
}

void ioapic_restore(void)
{
	for (uint32_t i = 0; i < nr_found; i++)
		for (uint32_t input = 0; input < found[i].inputs; input++) {
			uint32_t index = IOAPIC_REDIRECTION + 2 * input;

			*select(found[i].registers, index + 1) = found[i].high[input];
			*select(found[i].registers, index) = found[i].low[input];
		}
}

void ioapic_mask_all(void)
{
	for (uint32_t i = 0; i < acpi_info.nr_ioapics; i++) {
		void *ioapic =
		    paging_map_device(acpi_info.ioapics[i], IOAPIC_BYTES, PAGING_UNCACHED);

		if (!ioapic)
			continue;
		mask_all(ioapic);
		if (!first)
			first = ioapic;
	}
}

bool ioapic_route(uint32_t input, enum ioapic_line line, uint8_t vector, uint32_t apic_id)
{
	if (!first || input > last_input(first) || apic_id > UINT8_MAX)
		return false;
	*select(first, IOAPIC_REDIRECTION + 2 * input + 1) = REDIRECTION_TARGET(apic_id);
	*select(first, IOAPIC_REDIRECTION + 2 * input) =
	    vector | (line & IOAPIC_LEVEL ? REDIRECTION_LEVEL : 0) |
	    (line & IOAPIC_LOW ? REDIRECTION_LOW : 0);
	return true;
}

void ioapic_mask(uint32_t input)
{
	mask(first, input);
}
