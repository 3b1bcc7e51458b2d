/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges and mappings of addresses against arrays that have an entry for each address; and that the
 * trees of mappings stay shallow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "apps/lib/symbols/ranges.c"
#include "apps/report/memory.c"
#include "apps/report/places/maps.c"

#define ROUNDS    2000
#define ADDRESSES 64 /* of the small worlds */
#define RANGES    12
#define PROCESSES 4
#define MANY      50000

struct file {
	unsigned number;
};

/* The nodes of mappings are never freed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static struct range any_range(void)
{
	uint64_t a = (uint64_t)rand() % (ADDRESSES + 1), b = (uint64_t)rand() % (ADDRESSES + 1);

	return (struct range){a < b ? a : b, a < b ? b : a};
}

static void test_ranges(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct range range[RANGES];
		size_t nr = (size_t)rand() % (RANGES + 1), last[ADDRESSES];
		struct ranges *ranges;

		for (unsigned at = 0; at < ADDRESSES; at++)
			last[at] = RANGES_NONE;
		for (size_t i = 0; i < nr; i++) {
			range[i] = any_range();
			for (uint64_t at = range[i].start; at < range[i].end; at++)
				last[at] = i;
		}
		ranges = ranges_new(range, nr);
		assert_non_null(ranges);
		for (unsigned at = 0; at < ADDRESSES; at++)
			assert_true(ranges_find(ranges, at) == last[at]);
		ranges_free(ranges);
	}
}

static void test_ranges_at_the_end(void **state)
{
	const struct range range[] = {
	    {UINT64_MAX - 4, UINT64_MAX}, {8, 8}, {9, 4}, {UINT64_MAX - 2, UINT64_MAX}};
	struct ranges *ranges = ranges_new(range, 4);

	(void)state;
	assert_true(ranges_find(ranges, 8) == RANGES_NONE);
	assert_true(ranges_find(ranges, UINT64_MAX - 5) == RANGES_NONE);
	assert_true(ranges_find(ranges, UINT64_MAX - 3) == 0);
	assert_true(ranges_find(ranges, UINT64_MAX - 1) == 3);
	assert_true(ranges_find(NULL, 0) == RANGES_NONE);
	ranges_free(ranges);
}

/* The byte `offset` of the file, at an address of a small world. */
struct shown {
	struct file *file;
	uint64_t offset;
};

static void map_any(struct maps *maps, struct shown *shown, struct file *file)
{
	struct range range = any_range();
	uint64_t offset = (uint64_t)rand() % 1000;

	maps_add(maps, range.start, range.end, offset, file);
	for (uint64_t at = range.start; at < range.end; at++)
		shown[at] = (struct shown){file, offset + at - range.start};
}

static void compare(const struct maps *maps, const struct shown *shown)
{
	for (uint64_t at = 0; at < ADDRESSES; at++) {
		const struct map *map = maps_find(maps, at);

		assert_ptr_equal(map ? map->file : NULL, shown[at].file);
		if (map)
			assert_int_equal(map->offset + at - map->start, shown[at].offset);
	}
}

/* Processes map and fork; none sees another's later mappings. */
static void test_maps(void **state)
{
	struct maps maps[PROCESSES] = {0};
	struct shown shown[PROCESSES][ADDRESSES] = {0};
	struct file files[8];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned process = (unsigned)rand() % PROCESSES, of = (unsigned)rand() % PROCESSES;

		if (rand() % 8)
			map_any(&maps[process], shown[process], &files[rand() % 8]);
		else if (process != of) {
			maps_fork(&maps[of], &maps[process]);
			memcpy(shown[process], shown[of], sizeof(shown[of]));
		}
		for (unsigned i = 0; i < PROCESSES; i++)
			compare(&maps[i], shown[i]);
	}
}

static unsigned depth_of(const struct map *tree)
{
	unsigned below = tree ? depth_of(tree->below) : 0, above = tree ? depth_of(tree->above) : 0;

	return tree ? 1 + (below > above ? below : above) : 0;
}

/* Mappings in order are the worst case of a tree without balance. A treap's expected depth is about
 * 1.39 * 2 * log2(n), here 43; four times that has a probability below 1e-20. */
static void test_depth(void **state)
{
	struct maps maps = {0};

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		maps_add(&maps, i * 4096, (i + 1) * 4096, 0, NULL);
	assert_in_range(depth_of(maps.root), 16, 172);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranges),
	    cmocka_unit_test(test_ranges_at_the_end),
	    cmocka_unit_test(test_maps),
	    cmocka_unit_test(test_depth),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
