/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI's tables, by signature. ACPI specification 6.4, 5.2. */
#ifndef VISOR_ACPI_H
#define VISOR_ACPI_H

#include <stdint.h>

struct __attribute__((packed)) acpi_header {
	char signature[4];
	uint32_t length;
	uint8_t revision, checksum;
	char oem[6], table[8];
	uint32_t oem_revision, creator, creator_revision;
};

/* Returns the first table with the four characters of `signature`, or NULL. `rsdp` is the physical
 * address of ACPI's root, or 0: there is none. */
const struct acpi_header *acpi_find(uint64_t rsdp, const char *signature);
/* Returns the I/O port of the power management timer, from the FADT; 0: there is none. */
uint16_t acpi_timer_port(uint64_t rsdp);

#endif
