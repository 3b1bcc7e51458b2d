/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of an experiment's region, basic-block vectors, reuse distances, and the timeline of a
 * trace. */
#define _GNU_SOURCE
#include "tests/sim/core_test.h"

#include "emulator/sim/experiment/region.h"
#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/experiment/bt9.h"
#include "emulator/sim/experiment/reuse.h"
#include "emulator/sim/experiment/timeline.h"
#include "emulator/sim/experiment/vectors.h"

/* Runs blocks of 10 instructions; returns the block in which each event came, -1: never. */
static void run_blocks(const struct region_config *config, unsigned blocks, int when[5])
{
	struct region r;

	region_start(&r, config);
	for (unsigned e = 0; e < 5; e++)
		when[e] = -1;
	for (unsigned i = 0; i < blocks; i++) {
		unsigned events = region_block(&r, 0x1000 + i * 64, 0x1020 + i * 64, 10);

		for (unsigned e = 0; e < 5; e++)
			if (events >> e & 1 && when[e] < 0)
				when[e] = (int)i;
	}
}

enum { SIMULATE, BEGIN, PAUSE, STOP, INTERVAL };

static void test_region_by_instructions(void **state)
{
	int when[5];

	(void)state;
	run_blocks(&(struct region_config){0}, 10, when);
	assert_int_equal(when[SIMULATE], 0);
	assert_int_equal(when[BEGIN], 0);
	assert_int_equal(when[PAUSE], -1);
	run_blocks(
	    &(struct region_config){.skip = 30, .warm_up = 20, .measure = 40, .interval = 20}, 20,
	    when);
	assert_int_equal(when[SIMULATE], 3);
	assert_int_equal(when[BEGIN], 5);
	assert_int_equal(when[INTERVAL], 7);
	assert_int_equal(when[PAUSE], 9);
	assert_int_equal(when[STOP], 9);
	run_blocks(&(struct region_config){.skip = 30, .warm_all = true}, 20, when);
	assert_int_equal(when[SIMULATE], 0);
	assert_int_equal(when[BEGIN], 3);
}

static void test_region_by_function(void **state)
{
	const struct region_config config = {.function = 0x2000};
	struct region r;

	(void)state;
	region_start(&r, &config);
	assert_int_equal(region_block(&r, 0x1000, 0x1010, 3), 0);
	assert_int_equal(region_block(&r, 0x2000, 0x2010, 3), REGION_SIMULATE | REGION_BEGIN);
	assert_int_equal(region_block(&r, 0x2010, 0x2020, 3), 0);
	assert_int_equal(region_block(&r, 0x2000, 0x2010, 3), 0); /* it calls itself */
	assert_int_equal(region_block(&r, 0x2020, 0x2030, 3), 0);
	assert_int_equal(region_block(&r, 0x1010, 0x1020, 3), REGION_PAUSE);
	assert_int_equal(r.measured, 12);
	assert_int_equal(region_block(&r, 0x2000, 0x2010, 3), REGION_BEGIN);
}

static void test_region_by_marks(void **state)
{
	const struct region_config config = {.by_marks = true, .measure = 20};
	struct region r;

	(void)state;
	region_start(&r, &config);
	assert_int_equal(region_block(&r, 0x1000, 0x1010, 10), 0);
	assert_int_equal(region_mark(&r, false), 0);
	assert_int_equal(region_mark(&r, true), REGION_SIMULATE | REGION_BEGIN);
	assert_int_equal(region_block(&r, 0x1010, 0x1020, 10), 0);
	assert_int_equal(region_mark(&r, false), REGION_PAUSE);
	assert_int_equal(region_block(&r, 0x1010, 0x1020, 10), 0);
	assert_int_equal(region_mark(&r, true), REGION_BEGIN);
	assert_int_equal(region_block(&r, 0x1010, 0x1020, 10), 0);
	assert_int_equal(region_block(&r, 0x1010, 0x1020, 10), REGION_PAUSE | REGION_STOP);
	assert_int_equal(region_mark(&r, true), 0);
}

/* Points at 30, 70 and 90, of 20 instructions each: the second is warmed up after a skip, the third
 * follows at once. */
static void test_region_by_points(void **state)
{
	static const unsigned expected[] = {[2] = REGION_SIMULATE,
					    [3] = REGION_BEGIN,
					    [5] = REGION_PAUSE | REGION_STOP,
					    [6] = REGION_SIMULATE,
					    [7] = REGION_BEGIN,
					    [9] = REGION_PAUSE | REGION_BEGIN,
					    [11] = REGION_PAUSE | REGION_STOP,
					    [14] = 0};
	uint64_t points[] = {30, 70, 90};
	const struct region_config config = {
	    .points = points, .nr_points = 3, .warm_up = 10, .measure = 20};
	struct region r;

	(void)state;
	region_start(&r, &config);
	for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(region_block(&r, 0x1000, 0x1020, 10), expected[i]);
	assert_int_equal(r.measured, 60);
}

/* Each line of a cycle through n of them has distance n - 1, whatever came before. */
static void test_reuse(void **state)
{
	enum { LINES = 100000, ROUNDS = 4 };
	struct reuse *r = reuse_new();

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++)
		for (uint64_t line = 0; line < LINES; line++)
			reuse_access(r, line * 977);
	assert_int_equal(reuse_first(r), LINES);
	assert_int_equal(reuse_bins(r)[17], LINES * (ROUNDS - 1)); /* 65536 to 131071 */
	reuse_access(r, 5);
	reuse_access(r, 5);
	assert_int_equal(reuse_bins(r)[0], 1);
	reuse_access(r, 6);
	reuse_access(r, 7);
	reuse_access(r, 6);
	reuse_access(r, 5);
	assert_int_equal(reuse_bins(r)[1], 1);
	assert_int_equal(reuse_bins(r)[2], 1);
	assert_int_equal(reuse_first(r), LINES + 3);
	reuse_free(r);
}

static void test_vectors(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct vectors *v = vectors_new(file, 20);

	(void)state;
	vectors_block(v, 0x1000, 5);
	vectors_block(v, 0x2000, 10);
	vectors_block(v, 0x1000, 5);
	vectors_block(v, 0x2000, 3);
	for (uint64_t start = 0; start < 10000; start++) /* the table grows */
		vectors_block(v, 0x100000 + start, 1);
	vectors_free(v);
	fclose(file);
	assert_memory_equal(text, "T:1:10 :2:10 \nT:2:3 :3:1 ", 25);
	free(text);
}

/* A trace comes back as it was; damaged ones are refused, or have branches of a known kind. */
static void test_bt9(void **state)
{
	enum { BRANCHES = 2000, ROUNDS = 300 };
	uint64_t seed = 1;
	struct bt9_writer *writer = bt9_writer_new();
	struct bt9_branch branch, all[BRANCHES];
	struct bt9_reader *reader;
	char *text = NULL;
	const char *why;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	for (unsigned i = 0; i < BRANCHES; i++) {
		uint64_t random = test_random(&seed);

		all[i] = (struct bt9_branch){.pc = 0x400000 + random % 5000 * 16,
					     .target = 0x500000 + (random >> 20) % 3,
					     .before = (random >> 30) % 4,
					     .opcode = 0x840f,
					     .size = 6,
					     .kind = (uint8_t)(random % 5000 % 6),
					     .taken = random >> 40 & 1};
		bt9_write(writer, &all[i]);
	}
	assert_true(bt9_writer_end(writer, file));
	fclose(file);
	file = fmemopen(text, size, "r");
	reader = bt9_reader_new(file, &why);
	for (unsigned i = 0; i < BRANCHES; i++) {
		assert_true(bt9_read(reader, &branch, &why));
		assert_int_equal(branch.pc, all[i].pc);
		assert_int_equal(branch.target, all[i].target);
		assert_int_equal(branch.before, all[i].before);
		assert_int_equal(branch.opcode, all[i].opcode);
		assert_int_equal(branch.size, all[i].size);
		assert_int_equal(branch.kind, all[i].kind);
		assert_int_equal(branch.taken, all[i].taken);
	}
	assert_false(bt9_read(reader, &branch, &why));
	assert_null(why);
	bt9_reader_free(reader);
	fclose(file);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t random = test_random(&seed);
		char *damaged = malloc(size), old = text[random % size];

		text[random % size] = (char)(random >> 32);
		memcpy(damaged, text, size);
		file = fmemopen(damaged, size - (i % 2 ? random >> 40 & 0xffff : 0), "r");
		reader = bt9_reader_new(file, &why);
		while (reader && bt9_read(reader, &branch, &why))
			assert_in_range(branch.kind, 0, BRANCH_RETURN);
		bt9_reader_free(reader);
		fclose(file);
		free(damaged);
		text[random % size] = old;
	}
	free(text);
}

/* Loads that each need the one before take a latency each; independent ones overlap. */
static void test_timeline(void **state)
{
	struct core_config config = test_core("skylake,prefetch=off");
	struct timeline_counts chained, apart;

	(void)state;
	for (unsigned chain = 0; chain < 2; chain++) {
		struct timeline *t = timeline_new(&config);

		timeline_measure(t);
		for (uint64_t i = 0; i < 10000; i++) {
			const struct champsim_insn insn = {.ip = 0x400000,
							   .destinations = {10},
							   .sources = {chain ? 10 : 11},
							   .loads = {0x10000000 + i * 4160}};

			timeline_insn(t, &insn, 0x400000);
		}
		timeline_counts(t, chain ? &chained : &apart);
		timeline_free(t);
	}
	assert_int_equal(chained.instructions, 10000);
	assert_int_equal(chained.last_load_misses, apart.last_load_misses);
	assert_in_range(chained.cycles / 10000, 246, 400);
	assert_true(chained.cycles > 4 * apart.cycles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_region_by_instructions),
	    cmocka_unit_test(test_region_by_function),
	    cmocka_unit_test(test_region_by_marks),
	    cmocka_unit_test(test_region_by_points),
	    cmocka_unit_test(test_reuse),
	    cmocka_unit_test(test_bt9),
	    cmocka_unit_test(test_vectors),
	    cmocka_unit_test(test_timeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
