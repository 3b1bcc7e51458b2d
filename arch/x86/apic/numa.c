/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads ACPI's tables of memory nodes, SRAT and SLIT: ACPI specification 6.4, sections 5.2.16 and
 * 5.2.17. */
#include <stdbool.h>
#include "abi/boot_info.h"
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/numa.h"

/* Offsets in a table; both start with ACPI's header of 36 bytes. */
enum { TABLE_LENGTH = 4, TABLE_REVISION = 8, SLIT_COUNT = 36, SLIT_BYTES = 44, SRAT_BYTES = 48 };

/* Entries of the SRAT: type, length, then the fields. */
enum { SRAT_APIC = 0, SRAT_MEMORY = 1, SRAT_X2APIC = 2 };
#define SRAT_ENABLED  1u
#define UNCOVERED_MAX 0x100000ul /* usable bytes that the SRAT may leave out, as on Linux */
#define WIDE_REVISION 2          /* from which on proximity domains have 32 bits */
#define DOMAIN_LOW    0xffu

struct numa_info numa_info = {.nodes = 1, .distances = {{NUMA_LOCAL}}};

static uint32_t domains[NUMA_NODES]; /* the proximity domain of each node */
static struct {
	uint32_t apic_id, node;
} processors[ACPI_PROCESSORS];
static uint32_t nr_processors;
static bool refused; /* the tables are contradictory, or too large */

static uint64_t read_field(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/* Returns the node of a proximity domain, a new one for a new domain; NUMA_NO_NODE: too many. */
static uint32_t node_of_domain(uint32_t domain)
{
	for (uint32_t i = 0; i < numa_info.nodes; i++)
		if (domains[i] == domain)
			return i;
	if (numa_info.nodes == NUMA_NODES) {
		refused = true;
		return NUMA_NO_NODE;
	}
	domains[numa_info.nodes] = domain;
	return numa_info.nodes++;
}

static void add_processor(uint32_t apic_id, uint32_t domain)
{
	uint32_t node = node_of_domain(domain), i = 0;

	while (i < nr_processors && processors[i].apic_id != apic_id)
		i++;
	if (i == ACPI_PROCESSORS)
		return;
	processors[i].apic_id = apic_id;
	processors[i].node = node;
	if (i == nr_processors)
		nr_processors++;
}

/* Adds a range in the order of addresses. */
static void add_range(uint64_t start, uint64_t end, uint32_t node)
{
	struct numa_range *ranges = numa_info.ranges;
	uint32_t i = numa_info.nr_ranges;

	if (i == NUMA_RANGES) {
		refused = true;
		return;
	}
	for (; i > 0 && ranges[i - 1].start > start; i--)
		ranges[i] = ranges[i - 1];
	ranges[i] = (struct numa_range){start, end, node};
	numa_info.nr_ranges++;
}

static void add_memory(const uint8_t *at, uint32_t domain_bits)
{
	uint64_t start = read_field(at + 8, 8), end = start + read_field(at + 16, 8);

	if (!(read_field(at + 28, 4) & SRAT_ENABLED))
		return;
	domain_bits &= (uint32_t)read_field(at + 2, 4);
	if (start < end)
		add_range(start, end, node_of_domain(domain_bits));
	else
		(void)node_of_domain(domain_bits);
}

/* Adds the entry if it is of the wanted kind: memory, or a processor. */
static void add_entry(const uint8_t *at, bool memory, uint32_t domain_bits)
{
	if (memory && at[0] == SRAT_MEMORY && at[1] >= 40)
		add_memory(at, domain_bits);
	if (!memory && at[0] == SRAT_APIC && at[1] >= 16 && at[4] & SRAT_ENABLED)
		add_processor(at[3], (at[2] | (uint32_t)read_field(at + 9, 3) << 8) & domain_bits);
	if (!memory && at[0] == SRAT_X2APIC && at[1] >= 24 && at[12] & SRAT_ENABLED)
		add_processor((uint32_t)read_field(at + 8, 4), (uint32_t)read_field(at + 4, 4));
}

static void read_srat(const uint8_t *table)
{
	const uint8_t *end = table + read_field(table + TABLE_LENGTH, 4);
	uint32_t domain_bits = table[TABLE_REVISION] >= WIDE_REVISION ? ~0u : DOMAIN_LOW;

	for (int memory = 0; memory < 2; memory++)
		for (const uint8_t *at = table + SRAT_BYTES;
		     at + 2 <= end && at[1] >= 2 && at + at[1] <= end; at += at[1])
			add_entry(at, memory, domain_bits);
}

/* Joins overlapping ranges of one node; returns false if two nodes have the same memory. */
static bool ranges_join(void)
{
	struct numa_range *last = numa_info.ranges;
	uint32_t nr = numa_info.nr_ranges;

	for (uint32_t i = 1; i < nr; i++) {
		struct numa_range *range = &numa_info.ranges[i];

		if (range->start >= last->end) {
			*++last = *range;
		} else if (range->node != last->node) {
			return false;
		} else if (range->end > last->end) {
			last->end = range->end;
		}
	}
	numa_info.nr_ranges = nr ? (uint32_t)(last - numa_info.ranges) + 1 : 0;
	return true;
}

/* Returns the bytes of [start, end) that are in a range. */
static uint64_t covered(uint64_t start, uint64_t end)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < numa_info.nr_ranges; i++) {
		const struct numa_range *range = &numa_info.ranges[i];
		uint64_t from = range->start > start ? range->start : start,
			 to = range->end < end ? range->end : end;

		bytes += from < to ? to - from : 0;
	}
	return bytes;
}

/* True if the ranges leave out less than 1 MiB of the usable memory. */
static bool ranges_suffice(void)
{
	uint64_t missing = 0;

	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE)
			missing +=
			    region->bytes - covered(region->base, region->base + region->bytes);
	}
	return missing < UNCOVERED_MAX;
}

static void default_distances(void)
{
	for (uint32_t from = 0; from < NUMA_NODES; from++)
		for (uint32_t to = 0; to < NUMA_NODES; to++)
			numa_info.distances[from][to] = from == to ? NUMA_LOCAL : NUMA_REMOTE;
}

/* True if all distances are there, a node is the nearest to itself, and no other is as near. */
static bool slit_valid(const uint8_t *distances, uint64_t count, uint64_t bytes)
{
	if (count > bytes || count * count > bytes)
		return false;
	for (uint64_t i = 0; i < count * count; i++)
		if (i / count == i % count ? distances[i] != NUMA_LOCAL
					   : distances[i] <= NUMA_LOCAL)
			return false;
	return true;
}

/* The SLIT's rows and columns are proximity domains. */
static void read_slit(const uint8_t *table)
{
	uint64_t length = read_field(table + TABLE_LENGTH, 4), count;

	if (length < SLIT_BYTES)
		return;
	count = read_field(table + SLIT_COUNT, 8);
	if (!slit_valid(table + SLIT_BYTES, count, length - SLIT_BYTES))
		return;
	for (uint32_t from = 0; from < numa_info.nodes; from++)
		for (uint32_t to = 0; to < numa_info.nodes; to++)
			if (domains[from] < count && domains[to] < count)
				numa_info.distances[from][to] =
				    table[SLIT_BYTES + domains[from] * count + domains[to]];
}

void numa_read(const void *srat, const void *slit)
{
	default_distances();
	if (!srat)
		return;
	numa_info.nodes = 0;
	read_srat(srat);
	if (refused || !numa_info.nodes || !ranges_join() || !ranges_suffice()) {
		numa_info.nodes = 1;
		numa_info.nr_ranges = 0;
		nr_processors = 0;
	} else if (slit) {
		read_slit(slit);
	}
}

uint32_t numa_of_processor(uint32_t apic_id)
{
	for (uint32_t i = 0; i < nr_processors; i++)
		if (processors[i].apic_id == apic_id)
			return processors[i].node;
	return NUMA_NO_NODE;
}
