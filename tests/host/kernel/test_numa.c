/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's reading of SRAT and SLIT, sound, contradictory and damaged ones; layouts from the
 * ACPI specification 6.4, sections 5.2.16 and 5.2.17. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "arch/x86/apic/numa.c"

#define MIB 0x100000ul

struct boot_info boot_info;

/* The tables, which end where the sanitizer sees what is read behind them. */
static uint8_t *srat, *slit;
static uint32_t srat_bytes;

static int new_machine(void **state)
{
	(void)state;
	numa_info = (struct numa_info){.nodes = 1};
	nr_processors = 0;
	refused = false;
	boot_info.nr_regions = 2;
	boot_info.regions[0] = (struct boot_region){0, 0x9f000, BOOT_MEM_USABLE, 0};
	boot_info.regions[1] = (struct boot_region){MIB, 511 * MIB, BOOT_MEM_USABLE, 0};
	srat_bytes = 48;
	srat = calloc(1, srat_bytes);
	srat[8] = 3;
	slit = NULL;
	return 0;
}

static int free_machine(void **state)
{
	(void)state;
	free(srat);
	free(slit);
	return 0;
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	memcpy(at, &value, bytes);
}

/* Gives the SRAT its exact size, so that a sanitizer sees what is read behind it. */
static void resize_srat(size_t bytes)
{
	uint8_t *larger = realloc(srat, bytes);

	assert_non_null(larger);
	srat = larger;
}

static uint8_t *new_entry(uint8_t type, uint8_t bytes)
{
	uint8_t *entry;

	resize_srat(srat_bytes + bytes);
	entry = srat + srat_bytes;
	memset(entry, 0, bytes);
	entry[0] = type;
	entry[1] = bytes;
	srat_bytes += bytes;
	return entry;
}

static void put_apic(uint8_t id, uint32_t domain)
{
	uint8_t *entry = new_entry(0, 16);

	entry[2] = (uint8_t)domain;
	entry[3] = id;
	entry[4] = 1;
	put(entry + 9, domain >> 8, 3);
}

static void put_x2apic(uint32_t id, uint32_t domain)
{
	uint8_t *entry = new_entry(2, 24);

	put(entry + 4, domain, 4);
	put(entry + 8, id, 4);
	entry[12] = 1;
}

static void put_memory(uint64_t start, uint64_t bytes, uint32_t domain)
{
	uint8_t *entry = new_entry(1, 40);

	put(entry + 2, domain, 4);
	put(entry + 8, start, 8);
	put(entry + 16, bytes, 8);
	entry[28] = 1;
}

static void put_slit(uint64_t count, uint64_t bytes, const uint8_t *distances)
{
	slit = calloc(1, 44 + bytes);
	put(slit + 4, 44 + bytes, 4);
	put(slit + 36, count, 8);
	memcpy(slit + 44, distances, bytes);
}

static void read_tables(void)
{
	put(srat + 4, srat_bytes, 4);
	numa_read(srat, slit);
}

static void assert_one_node(void)
{
	assert_int_equal(numa_info.nodes, 1);
	assert_int_equal(numa_info.nr_ranges, 0);
	assert_int_equal(numa_of_processor(0), NUMA_NO_NODE);
}

static void assert_range(uint32_t index, uint64_t start, uint64_t end, uint32_t node)
{
	assert_true(index < numa_info.nr_ranges);
	assert_int_equal(numa_info.ranges[index].start, start);
	assert_int_equal(numa_info.ranges[index].end, end);
	assert_int_equal(numa_info.ranges[index].node, node);
}

/* The memory of two nodes, in domains 7 and 300. */
static void put_halves(void)
{
	put_memory(256 * MIB, 256 * MIB, 300);
	put_memory(0, 0xa0000, 7);
	put_memory(MIB, 255 * MIB, 7);
}

static void without_tables_there_is_one_node(void **state)
{
	(void)state;
	numa_read(NULL, NULL);
	assert_one_node();
	assert_int_equal(numa_info.distances[0][0], 10);
}

static void an_empty_srat_is_one_node(void **state)
{
	(void)state;
	read_tables();
	assert_one_node();
}

static void nodes_are_numbered_by_their_first_processor(void **state)
{
	(void)state;
	put_halves();
	put_x2apic(0x1234, 300);
	put_apic(1, 7);
	put_apic(2, 300);
	read_tables();
	assert_int_equal(numa_info.nodes, 2);
	assert_int_equal(numa_of_processor(0x1234), 0);
	assert_int_equal(numa_of_processor(1), 1);
	assert_int_equal(numa_of_processor(2), 0);
	assert_int_equal(numa_of_processor(3), NUMA_NO_NODE);
	assert_int_equal(numa_info.nr_ranges, 3);
	assert_range(0, 0, 0xa0000, 1);
	assert_range(1, MIB, 256 * MIB, 1);
	assert_range(2, 256 * MIB, 512 * MIB, 0);
	assert_int_equal(numa_info.distances[0][1], 20);
}

static void an_old_srat_has_domains_of_8_bits(void **state)
{
	(void)state;
	srat[8] = 1;
	put_memory(0, 512 * MIB, 0x5502);
	put_apic(0, 0xaa02);
	read_tables();
	assert_int_equal(numa_info.nodes, 1);
	assert_int_equal(numa_info.nr_ranges, 1);
	assert_int_equal(numa_of_processor(0), 0);
}

static void disabled_entries_are_left_out(void **state)
{
	(void)state;
	put_apic(9, 1);
	srat[48 + 4] = 0;
	put_apic(0, 7);
	put_halves();
	new_entry(1, 40)[2] = 77;
	read_tables();
	assert_int_equal(numa_info.nodes, 2);
	assert_int_equal(numa_of_processor(9), NUMA_NO_NODE);
}

static void memory_of_two_nodes_is_refused(void **state)
{
	(void)state;
	put_halves();
	put_memory(255 * MIB, 2 * MIB, 7);
	read_tables();
	assert_one_node();
}

static void overlaps_within_a_node_are_joined(void **state)
{
	(void)state;
	put_halves();
	put_memory(400 * MIB, 300 * MIB, 300);
	put_memory(300 * MIB, MIB, 300);
	read_tables();
	assert_int_equal(numa_info.nodes, 2);
	assert_int_equal(numa_info.nr_ranges, 3);
	assert_range(2, 256 * MIB, 700 * MIB, 0);
}

static void a_range_that_wraps_is_left_out(void **state)
{
	(void)state;
	put_halves();
	put_memory(256 * MIB, -MIB, 7);
	put_memory(512 * MIB, 0, 7);
	read_tables();
	assert_int_equal(numa_info.nodes, 2);
	assert_int_equal(numa_info.nr_ranges, 3);
}

static void memory_without_a_node_is_refused(void **state)
{
	(void)state;
	put_memory(0, 0xa0000, 7);
	put_memory(MIB, 255 * MIB, 7);
	put_memory(258 * MIB, 254 * MIB, 300);
	read_tables();
	assert_one_node();
}

static void too_many_domains_are_refused(void **state)
{
	(void)state;
	put_halves();
	for (uint32_t i = 0; i < 300; i++)
		put_apic((uint8_t)i, i);
	read_tables();
	assert_one_node();
}

static void too_many_ranges_are_refused(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 600; i++)
		put_memory(i * MIB, MIB, i & 1);
	read_tables();
	assert_one_node();
}

static void more_processors_than_fit_are_left_out(void **state)
{
	(void)state;
	put_halves();
	for (uint32_t i = 0; i < 2 * ACPI_PROCESSORS; i++)
		put_x2apic(i, i & 1 ? 7 : 300);
	put_x2apic(0, 7);
	read_tables();
	assert_int_equal(numa_info.nodes, 2);
	assert_int_equal(numa_of_processor(ACPI_PROCESSORS - 1), 1);
	assert_int_equal(numa_of_processor(ACPI_PROCESSORS), NUMA_NO_NODE);
	assert_int_equal(numa_of_processor(0), 1);
}

static void an_entry_of_no_length_ends_the_walk(void **state)
{
	(void)state;
	put_memory(0, 512 * MIB, 7);
	new_entry(0, 16)[1] = 0;
	put_apic(0, 8);
	read_tables();
	assert_int_equal(numa_info.nodes, 1);
	assert_int_equal(numa_of_processor(0), NUMA_NO_NODE);
}

static void short_tables_are_not_read_behind_their_end(void **state)
{
	(void)state;
	put_halves();
	new_entry(1, 39)[28] = 1;
	put_apic(0, 7);
	srat_bytes -= 1;
	resize_srat(srat_bytes);
	put_slit(1000, 4, (const uint8_t[]){10, 30, 30, 10});
	read_tables();
	assert_int_equal(numa_info.nodes, 2);
	assert_int_equal(numa_info.distances[0][1], 20);
	put(srat + 4, 40, 4);
	numa_read(srat, NULL);
	assert_one_node();
}

static void distances_are_by_domain(void **state)
{
	const uint8_t distances[] = {10, 21, 22, 23, 10, 25, 26, 27, 10};

	(void)state;
	put_memory(0, 256 * MIB, 2);
	put_memory(256 * MIB, 256 * MIB, 1);
	put_slit(3, sizeof(distances), distances);
	read_tables();
	assert_int_equal(numa_info.nodes, 2);
	assert_int_equal(numa_info.distances[0][1], 27);
	assert_int_equal(numa_info.distances[1][0], 25);
	assert_int_equal(numa_info.distances[1][1], 10);
}

static void impossible_distances_are_refused(void **state)
{
	const uint8_t far_from_itself[] = {10, 20, 20, 11}, too_near[] = {10, 10, 30, 10};

	(void)state;
	put_memory(0, 256 * MIB, 0);
	put_memory(256 * MIB, 256 * MIB, 1);
	put_slit(2, 4, far_from_itself);
	read_tables();
	assert_int_equal(numa_info.distances[1][1], 10);
	memcpy(slit + 44, too_near, 4);
	numa_info.nr_ranges = 0;
	read_tables();
	assert_int_equal(numa_info.distances[0][1], 20);
	assert_int_equal(numa_info.distances[1][0], 20);
	put(slit + 36, 1ul << 63, 8);
	numa_info.nr_ranges = 0;
	read_tables();
	assert_int_equal(numa_info.distances[0][1], 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_machine, free_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(without_tables_there_is_one_node),
	    TEST(an_empty_srat_is_one_node),
	    TEST(nodes_are_numbered_by_their_first_processor),
	    TEST(an_old_srat_has_domains_of_8_bits),
	    TEST(disabled_entries_are_left_out),
	    TEST(memory_of_two_nodes_is_refused),
	    TEST(overlaps_within_a_node_are_joined),
	    TEST(a_range_that_wraps_is_left_out),
	    TEST(memory_without_a_node_is_refused),
	    TEST(too_many_domains_are_refused),
	    TEST(too_many_ranges_are_refused),
	    TEST(more_processors_than_fit_are_left_out),
	    TEST(an_entry_of_no_length_ends_the_walk),
	    TEST(short_tables_are_not_read_behind_their_end),
	    TEST(distances_are_by_domain),
	    TEST(impossible_distances_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
