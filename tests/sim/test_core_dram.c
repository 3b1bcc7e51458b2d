/* SPDX-License-Identifier: BSD-2-Clause */
/* How fast lines come from memory and L2; memory's channels, banks and rows, against the rules of a
 * table of open rows. */
#include "tests/sim/one_memory.h"

#include "emulator/sim/memory/dram.h"

#define PARTS                                                                                 \
	"skylake,tlb=off,prefetch=off,memory-gap=0,fill-buffers=64,dram-banks=4,dram-row=1K," \
	"dram-activate=40,dram-precharge=30,dram-burst=8"
#define ROW 1024

static uint32_t load_at(uint64_t address, uint64_t now)
{
	struct access access = {.vaddr = address, .paddr = address, .size = 8, .now = now};
	struct access_result r;

	memory_access(memory, &access, &r);
	assert_int_equal(r.level, MEM_DRAM);
	return config.memory.memory_latency - r.latency;
}

/* The first line of a bank opens a row, the next ones find it, and another row's closes it. */
static void test_rows(void **state)
{
	const struct dram_counts *counts;

	(void)state;
	setup(PARTS ",dram-channels=1");
	counts = memory_dram_counts(memory);
	assert_int_equal(load_at(0, 1000), 30);
	for (unsigned i = 1; i < ROW / 64; i++)
		assert_int_equal(load_at(i * 64, 1000 + i * 1000), 70);
	assert_int_equal(load_at(ROW, 20000), 30);    /* the next bank */
	assert_int_equal(load_at(ROW * 5, 30000), 0); /* row 1 of bank 0: 1 ^ 1 */
	assert_int_equal(load_at(ROW * 5 + 64, 40000), 70);
	assert_int_equal(counts->reads, 19);
	assert_int_equal(counts->hits, 16);
	assert_int_equal(counts->closed, 2);
	assert_int_equal(counts->conflicts, 1);
	assert_int_equal(counts->waited, 0);
	teardown();
}

/* A bank is busy until its row is open and the line has left; other banks share the channel. */
static void test_waits(void **state)
{
	(void)state;
	setup(PARTS ",dram-channels=1");
	assert_int_equal(load_at(0, 8000), 30);
	assert_int_equal(load_at(ROW, 8000), 30 - 8); /* for the channel */
	assert_int_equal(load_at(64, 8000), 70 - 48); /* for bank 0's row, then for nothing */
	assert_int_equal(memory_dram_counts(memory)->waited, 8 + 48);
	teardown();
	setup(PARTS ",dram-channels=2");
	assert_int_equal(load_at(0, 8000), 30);
	assert_int_equal(load_at(64, 8000), 30); /* the other channel */
	teardown();
}

/* Writes open rows as reads do: an eviction of a changed line is a write. */
static void test_writes(void **state)
{
	(void)state;
	setup(PARTS ",dram-channels=1,l2=64K/4,l3=none");
	for (uint64_t at = 0; at < 1 << 20; at += 64)
		test_access(memory, at, true);
	assert_in_range(memory_dram_counts(memory)->writes, (1 << 14) - 2048, 1 << 14);
	teardown();
}

/* Without parts nothing is counted, and all lines take as long. */
static void test_none(void **state)
{
	(void)state;
	setup("skylake,tlb=off,prefetch=off,memory-gap=0");
	assert_int_equal(load_at(0, 1000), 0);
	assert_int_equal(load_at(64, 2000), 0);
	assert_int_equal(memory_dram_counts(memory)->reads, 0);
	teardown();
}

static void test_refused(void **state)
{
	struct core_config refused;
	char error[256];

	(void)state;
	assert_int_equal(core_config_parse("skylake,dram-channels=1,dram-activate=500", &refused,
					   error, sizeof(error)),
			 -1);
	assert_non_null(strstr(error, "more than the"));
}

/* Asserts that ten lines that one set of L1D has no room for together come `gap` cycles apart, from
 * any time on. */
static void check_turns(unsigned level, uint32_t latency, unsigned gap)
{
	struct access_result r;

	for (unsigned i = 0; i < 10; i++) {
		struct access access = {
		    .vaddr = i << 12, .paddr = i << 12, .size = 8, .now = 1000003};

		memory_access(memory, &access, &r);
		assert_int_equal(r.level, level);
		assert_int_equal(r.latency, latency + i * gap);
	}
}

static void test_bandwidth(void **state)
{
	(void)state;
	setup("skylake,tlb=off,prefetch=off,memory-gap=50,fill-buffers=64");
	check_turns(MEM_DRAM, config.memory.memory_latency, 50);
	teardown();
}

static void test_bandwidth_l2(void **state)
{
	(void)state;
	setup("skylake,tlb=off,prefetch=off,l2-gap=10,fill-buffers=64");
	for (unsigned i = 0; i < 20; i++)
		test_access(memory, i << 12, false);
	check_turns(MEM_L2, config.memory.l2.latency, 10);
	teardown();
}

/* Stores that pass the caches by take the line out of them, and memory takes one in memory_gap
 * cycles: the first store to a line waits for it. */
static void test_stream(void **state)
{
	struct access access = {
	    .vaddr = 0x5000, .paddr = 0x5000, .size = 8, .store = true, .now = 1ull << 40};
	struct access_result result;

	(void)state;
	setup("skylake,prefetch=off");
	test_access(memory, 0x5000, true);
	memory_stream(memory, &access, &result);
	assert_int_equal(result.level, MEM_LFB);
	assert_in_range(result.latency, config.memory.l1d.latency,
			config.memory.l1d.latency + config.memory.memory_gap);
	access.vaddr = access.paddr = 0x5008;
	memory_stream(memory, &access, &result);
	assert_int_equal(result.level, MEM_L1);
	access.vaddr = access.paddr = 0x5040;
	memory_stream(memory, &access, &result);
	assert_in_range(result.latency, config.memory.memory_gap,
			config.memory.l1d.latency + 2 * config.memory.memory_gap);
	assert_int_equal(memory_counts(memory)->l1d_stores, 4);
	assert_int_equal(test_access(memory, 0x5000, false).level, MEM_DRAM);
	teardown();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),         cmocka_unit_test(test_waits),
	    cmocka_unit_test(test_writes),       cmocka_unit_test(test_none),
	    cmocka_unit_test(test_refused),      cmocka_unit_test(test_bandwidth),
	    cmocka_unit_test(test_bandwidth_l2), cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
