/* SPDX-License-Identifier: BSD-2-Clause */
/* Outputs of Processor Trace: tables with regions of several sizes, STOP, a single range, wrong
 * entries. */
#include "tests/sim/pt/pt_walk.h"

/* Regions of 4, 8 and 4 KiB, tables that lead to each other: together they have all. */
static void regions_follow_each_other(void **state)
{
	struct walk *walk = new_walk(99, USER | PT_CTL_NO_RETC | PT_CTL_TSC | PT_CTL_CYC);
	struct pt_state *pt = &walk->guest.page.pt;
	uint8_t *all = calloc(1, MEMORY);

	(void)state;
	walk->interrupts = true;
	entry(0, OUTPUT, 0, 0);
	entry(1, OUTPUT + 0x4000, 1, PT_TOPA_INT);
	entry(2, TABLE + 0x1000, 0, PT_TOPA_END);
	entry(512, OUTPUT + 0x2000, 0, 0);
	entry(513, 0x80000, 7, 0);
	walk_along(walk);
	assert_int_equal(pt->base, TABLE + 0x1000);
	assert_int_equal((uint32_t)pt->mask, 1u << PT_MASK_INDEX | PT_MASK_ONES);
	assert_int_equal(walk->stops, 1);
	memcpy(all, memory + OUTPUT, 0x1000);
	memcpy(all + 0x1000, memory + OUTPUT + 0x4000, 0x2000);
	memcpy(all + 0x3000, memory + OUTPUT + 0x2000, 0x1000);
	memcpy(all + 0x4000, memory + 0x80000, written(walk));
	decode(walk, all, 0x4000 + written(walk), 0);
	free(all);
	walk_end(walk);
	free(walk);
}

#define LEFT  64 /* bytes of a region */
#define SIZES 16

/* A region of each size, from 4 KiB to 128 MiB, with its last bytes left; then one of 512 KiB. */
static void each_size_ends(void **state)
{
	uint8_t *all = calloc(1, MEMORY);

	(void)state;
	for (unsigned size = 0; size < SIZES; size++) {
		struct walk *walk = new_walk(size, USER | PT_CTL_TSC | PT_CTL_CYC);
		struct pt_state *pt = &walk->guest.page.pt;

		entry(0, LARGE, size, PT_TOPA_INT);
		entry(1, 0x80000, 7, 0);
		entry(2, TABLE, 0, PT_TOPA_END);
		pt->mask |= ((4096ull << size) - LEFT) << PT_MASK_OFFSET;
		walk_along(walk);
		assert_int_equal(pt->status & PT_STATUS_HALTED, 0);
		assert_int_equal((uint32_t)pt->mask, 1u << PT_MASK_INDEX | PT_MASK_ONES);
		assert_int_equal(walk->stops, 1);
		memcpy(all, large_page + sizeof(large_page) - LEFT, LEFT);
		memcpy(all + LEFT, memory + 0x80000, written(walk));
		decode(walk, all, LEFT + written(walk), 0);
		walk_end(walk);
		free(walk);
	}
	free(all);
}

/* With STOP nothing goes beyond the region, whose whole size the offset then says. */
static void a_full_region_stops(void **state)
{
	struct walk *walk = new_walk(7, USER | PT_CTL_TSC | PT_CTL_CYC);
	struct pt_state *pt = &walk->guest.page.pt;

	(void)state;
	entry(0, OUTPUT, 1, PT_TOPA_STOP | PT_TOPA_INT);
	entry(1, OUTPUT + 0x2000, 1, 0);
	walk_along(walk);
	assert_int_equal(written(walk), 0x2000);
	assert_int_equal(pt->status & PT_STATUS_HALTED, PT_STATUS_STOPPED);
	assert_int_equal(walk->stops, 1);
	for (unsigned i = 0; i < 0x2000; i++)
		assert_int_equal(memory[OUTPUT + 0x2000 + i], 0);
	walk_end(walk);
	free(walk);
}

/* A single range begins again at its end; the latest PSB in it is where a decoder begins. */
static void a_single_range_wraps(void **state)
{
	struct walk *walk = new_walk(5, (USER & ~PT_CTL_TOPA) | PT_CTL_TSC | PT_CTL_CYC);
	struct pt_state *pt = &walk->guest.page.pt;

	(void)state;
	pt->base = OUTPUT;
	pt->mask = 0xfff;
	walk_along(walk);
	assert_int_equal(pt->status & PT_STATUS_HALTED, 0);
	assert_true(written(walk) < 0x1000);
	for (unsigned i = 0; i < 0x1000; i++)
		assert_int_equal(memory[OUTPUT + 0x1000 + i], 0);
	walk_end(walk);
	free(walk);
}

/* An invalid entry is an operational error when it becomes current, and no byte is written
 * elsewhere. */
static void wrong_tables_are_errors(void **state)
{
	static const struct {
		uint64_t base, first, second, mask;
	} rows[] = {
	    {TABLE, OUTPUT | 2, 0, 0},                            /* a reserved bit */
	    {TABLE, 1ull << PT_ADDRESS_BITS | OUTPUT, 0, 0},      /* an address too wide */
	    {TABLE, (OUTPUT + 0x1000) | 1 << PT_TOPA_SIZE, 0, 0}, /* not a multiple of its size */
	    {TABLE, MEMORY, 0, 0},                                /* no memory */
	    {MEMORY, 0, 0, 0},                                    /* no table */
	    {TABLE, TABLE | PT_TOPA_END, 0, 0}, /* a table that is only a link to itself */
	    {TABLE, OUTPUT | PT_TOPA_END | PT_TOPA_STOP, 0, 0}, /* a link that stops */
	    {TABLE, OUTPUT, 0, 0x1000},                         /* the offset is outside */
	    {TABLE, OUTPUT, MEMORY, 0},                         /* the second region is no memory */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct walk *walk = new_walk(i, USER | PT_CTL_TSC | PT_CTL_CYC);
		struct pt_state *pt = &walk->guest.page.pt;

		entry(0, rows[i].first, 0, 0);
		entry(1, rows[i].second, 0, 0);
		output_to(walk, rows[i].base);
		pt->mask |= rows[i].mask << PT_MASK_OFFSET;
		walk_along(walk);
		assert_int_equal(pt->status & PT_STATUS_HALTED, PT_STATUS_ERROR);
		for (unsigned at = rows[i].second ? OUTPUT + 0x1000 : TABLE + 16; at < MEMORY; at++)
			assert_int_equal(memory[at], 0);
		walk_end(walk);
		free(walk);
	}
}

/* The visor and the core write into one region in turn: each continues where the other one
 * stopped. */
static void two_writers_share_a_region(void **state)
{
	const struct pt_place place = {.ip = BASE, .user = true, .mode = PT_MODE_64};
	struct walk *walk = new_walk(3, USER);
	uint64_t before;

	(void)state;
	entry(0, OUTPUT, 4, 0);
	walk_along(walk);
	before = written(walk);
	assert_true(before > 100 && before < 0x10000);
	pt_lose(&walk->visor, &place);
	assert_true(written(walk) > before);
	assert_int_equal(memory[OUTPUT + before], 0x02); /* OVF */
	assert_int_equal(memory[OUTPUT + before + 1], 0xf3);
	walk_end(walk);
	free(walk);
}

/* The count of bytes does not carry into reserved bits of RTIT_STATUS, where no PSB is due. */
static void the_count_of_bytes_saturates(void **state)
{
	const struct pt_place place = {.ip = BASE, .user = true, .mode = PT_MODE_64};
	struct walk *walk = new_walk(3, USER);
	struct pt_state *pt = &walk->guest.page.pt;
	uint64_t before;

	(void)state;
	entry(0, OUTPUT, 4, 0);
	walk_along(walk);
	before = written(walk);
	pt->status |= PT_STATUS_BYTES_MASK << PT_STATUS_BYTES;
	pt_lose(&walk->visor, &place);
	assert_true(written(walk) > before);
	assert_int_equal(pt->status >> PT_STATUS_BYTES, PT_STATUS_BYTES_MASK);
	walk_end(walk);
	free(walk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_size_ends),
	    cmocka_unit_test(regions_follow_each_other),
	    cmocka_unit_test(a_full_region_stops),
	    cmocka_unit_test(a_single_range_wraps),
	    cmocka_unit_test(wrong_tables_are_errors),
	    cmocka_unit_test(two_writers_share_a_region),
	    cmocka_unit_test(the_count_of_bytes_saturates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
