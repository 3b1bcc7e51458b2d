/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's ACPI tables with any bytes; each sum is made right, so that their contents are
 * looked at. */
#include "tests/harness/bytes.h"
#include "arch/x86/apic/acpi.c"

#define PAGE  4096ul
#define PAGES 6
#define BASE  0x10000ul /* the kernel's address of the tables */

struct boot_info boot_info;
static uint8_t memory[PAGES * PAGE] __attribute__((aligned(4096)));

/* The kernel may read this range of its mappings and nothing else. */
void *paging_map_device(uint64_t phys, uint64_t bytes, enum paging_cache cache)
{
	(void)cache;
	if (phys < BASE || bytes > sizeof(memory) || phys - BASE > sizeof(memory) - bytes)
		return NULL;
	return memory + (phys - BASE);
}

static void seal(uint8_t *table, uint32_t length, unsigned at)
{
	uint8_t sum = 0;

	table[at] = 0;
	for (uint32_t i = 0; i < length; i++)
		sum = (uint8_t)(sum + table[i]);
	table[at] = (uint8_t)-sum;
}

/* A table fills what its page has of the input; the root table points to the others. */
static void make_table(unsigned page, const char *signature, uint32_t length)
{
	uint8_t *table = memory + page * PAGE;

	memcpy(table, signature, 4);
	if (length > PAGE)
		length = PAGE;
	memcpy(table + 4, &length, 4);
	seal(table, length, 9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = {data, size};
	uint32_t lengths[3];
	struct rsdp *rsdp = (struct rsdp *)memory;

	for (unsigned i = 0; i < 3; i++)
		lengths[i] = 36 + (uint32_t)take(&in, 2) % (uint32_t)(PAGE - 36);
	memset(memory, 0, sizeof(memory));
	for (unsigned page = 1; page < 4; page++)
		for (size_t i = 36; i < PAGE && in.left; i++)
			memory[page * PAGE + i] = (uint8_t)take(&in, 1);
	memcpy(memory + PAGE + 36,
	       (uint64_t[]){BASE + 2 * PAGE, BASE + 3 * PAGE, BASE + 4 * PAGE, BASE + 5 * PAGE},
	       32);
	memcpy(memory + 4 * PAGE, memory + 2 * PAGE, 2 * PAGE);
	make_table(1, "XSDT", lengths[0]);
	make_table(2, "APIC", lengths[1]);
	make_table(3, "FACP", lengths[2]);
	make_table(4, "SRAT", lengths[1]);
	make_table(5, "SLIT", lengths[2]);
	*rsdp = (struct rsdp){.signature = "RSD PTR ", .revision = 2, .xsdt = BASE + PAGE};
	seal(memory, 20, offsetof(struct rsdp, checksum));
	boot_info.rsdp = BASE;
	acpi_info = (struct acpi_info){.processors = 1};
	acpi_init();
	return 0;
}
