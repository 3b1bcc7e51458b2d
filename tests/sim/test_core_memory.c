/* SPDX-License-Identifier: BSD-2-Clause */
/* One processor's caches against plain lists, and at the sizes where steps must be. */
#include "tests/sim/one_memory.h"

/* A cache as lists of lines, the most recently used first. */
struct lists {
	unsigned sets, ways;
	uint64_t lines[1024][32];
	unsigned counts[1024];
};

static bool take(struct lists *c, uint64_t line)
{
	uint64_t *lines = c->lines[line % c->sets];
	unsigned *count = &c->counts[line % c->sets];

	for (unsigned i = 0; i < *count; i++)
		if (lines[i] == line) {
			memmove(lines + i, lines + i + 1, (--*count - i) * sizeof(*lines));
			return true;
		}
	return false;
}

/* Puts a line in front. Returns the line that falls off the end, 0 when none does. */
static uint64_t put(struct lists *c, uint64_t line)
{
	uint64_t *lines = c->lines[line % c->sets], last = 0;
	unsigned *count = &c->counts[line % c->sets];

	if (*count == c->ways)
		last = lines[--*count];
	memmove(lines + 1, lines, (*count)++ * sizeof(*lines));
	lines[0] = line;
	return last;
}

static struct lists l1, l2, l3;

/* Returns the level that a hierarchy of each kind finds a line in that L1 misses. Lines leave L1
 * unchanged: loads. */
static unsigned plain_access(uint64_t line, enum inclusion second, enum inclusion third)
{
	bool in_l2, in_l3 = false;
	uint64_t left;

	if (take(&l1, line)) {
		put(&l1, line);
		return MEM_L1;
	}
	in_l2 = take(&l2, line);
	if (!in_l2) {
		in_l3 = take(&l3, line);
		if (third != EXCLUSIVE) {
			left = put(&l3, line);
			if (left && third == INCLUSIVE) {
				take(&l1, left);
				take(&l2, left);
			}
		}
	}
	if (second != EXCLUSIVE) {
		left = put(&l2, line);
		if (left && second == INCLUSIVE)
			take(&l1, left);
		if (left && third == EXCLUSIVE && !take(&l3, left))
			put(&l3, left);
		else if (left && third == EXCLUSIVE)
			put(&l3, left);
	}
	left = put(&l1, line);
	if (left && second == EXCLUSIVE) {
		left = put(&l2, left);
		if (left && third == EXCLUSIVE)
			put(&l3, left);
	}
	return in_l2 ? MEM_L2 : in_l3 ? MEM_L3 : MEM_DRAM;
}

static void check_hierarchy(const char *text)
{
	uint64_t random = 88172645463325252ULL;
	unsigned levels[MEM_LEVELS] = {0};

	setup(text);
	l1 = (struct lists){.sets = 16, .ways = 4};
	l2 = (struct lists){.sets = 32, .ways = 8};
	l3 = (struct lists){.sets = 64, .ways = 16};
	for (unsigned i = 0; i < 200000; i++) {
		/* half of them near each other, so that every level is hit */
		uint64_t line = 1 + test_random(&random) % (i & 1 ? 100 : 2000);
		struct access_result r = test_access(memory, line * CORE_LINE_SIZE, false);
		unsigned level =
		    plain_access(line, config.memory.l2.inclusion, config.memory.l3.inclusion);

		if (r.level != level)
			fail_msg("%s: access %u: level %u, not %u", text, i, r.level, level);
		levels[level]++;
	}
	for (unsigned level = MEM_L1; level < MEM_LEVELS; level++)
		assert_true(levels[level] > 1000 || level == MEM_LFB || level == MEM_HITM);
	teardown();
}

#define SMALL "skylake,tlb=off,prefetch=off,replacement=lru,l1i=4K/4,l1d=4K/4,l2=16K/8,l3=64K/16"

static void test_hierarchies(void **state)
{
	(void)state;
	check_hierarchy(SMALL ",l3-inclusion=inclusive");
	check_hierarchy(SMALL ",l3-inclusion=non-inclusive");
	check_hierarchy(SMALL ",l2-inclusion=inclusive,l3-inclusion=non-inclusive");
	check_hierarchy(SMALL ",l2-inclusion=inclusive,l3-inclusion=inclusive");
	check_hierarchy(SMALL ",l2-inclusion=exclusive,l3-inclusion=exclusive");
}

/* A chase through all lines of size bytes in random order, in the second round. */
static void chase(uint64_t size, unsigned levels[MEM_LEVELS], uint64_t *latency)
{
	uint64_t n = size / CORE_LINE_SIZE, random = 362436069;
	uint32_t *order = malloc(n * sizeof(*order));

	for (uint64_t i = 0; i < n; i++) {
		uint64_t j = test_random(&random) % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	memset(levels, 0, MEM_LEVELS * sizeof(*levels));
	*latency = 0;
	for (unsigned round = 0; round < 2; round++)
		for (uint64_t i = 0; i < n; i++) {
			struct access_result r =
			    test_access(memory, (1 << 30) + order[i] * CORE_LINE_SIZE, false);

			if (!round)
				continue;
			levels[r.level]++;
			*latency += r.latency;
		}
	*latency /= n;
	free(order);
}

/* Half of a level's size is there; far more than it is not. On every core, prefetchers off. */
static void test_staircase(void **state)
{
	(void)state;
	for (size_t i = 0; core_config_at(i); i++) {
		unsigned levels[MEM_LEVELS], beyond;
		char text[192];
		uint64_t latency;
		const struct cache_config *last;

		sprintf(text, "%s,prefetch=off,tlb=off", core_config_at(i)->name);
		setup(text);
		last = config.memory.l3.size ? &config.memory.l3 : &config.memory.l2;
		chase(config.memory.l1d.size / 2, levels, &latency);
		assert_int_equal(latency, config.memory.l1d.latency);
		teardown();
		if (config.memory.l3.size && config.memory.l2.size) {
			setup(text);
			chase(config.memory.l2.size / 2, levels, &latency);
			assert_in_range(latency, config.memory.l2.latency * 2 / 3,
					config.memory.l2.latency);
			assert_int_equal(levels[MEM_DRAM] + levels[MEM_L3], 0);
			teardown();
		}
		setup(text);
		chase(last->size / 2, levels, &latency);
		assert_int_equal(levels[MEM_DRAM], 0);
		assert_in_range(latency, last->latency * 6 / 10, last->latency);
		teardown();
		if (last->size > 8 << 20) /* this one would only take longer */
			continue;
		setup(text);
		chase(last->size * 4ULL, levels, &latency);
		beyond = last->size * 4 / CORE_LINE_SIZE * 6 / 10;
		assert_true(levels[MEM_DRAM] > beyond);
		assert_in_range(latency, config.memory.memory_latency * 6 / 10,
				config.memory.memory_latency);
		teardown();
	}
}

/* An inclusive last level takes from L1 what leaves it; another does not. */
static unsigned level_after_crowding(const char *text)
{
	struct access_result r;

	setup(text);
	test_access(memory, 0, false);
	for (unsigned way = 1; way <= 16; way++) {
		test_access(memory, way << 12, false); /* in one set of L3 */
		r = test_access(memory, 0, false);
	}
	teardown();
	return r.level;
}

static void test_back_invalidation(void **state)
{
	(void)state;
	/* L1 has 4 ways of 64 sets; the line is used all the time, so LRU keeps it there. */
	assert_int_equal(level_after_crowding("cachegrind,l1d=64K/16,l2=none,l3=64K/16,"
					      "l3-inclusion=inclusive"),
			 MEM_DRAM);
	assert_int_equal(level_after_crowding("cachegrind,l1d=64K/16,l2=none,l3=64K/16"), MEM_L1);
}

/* A changed line is written to the next level when it leaves. */
static void test_write_back(void **state)
{
	const struct memory_counts *counts;

	(void)state;
	setup(SMALL);
	for (unsigned i = 0; i < 64; i++)
		test_access(memory, i * CORE_LINE_SIZE, true);
	for (unsigned i = 64; i < 128; i++)
		test_access(memory, i * CORE_LINE_SIZE, false);
	counts = memory_counts(memory);
	assert_int_equal(counts->l1d_stores, 64);
	assert_int_equal(counts->l1d_store_misses, 64);
	assert_int_equal(counts->l1d_loads, 64);
	assert_int_equal(counts->l1d_load_misses, 64);
	assert_int_equal(counts->l1d_replaced, 128); /* also lines that came into empty ways */
	assert_int_equal(counts->l1d_written_back, 64);
	assert_int_equal(counts->l2_written_back, 0);
	assert_int_equal(counts->l2_rfo_requests, 64);
	teardown();
}

/* An access over two lines is one access, the farther line's level and latency, and a penalty. */
static void test_splits(void **state)
{
	struct access_result r;

	(void)state;
	setup(SMALL);
	test_access(memory, 0x10000, false);
	r = test_access(memory, 0x1003c, false);
	assert_true(r.split);
	assert_false(r.split_page);
	assert_int_equal(r.level, MEM_DRAM);
	assert_int_equal(r.latency, config.memory.memory_latency + config.memory.split_penalty);
	r = test_access(memory, 0x1003c, true);
	assert_int_equal(r.level, MEM_L1);
	assert_int_equal(r.latency, config.memory.l1d.latency + config.memory.split_penalty);
	assert_false(test_access(memory, 0x10038, false).split);
	assert_true(test_access(memory, 0x10ffc, false).split_page);
	assert_int_equal(memory_counts(memory)->splits_load, 2);
	assert_int_equal(memory_counts(memory)->splits_store, 1);
	assert_int_equal(memory_counts(memory)->l1d_loads, 4);
	teardown();
}

/* Two loads of a line: the second finds it on its way, later ones find it. How many lines may be on
 * their way at once is the pipeline's matter. */
static void test_fill_buffers(void **state)
{
	struct access access = {.size = 8, .now = 1000000};
	struct access_result r;

	(void)state;
	setup("skylake,tlb=off,prefetch=off,memory-gap=0");
	memory_access(memory, &access, &r);
	assert_int_equal(r.latency, config.memory.memory_latency);
	access.now += 100;
	memory_access(memory, &access, &r);
	assert_int_equal(r.level, MEM_LFB);
	assert_int_equal(r.latency, config.memory.memory_latency - 100);
	access.now += config.memory.memory_latency;
	memory_access(memory, &access, &r);
	assert_int_equal(r.level, MEM_L1);
	assert_int_equal(memory_counts(memory)->lfb_hits, 1);
	teardown();
}

/* Returns L1D misses of a walk through 1 MiB in steps of `step` bytes, on a fresh core, one load
 * a step. */
static uint64_t misses_of_walk(const char *prefetch, unsigned step, uint64_t *l2)
{
	char text[192];
	uint64_t misses;

	sprintf(text, "skylake,prefetch=%s", prefetch);
	setup(text);
	for (uint64_t at = 0; at < 1 << 20; at += step)
		test_access(memory, at, false);
	misses = memory_counts(memory)->l1d_load_misses;
	*l2 = memory_counts(memory)->l2_misses - memory_counts(memory)->dtlb_load_walks;
	teardown();
	return misses;
}

/* Each prefetcher takes away the misses that it is for, and only these. */
static void test_prefetchers(void **state)
{
	enum { LINES = (1 << 20) / CORE_LINE_SIZE };
	uint64_t l2;

	(void)state;
	assert_int_equal(misses_of_walk("off", 64, &l2), LINES);
	assert_in_range(l2, LINES * 95 / 100, LINES);
	assert_in_range(misses_of_walk("next", 64, &l2), LINES * 2 / 64, LINES * 4 / 64);
	assert_in_range(misses_of_walk("stride", 64, &l2), LINES * 1 / 64, LINES * 6 / 64);
	assert_in_range(misses_of_walk("stride", 256, &l2), LINES / 4 / 64, LINES / 4 / 3);
	assert_int_equal(misses_of_walk("next", 256, &l2), LINES / 4);
	assert_int_equal(misses_of_walk("streamer", 64, &l2), LINES);
	assert_in_range(l2, LINES / 64, LINES * 4 / 64);
	assert_int_equal(misses_of_walk("adjacent", 64, &l2), LINES);
	assert_in_range(l2, LINES * 45 / 100, LINES * 51 / 100);
	assert_in_range(misses_of_walk("on", 64, &l2), 0, LINES / 16);
}

/* MSR 1A4H switches off what the core has, and on again. */
static void test_prefetch_msr(void **state)
{
	(void)state;
	setup("skylake,prefetch=streamer");
	memory_prefetchers(memory, PREFETCH_STREAMER);
	for (uint64_t at = 0; at < 1 << 16; at += 64)
		test_access(memory, at, false);
	assert_int_equal(memory_counts(memory)->prefetched[0], 0);
	memory_prefetchers(memory, 0);
	for (uint64_t at = 1 << 16; at < 1 << 17; at += 64)
		test_access(memory, at, false);
	assert_true(memory_counts(memory)->prefetched[0] > 500);
	assert_int_equal(memory_counts(memory)->prefetched[2], 0); /* not what it does not have */
	teardown();
}

/* Prefetchers are of no use to a random chase, and do not make it much worse. */
static void test_prefetch_random(void **state)
{
	uint64_t random = 88172645463325252ULL;
	unsigned missed = 0;

	(void)state;
	setup("skylake,tlb=off");
	for (unsigned i = 0; i < 10000; i++)
		missed +=
		    test_access(memory, test_random(&random) % (1 << 28) & ~7ULL, false).level !=
		    MEM_L1;
	assert_in_range(missed, 9900, 10000);
	teardown();
}

/* Instructions have their own L1 and TLB; L2 is common. */
static void test_fetches(void **state)
{
	struct access access = {.vaddr = 0x401000, .paddr = 0x401000, .size = 16, .now = 1};
	struct access_result r;

	(void)state;
	setup("skylake,prefetch=off");
	memory_fetch(memory, &access, &r);
	assert_int_equal(r.level, MEM_DRAM);
	assert_true(r.dtlb_miss);
	for (unsigned i = 0; i < 5; i++) {
		memory_fetch(memory, &access, &r);
		assert_int_equal(r.level, MEM_L1);
		assert_false(r.dtlb_miss);
	}
	assert_int_equal(test_access(memory, 0x401000, false).level, MEM_L2);
	assert_int_equal(memory_counts(memory)->l1i_fetches, 6);
	assert_int_equal(memory_counts(memory)->l1i_misses, 1);
	assert_int_equal(memory_counts(memory)->itlb_misses, 1);
	teardown();
}

static void test_flush_line(void **state)
{
	(void)state;
	setup("skylake,prefetch=off");
	test_access(memory, 0x5000, true);
	assert_int_equal(test_access(memory, 0x5000, true).level, MEM_L1);
	memory_flush_line(memory, 0x5000, 0x5000);
	assert_int_equal(test_access(memory, 0x5000, true).level, MEM_DRAM);
	memory_flush_caches(memory);
	assert_int_equal(test_access(memory, 0x5000, true).level, MEM_DRAM);
	teardown();
}

/* The line stays, and no longer has what memory has not: nothing is written back when it leaves. */
static void test_clean_line(void **state)
{
	(void)state;
	setup("skylake,prefetch=off");
	test_access(memory, 0x5000, true);
	memory_clean_line(memory, 0x5000, 0x5000);
	assert_int_equal(test_access(memory, 0x5000, false).level, MEM_L1);
	for (unsigned i = 1; i <= 8; i++)
		test_access(memory, 0x5000 + i * 0x1000, false);
	assert_int_equal(memory_counts(memory)->l1d_written_back, 0);
	test_access(memory, 0x5000, true);
	for (unsigned i = 1; i <= 8; i++)
		test_access(memory, 0x5000 + i * 0x1000, false);
	assert_int_equal(memory_counts(memory)->l1d_written_back, 1);
	teardown();
}

/* kernel=off: lines of the upper half evict none, and their accesses are counted as hits. */
static void test_without_kernel(void **state)
{
	uint64_t kernel = 0xffff888000000000;

	(void)state;
	setup("cachegrind,l1d=4K/2");
	test_access(memory, 0x5000, false);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(test_access(memory, kernel + i * 0x1000, true).level, MEM_L1);
	assert_int_equal(test_access(memory, 0x5000, false).level, MEM_L1);
	assert_int_equal(memory_counts(memory)->l1d_stores, 8);
	teardown();
	setup("cachegrind,l1d=4K/2,kernel=on");
	test_access(memory, 0x5000, false);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(test_access(memory, kernel + i * 0x1000, true).level, MEM_DRAM);
	assert_int_equal(test_access(memory, 0x5000, false).level, MEM_L3);
	teardown();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hierarchies),
	    cmocka_unit_test(test_staircase),
	    cmocka_unit_test(test_back_invalidation),
	    cmocka_unit_test(test_write_back),
	    cmocka_unit_test(test_splits),
	    cmocka_unit_test(test_fill_buffers),
	    cmocka_unit_test(test_prefetchers),
	    cmocka_unit_test(test_prefetch_msr),
	    cmocka_unit_test(test_prefetch_random),
	    cmocka_unit_test(test_fetches),
	    cmocka_unit_test(test_flush_line),
	    cmocka_unit_test(test_clean_line),
	    cmocka_unit_test(test_without_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
