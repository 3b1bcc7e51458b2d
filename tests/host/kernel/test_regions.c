/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map in order: boot_regions_finish() against a reference that looks at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "boot/boot.h"

#define SPACE  64 /* addresses of the small world in which every byte is looked at */
#define ROUNDS 20000

static struct boot_info map_of(const struct boot_region *regions, uint32_t count)
{
	struct boot_info info = {.nr_regions = count};

	memcpy(info.regions, regions, count * sizeof(*regions));
	boot_regions_finish(&info);
	return info;
}

static void assert_region(const struct boot_region *region, uint64_t base, uint64_t bytes,
			  uint32_t kind)
{
	assert_int_equal(region->base, base);
	assert_int_equal(region->bytes, bytes);
	assert_int_equal(region->kind, kind);
}

static void sorts_and_joins(void **state)
{
	const struct boot_region regions[] = {{0x300, 0x100, BOOT_MEM_USABLE, 0},
					      {0x100, 0x100, BOOT_MEM_USABLE, 0},
					      {0x200, 0x100, BOOT_MEM_USABLE, 0},
					      {0x500, 0, BOOT_MEM_RESERVED, 0},
					      {0x400, 0x100, BOOT_MEM_RESERVED, 0}};
	struct boot_info info = map_of(regions, 5);

	(void)state;
	assert_int_equal(info.nr_regions, 2);
	assert_region(&info.regions[0], 0x100, 0x300, BOOT_MEM_USABLE);
	assert_region(&info.regions[1], 0x400, 0x100, BOOT_MEM_RESERVED);
}

static void reserved_cuts_a_hole(void **state)
{
	const struct boot_region regions[] = {{0, 0x1000, BOOT_MEM_USABLE, 0},
					      {0x400, 0x100, BOOT_MEM_RESERVED, 0}};
	struct boot_info info = map_of(regions, 2);

	(void)state;
	assert_int_equal(info.nr_regions, 3);
	assert_region(&info.regions[0], 0, 0x400, BOOT_MEM_USABLE);
	assert_region(&info.regions[1], 0x400, 0x100, BOOT_MEM_RESERVED);
	assert_region(&info.regions[2], 0x500, 0xb00, BOOT_MEM_USABLE);
}

/* A firmware's entry may reach beyond the last address: what others reserve stays reserved. */
static void a_wrapping_entry_is_cut(void **state)
{
	const struct boot_region regions[] = {{0x100000, -0x80000ul, BOOT_MEM_USABLE, 0},
					      {-0x1000ul, 0x2000, BOOT_MEM_USABLE, 0},
					      {0x40000000, 0x1000, BOOT_MEM_RESERVED, 0}};
	struct boot_info info = map_of(regions, 3);

	(void)state;
	assert_int_equal(info.nr_regions, 3);
	assert_region(&info.regions[0], 0x100000, 0x40000000 - 0x100000, BOOT_MEM_USABLE);
	assert_region(&info.regions[1], 0x40000000, 0x1000, BOOT_MEM_RESERVED);
	assert_region(&info.regions[2], 0x40001000, (1ul << 52) - 0x40001000, BOOT_MEM_USABLE);
}

static void an_empty_map_stays_empty(void **state)
{
	const struct boot_region nothing = {0};
	struct boot_info info = map_of(&nothing, 0);

	(void)state;
	assert_int_equal(info.nr_regions, 0);
}

/* Returns the type of a byte that several regions claim: a type other than free memory wins. */
static uint32_t stronger(uint32_t a, uint32_t b)
{
	static const int strength[] = {
	    [0] = 0, [BOOT_MEM_USABLE] = 1, [BOOT_MEM_ACPI] = 2, [BOOT_MEM_RESERVED] = 3};

	return strength[a] > strength[b] ? a : b;
}

static void agrees_with_every_byte(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		struct boot_region regions[8] = {{0}};
		uint32_t want[SPACE] = {0}, count = (uint32_t)rand() % 9;
		struct boot_info info;
		uint64_t end = 0;

		for (uint32_t i = 0; i < count; i++) {
			regions[i] =
			    (struct boot_region){.base = (uint64_t)rand() % SPACE,
						 .kind = BOOT_MEM_USABLE + (uint32_t)rand() % 3};
			regions[i].bytes = (uint64_t)rand() % (SPACE - regions[i].base + 1);
			for (uint64_t at = 0; at < regions[i].bytes; at++)
				want[regions[i].base + at] =
				    stronger(want[regions[i].base + at], regions[i].kind);
		}
		info = map_of(regions, count);
		for (uint32_t i = 0; i < info.nr_regions; i++) {
			const struct boot_region *region = &info.regions[i];

			assert_true(region->bytes > 0 && region->base >= end);
			end = region->base + region->bytes;
			for (uint64_t at = region->base; at < end; at++) {
				assert_int_equal(region->kind, want[at]);
				want[at] = 0;
			}
		}
		for (unsigned at = 0; at < SPACE; at++)
			assert_int_equal(want[at], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sorts_and_joins),         cmocka_unit_test(reserved_cuts_a_hole),
	    cmocka_unit_test(a_wrapping_entry_is_cut), cmocka_unit_test(an_empty_map_stays_empty),
	    cmocka_unit_test(agrees_with_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
