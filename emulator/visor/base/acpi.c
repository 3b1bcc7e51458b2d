/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI's root tables, and the FADT. ACPI specification 6.4, 5.2.5 to 5.2.9. */
#include "emulator/visor/base/acpi.h"

#include <stddef.h>

#include "emulator/visor/base/lib.h"

struct __attribute__((packed)) acpi_rsdp {
	char signature[8];
	uint8_t checksum;
	char oem[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length;
	uint64_t xsdt;
};

struct __attribute__((packed)) acpi_fadt {
	struct acpi_header header;
	uint8_t not_needed[76 - sizeof(struct acpi_header)];
	uint32_t timer_block;
};

/* Returns entry `index` of the RSDT or XSDT, or 0 after the last. */
static uint64_t table_at(const struct acpi_rsdp *rsdp, unsigned index)
{
	bool wide = rsdp->revision >= 2 && rsdp->xsdt;
	const struct acpi_header *root =
	    (const struct acpi_header *)(wide ? rsdp->xsdt : rsdp->rsdt);
	unsigned bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
	uint64_t address = 0;

	if (sizeof(*root) + (index + 1) * bytes > root->length)
		return 0;
	memcpy(&address, (const uint8_t *)(root + 1) + (size_t)index * bytes, bytes);
	return address;
}

const struct acpi_header *acpi_find(uint64_t rsdp, const char *signature)
{
	uint64_t table;

	for (unsigned i = 0; rsdp && (table = table_at((const struct acpi_rsdp *)rsdp, i)); i++)
		if (!memcmp((const void *)table, signature, 4))
			return (const struct acpi_header *)table;
	return NULL;
}

uint16_t acpi_timer_port(uint64_t rsdp)
{
	const struct acpi_fadt *fadt = (const struct acpi_fadt *)acpi_find(rsdp, "FACP");

	return fadt && fadt->header.length >= sizeof(*fadt) ? (uint16_t)fadt->timer_block : 0;
}
