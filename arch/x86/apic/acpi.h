/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel wants to know from ACPI's tables: ACPI specification 6.4, chapters 4 and 5. */
#ifndef ARCH_X86_ACPI_H
#define ARCH_X86_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#define ACPI_IOAPICS    8 /* more are not looked at */
#define ACPI_PROCESSORS 64

struct acpi_info {
	bool found;                         /* the root pointer and its table are there and sound */
	uint32_t processors;                /* enabled in the MADT; at least 1 */
	uint32_t apic_ids[ACPI_PROCESSORS]; /* theirs, in the table's order */
	uint32_t nr_ioapics;
	uint64_t ioapics[ACPI_IOAPICS]; /* physical addresses of the I/O APICs */
	uint16_t pm_timer; /* I/O port of the power management timer; 0: there is none */
};

extern struct acpi_info acpi_info; /* constant after acpi_init() */

/* Reads the tables. Needs paging_set_allocator(). Context: start, once. */
void acpi_init(void);

#endif
