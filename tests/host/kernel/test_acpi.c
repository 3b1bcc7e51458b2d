/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's reading of ACPI's tables, sound and damaged ones; layouts from the ACPI
 * specification 6.4, chapter 5. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>
#include "arch/x86/apic/acpi.c"

#define PAGE 4096

struct boot_info boot_info;

/* "Physical" memory below 4 GiB, one page a table. */
static uint8_t *memory;
enum { RSDP_PAGE, RSDT_PAGE, XSDT_PAGE, MADT_PAGE, FADT_PAGE, OTHER_PAGE, PAGES };

void *paging_map_device(uint64_t phys, uint64_t bytes, enum paging_cache cache)
{
	assert_true(phys >= (uint64_t)memory && phys + bytes <= (uint64_t)memory + PAGES * PAGE);
	assert_int_equal(cache, PAGING_CACHED);
	return (void *)phys;
}

/* Tables of memory nodes: test_numa.c reads them. */
static const void *nodes, *distances;

void numa_read(const void *srat, const void *slit)
{
	nodes = srat;
	distances = slit;
}

static uint8_t *page(unsigned number)
{
	return memory + (size_t)number * PAGE;
}

/* Makes the bytes sum to zero by the one at `checksum`. */
static void seal(uint8_t *bytes, uint32_t length, uint32_t checksum)
{
	uint8_t sum = 0;

	bytes[checksum] = 0;
	for (uint32_t i = 0; i < length; i++)
		sum += bytes[i];
	bytes[checksum] = (uint8_t)-sum;
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	memcpy(at, &value, bytes);
}

static void make_table(unsigned number, const char *signature, const void *body, uint32_t bytes)
{
	uint8_t *table = page(number);

	memcpy(table, signature, 4);
	put(table + 4, 36 + bytes, 4);
	memcpy(table + 36, body, bytes);
	seal(table, 36 + bytes, 9);
}

static void make_root(uint8_t revision)
{
	uint8_t *rsdp = page(RSDP_PAGE), rsdt[8], xsdt[24];

	put(rsdt, (uint64_t)page(MADT_PAGE), 4);
	put(rsdt + 4, (uint64_t)page(FADT_PAGE), 4);
	put(xsdt, (uint64_t)page(OTHER_PAGE), 8);
	put(xsdt + 8, (uint64_t)page(FADT_PAGE), 8);
	put(xsdt + 16, (uint64_t)page(MADT_PAGE), 8);
	make_table(RSDT_PAGE, "RSDT", rsdt, sizeof(rsdt));
	make_table(XSDT_PAGE, "XSDT", xsdt, sizeof(xsdt));
	memcpy(rsdp, "RSD PTR ", 8);
	rsdp[15] = revision;
	put(rsdp + 16, (uint64_t)page(RSDT_PAGE), 4);
	put(rsdp + 20, 36, 4);
	put(rsdp + 24, (uint64_t)page(XSDT_PAGE), 8);
	seal(rsdp, 20, 8);
	boot_info.rsdp = (uint64_t)rsdp;
}

/* Three processors (one of them disabled, one x2APIC's), two I/O APICs, and an entry of an
 * unknown kind. */
static const uint8_t madt[] = {
    0,    0,  0xe0, 0xfe, 1, 0,    0,    0, /* local APIC address, flags */
    0,    8,  0,    0,    1, 0,    0,    0, /* enabled */
    0,    8,  1,    1,    0, 0,    0,    0, /* not enabled */
    0x7f, 4,  0xff, 0xff,                   /* unknown */
    9,    16, 0,    0,    0, 1,    0,    0,    1,  0, 0, 0, 2, 0, 0, 0, /* enabled, x2APIC */
    1,    12, 0,    0,    0, 0,    0xc0, 0xfe, 0,  0, 0, 0,             /* I/O APIC at fec00000H */
    1,    12, 1,    0,    0, 0x10, 0xc0, 0xfe, 24, 0, 0, 0,             /* I/O APIC at fec01000H */
};

static void make_fadt(uint8_t timer_length)
{
	uint8_t body[276 - 36] = {0};

	put(body + 76 - 36, 0x608, 4);
	body[91 - 36] = timer_length;
	make_table(FADT_PAGE, "FACP", body, sizeof(body));
}

static int new_machine(void **state)
{
	(void)state;
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	acpi_info = (struct acpi_info){.processors = 1};
	make_root(2);
	make_table(MADT_PAGE, "APIC", madt, sizeof(madt));
	make_table(OTHER_PAGE, "HPET", madt, 8);
	make_fadt(4);
	return 0;
}

static int free_machine(void **state)
{
	(void)state;
	return munmap(memory, PAGES * PAGE);
}

static void assert_all_found(void)
{
	assert_true(acpi_info.found);
	assert_int_equal(acpi_info.processors, 2);
	assert_int_equal(acpi_info.nr_ioapics, 2);
	assert_int_equal(acpi_info.ioapics[0], 0xfec00000);
	assert_int_equal(acpi_info.ioapics[1], 0xfec01000);
	assert_int_equal(acpi_info.pm_timer, 0x608);
}

static void reads_the_xsdt(void **state)
{
	(void)state;
	memset(page(RSDT_PAGE), 0, PAGE);
	acpi_init();
	assert_all_found();
}

static void reads_the_rsdt_of_old_machines(void **state)
{
	(void)state;
	make_root(0);
	memset(page(XSDT_PAGE), 0, PAGE);
	acpi_init();
	assert_all_found();
}

static void a_damaged_root_pointer_is_no_acpi(void **state)
{
	(void)state;
	page(RSDP_PAGE)[9] ^= 1;
	acpi_init();
	assert_false(acpi_info.found);
	assert_int_equal(acpi_info.processors, 1);
}

static void a_damaged_root_table_is_no_acpi(void **state)
{
	(void)state;
	page(XSDT_PAGE)[40] ^= 1;
	acpi_init();
	assert_false(acpi_info.found);
}

static void a_damaged_table_is_left_out(void **state)
{
	(void)state;
	page(MADT_PAGE)[50] ^= 1;
	acpi_init();
	assert_true(acpi_info.found);
	assert_int_equal(acpi_info.processors, 1);
	assert_int_equal(acpi_info.nr_ioapics, 0);
	assert_int_equal(acpi_info.pm_timer, 0x608);
}

static void an_entry_of_no_length_ends_the_walk(void **state)
{
	uint8_t body[sizeof(madt)];

	(void)state;
	memcpy(body, madt, sizeof(madt));
	body[8 + 8 + 8 + 1] = 0; /* the unknown entry's length */
	make_table(MADT_PAGE, "APIC", body, sizeof(body));
	acpi_init();
	assert_int_equal(acpi_info.processors, 1);
	assert_int_equal(acpi_info.nr_ioapics, 0);
}

static void no_pm_timer(void **state)
{
	(void)state;
	make_fadt(0);
	acpi_init();
	assert_int_equal(acpi_info.pm_timer, 0);
}

/* The FADT's fixed hardware, and where the MADT says that the SCI (ISA interrupt 9) comes. */
static void make_button(uint32_t flags, uint16_t how)
{
	uint8_t body[276 - 36] = {0}, override[8 + 10] = {0};

	put(body + 46 - 36, 9, 2);
	put(body + 48 - 36, 0xb2, 4);
	body[52 - 36] = 2;
	body[53 - 36] = 3;
	put(body + 56 - 36, 0x600, 4);
	put(body + 64 - 36, 0x604, 4);
	body[88 - 36] = 4;
	put(body + 109 - 36, 2, 2);
	put(body + 112 - 36, flags, 4);
	make_table(FADT_PAGE, "FACP", body, sizeof(body));
	override[8] = MADT_OVERRIDE;
	override[9] = 10;
	override[11] = 9;
	put(override + 12, 20, 4);
	put(override + 16, how, 2);
	make_table(MADT_PAGE, "APIC", override, sizeof(override));
	memset(overrides, 0, sizeof(overrides));
}

static void a_power_button(void **state)
{
	const struct acpi_button *button = &acpi_info.button;

	(void)state;
	make_button(0, 0xd);
	acpi_init();
	assert_true(button->found && button->high && !button->edge && acpi_info.keyboard);
	assert_int_equal(button->sci, 20);
	assert_int_equal(button->status[0], 0x600);
	assert_int_equal(button->enable[0], 0x602);
	assert_int_equal(button->status[1] | button->enable[1], 0);
	assert_int_equal(button->control, 0x604);
	assert_int_equal(button->command, 0xb2);
	assert_int_equal(button->acpi_on | button->acpi_off << 8, 0x302);
}

static void no_power_button(void **state)
{
	(void)state;
	make_button(1u << 4, 0xd); /* it is a method's */
	acpi_init();
	assert_false(acpi_info.button.found);
	make_button(1u << 20, 0xd); /* there is no fixed hardware */
	acpi_init();
	assert_false(acpi_info.button.found);
}

static void hands_over_the_tables_of_nodes(void **state)
{
	(void)state;
	acpi_init();
	assert_null(nodes);
	assert_null(distances);
	make_table(OTHER_PAGE, "SRAT", madt, 12);
	make_table(FADT_PAGE, "SLIT", madt, 9);
	acpi_init();
	assert_ptr_equal(nodes, page(OTHER_PAGE));
	assert_ptr_equal(distances, page(FADT_PAGE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(reads_the_xsdt, new_machine, free_machine),
	    cmocka_unit_test_setup_teardown(reads_the_rsdt_of_old_machines, new_machine,
					    free_machine),
	    cmocka_unit_test_setup_teardown(a_damaged_root_pointer_is_no_acpi, new_machine,
					    free_machine),
	    cmocka_unit_test_setup_teardown(a_damaged_root_table_is_no_acpi, new_machine,
					    free_machine),
	    cmocka_unit_test_setup_teardown(a_damaged_table_is_left_out, new_machine, free_machine),
	    cmocka_unit_test_setup_teardown(an_entry_of_no_length_ends_the_walk, new_machine,
					    free_machine),
	    cmocka_unit_test_setup_teardown(no_pm_timer, new_machine, free_machine),
	    cmocka_unit_test_setup_teardown(a_power_button, new_machine, free_machine),
	    cmocka_unit_test_setup_teardown(no_power_button, new_machine, free_machine),
	    cmocka_unit_test_setup_teardown(hands_over_the_tables_of_nodes, new_machine,
					    free_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
