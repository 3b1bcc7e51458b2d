/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the MADT, the FADT and the tables of memory nodes: ACPI specification 6.4, sections 5.2.5
 * to 5.2.12. */
#include <stddef.h>
#include "abi/boot_info.h"
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/numa.h"
#include "arch/x86/paging/paging.h"

#define BIOS_START 0xe0000ul /* range to search if the boot loader passed no root pointer */
#define BIOS_END   0x100000ul
#define RSDP_ALIGN 16

struct rsdp {
	char signature[8];
	uint8_t checksum;
	char oem[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length; /* from revision 2 */
	uint64_t xsdt;
} __attribute__((packed));

/* Firmware may put tables at any address. */
struct table {
	char signature[4];
	uint32_t length;
	uint8_t revision, checksum;
	char oem[22];
	uint32_t creator_revision;
} __attribute__((packed));

struct madt {
	struct table header;
	uint32_t apic_address, flags;
} __attribute__((packed));

/* Entries of the MADT: type, length, then the fields: */
enum { MADT_APIC = 0, MADT_IOAPIC = 1, MADT_OVERRIDE = 2, MADT_X2APIC = 9 };
#define MADT_ENABLED 1u

/* Flags of an override: two bits each, 0 is the bus's default. */
#define OVERRIDE_HIGH 1u
#define OVERRIDE_EDGE 4u

/* Offset and fields of the FADT. */
enum {
	FADT_SCI = 46,
	FADT_SMI_COMMAND = 48,
	FADT_ACPI_ENABLE = 52,
	FADT_ACPI_DISABLE = 53,
	FADT_PM1A_EVENT = 56,
	FADT_PM1B_EVENT = 60,
	FADT_PM1A_CONTROL = 64,
	FADT_PM_TIMER_BLOCK = 76,
	FADT_PM1_EVENT_LENGTH = 88,
	FADT_PM_TIMER_LENGTH = 91,
	FADT_BOOT_FLAGS = 109,
	FADT_FLAGS = 112,
	FADT_BYTES = 116
};

#define FADT_NO_FIXED_BUTTON  (1u << 4)
#define FADT_HARDWARE_REDUCED (1u << 20)
#define FADT_HAS_8042         2u
#define ISA_INPUTS            16

_Static_assert(sizeof(struct rsdp) == 32 && sizeof(struct table) == 36 && sizeof(struct madt) == 44,
	       "ACPI tables 5.3, 5.4 and 5.19");

struct acpi_info acpi_info = {.processors = 1};

static bool sums_to_zero(const void *bytes, uint32_t length)
{
	const uint8_t *at = bytes;
	uint8_t sum = 0;

	while (length--)
		sum += *at++;
	return sum == 0;
}

static uint32_t read32(const void *at)
{
	uint32_t value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

static uint16_t read16(const void *at)
{
	uint16_t value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t read64(const void *at)
{
	uint64_t value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

/* Returns the table at `phys`, or NULL if it is damaged. */
static const struct table *map_table(uint64_t phys)
{
	const struct table *table = paging_map_device(phys, sizeof(*table), PAGING_CACHED);

	if (!table || table->length < sizeof(*table))
		return NULL;
	if ((phys & 4095) + table->length > 4096)
		table = paging_map_device(phys, table->length, PAGING_CACHED);
	return table && sums_to_zero(table, table->length) ? table : NULL;
}

static bool is_rsdp(const struct rsdp *rsdp)
{
	return !__builtin_memcmp(rsdp->signature, "RSD PTR ", 8) && sums_to_zero(rsdp, 20);
}

static const struct rsdp *find_rsdp(void)
{
	const char *bios;

	if (boot_info.rsdp) {
		const struct rsdp *rsdp =
		    paging_map_device(boot_info.rsdp, sizeof(*rsdp), PAGING_CACHED);

		return rsdp && is_rsdp(rsdp) ? rsdp : NULL;
	}
	bios = paging_map_device(BIOS_START, BIOS_END - BIOS_START, PAGING_CACHED);
	for (uint64_t at = 0; bios && at < BIOS_END - BIOS_START; at += RSDP_ALIGN)
		if (is_rsdp((const struct rsdp *)(bios + at)))
			return (const struct rsdp *)(bios + at);
	return NULL;
}

/* Adds a processor; it may have an entry of each kind. */
static void add_processor(uint32_t apic_id, uint32_t flags, uint32_t *processors)
{
	if (!(flags & MADT_ENABLED))
		return;
	for (uint32_t i = 0; i < *processors && i < ACPI_PROCESSORS; i++)
		if (acpi_info.apic_ids[i] == apic_id)
			return;
	if (*processors < ACPI_PROCESSORS)
		acpi_info.apic_ids[*processors] = apic_id;
	++*processors;
}

/* ISA interrupts that are routed to another input, or with another polarity or trigger. */
static struct {
	uint32_t input;
	uint16_t flags;
	bool there;
} overrides[ISA_INPUTS];

static void add_override(uint8_t source, uint32_t input, uint16_t flags)
{
	if (source >= ISA_INPUTS || input > UINT8_MAX)
		return;
	overrides[source].input = input;
	overrides[source].flags = flags;
	overrides[source].there = true;
}

static void read_madt(const struct table *table)
{
	const uint8_t *at = (const uint8_t *)table + sizeof(struct madt);
	const uint8_t *end = (const uint8_t *)table + table->length;
	uint32_t processors = 0;

	for (; at + 2 <= end && at[1] >= 2 && at + at[1] <= end; at += at[1]) {
		if (at[0] == MADT_APIC && at[1] >= 8)
			add_processor(at[3], read32(at + 4), &processors);
		else if (at[0] == MADT_X2APIC && at[1] >= 16)
			add_processor(read32(at + 4), read32(at + 8), &processors);
		else if (at[0] == MADT_OVERRIDE && at[1] >= 10)
			add_override(at[3], read32(at + 4), read16(at + 8));
		else if (at[0] == MADT_IOAPIC && at[1] >= 12 && acpi_info.nr_ioapics < ACPI_IOAPICS)
			acpi_info.ioapics[acpi_info.nr_ioapics++] = read32(at + 4);
	}
	if (processors)
		acpi_info.processors = processors;
}

/* Each block consists of two halves: status, then enable registers. */
static void read_button(const uint8_t *fadt)
{
	struct acpi_button *button = &acpi_info.button;
	uint16_t half = fadt[FADT_PM1_EVENT_LENGTH] / 2;

	acpi_info.keyboard = read16(fadt + FADT_BOOT_FLAGS) & FADT_HAS_8042;
	if (read32(fadt + FADT_FLAGS) & (FADT_NO_FIXED_BUTTON | FADT_HARDWARE_REDUCED) ||
	    !read32(fadt + FADT_PM1A_EVENT) || half < sizeof(uint16_t) ||
	    read16(fadt + FADT_SCI) > UINT8_MAX)
		return;
	button->found = true;
	button->sci = fadt[FADT_SCI];
	for (unsigned i = 0; i < 2; i++) {
		button->status[i] = read16(fadt + (i ? FADT_PM1B_EVENT : FADT_PM1A_EVENT));
		button->enable[i] =
		    button->status[i] ? (uint16_t)(button->status[i] + half) : (uint16_t)0;
	}
	button->control = read16(fadt + FADT_PM1A_CONTROL);
	button->command = read16(fadt + FADT_SMI_COMMAND);
	button->acpi_on = fadt[FADT_ACPI_ENABLE];
	button->acpi_off = fadt[FADT_ACPI_DISABLE];
}

/* The MADT may also override the SCI's input and polarity. */
static void place_button(void)
{
	struct acpi_button *button = &acpi_info.button;
	uint8_t source = button->sci;

	if (source >= ISA_INPUTS || !overrides[source].there)
		return;
	button->sci = (uint8_t)overrides[source].input;
	button->high = (overrides[source].flags & 3) == OVERRIDE_HIGH;
	button->edge = (overrides[source].flags & 12) == OVERRIDE_EDGE;
}

static void read_fadt(const struct table *table)
{
	const uint8_t *fadt = (const uint8_t *)table;

	if (table->length >= FADT_BYTES)
		read_button(fadt);
	if (table->length > FADT_PM_TIMER_LENGTH && fadt[FADT_PM_TIMER_LENGTH] == 4)
		acpi_info.pm_timer = (uint16_t)read32(fadt + FADT_PM_TIMER_BLOCK);
}

void acpi_init(void)
{
	const struct rsdp *rsdp = find_rsdp();
	bool wide = rsdp && rsdp->revision >= 2 && rsdp->xsdt;
	const struct table *root = rsdp ? map_table(wide ? rsdp->xsdt : rsdp->rsdt) : NULL;
	const struct table *srat = NULL, *slit = NULL;
	uint32_t step = wide ? 8 : 4;

	if (!root)
		return;
	acpi_info.found = true;
	for (uint32_t offset = sizeof(*root); offset + step <= root->length; offset += step) {
		const uint8_t *at = (const uint8_t *)root + offset;
		const struct table *table = map_table(wide ? read64(at) : read32(at));

		if (!table)
			continue;
		if (!__builtin_memcmp(table->signature, "APIC", 4))
			read_madt(table);
		else if (!__builtin_memcmp(table->signature, "FACP", 4))
			read_fadt(table);
		else if (!__builtin_memcmp(table->signature, "SRAT", 4))
			srat = table;
		else if (!__builtin_memcmp(table->signature, "SLIT", 4))
			slit = table;
	}
	place_button();
	numa_read(srat, slit);
}
