/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts from ACPI's tables: ACPI specification 6.4, chapters 4 and 5. */
#ifndef ARCH_X86_ACPI_H
#define ARCH_X86_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#define ACPI_IOAPICS    8 /* more are not looked at */
#define ACPI_PROCESSORS 512

/* The fixed power button and the registers that report it: ACPI 6.4, section 4.8.3. */
struct acpi_button {
	bool found;
	uint8_t sci;        /* its input of the first I/O APIC */
	bool edge, high;    /* how that is raised; else by level, active low */
	uint16_t status[2]; /* I/O ports of the PM1 status registers; 0: there is none */
	uint16_t enable[2]; /* and of the PM1 enable registers */
	uint16_t control;   /* port of PM1a's control register */
	uint16_t command;   /* port that takes the next two; 0: ACPI is always on */
	uint8_t acpi_on, acpi_off;
};

struct acpi_info {
	bool found;                         /* the root pointer and its table are there and sound */
	uint32_t processors;                /* enabled in the MADT; at least 1 */
	uint32_t apic_ids[ACPI_PROCESSORS]; /* theirs, in the table's order */
	uint32_t nr_ioapics;
	uint64_t ioapics[ACPI_IOAPICS]; /* physical addresses of the I/O APICs */
	uint16_t pm_timer; /* I/O port of the power management timer; 0: there is none */
	struct acpi_button button;
	bool keyboard; /* an 8042 controller, according to the tables */
};

extern struct acpi_info acpi_info; /* constant after acpi_init() */

/* Reads the tables. Needs paging_set_allocator(). Context: start, once. */
void acpi_init(void);

#endif
