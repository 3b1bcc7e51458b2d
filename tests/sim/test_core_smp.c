/* SPDX-License-Identifier: BSD-2-Clause */
/* Several processors: shared lines, and lines that move between them. */
#include "tests/sim/core_test.h"

enum { PROCESSORS = 4 };

static struct core_config config;
static struct shared_cache *shared;
static struct memory *memories[PROCESSORS];

static void setup(const char *text)
{
	config = test_core(text);
	shared = shared_cache_new(&config);
	for (unsigned i = 0; i < PROCESSORS; i++)
		memories[i] = memory_new(&config, shared);
}

static void teardown(void)
{
	for (unsigned i = 0; i < PROCESSORS; i++)
		memory_free(memories[i]);
	shared_cache_free(shared);
}

/* Returns HITM of four processors that add, in turns, to numbers `apart` bytes apart. */
static uint64_t hitm_at(const char *text, unsigned apart)
{
	uint64_t hitm = 0;

	setup(text);
	for (unsigned round = 0; round < 1000; round++)
		for (unsigned i = 0; i < PROCESSORS; i++)
			for (unsigned j = 0; j < 10; j++) {
				hitm +=
				    test_access(memories[i], 0x10000 + i * apart, false).level ==
				    MEM_HITM;
				test_access(memories[i], 0x10000 + i * apart, true);
			}
	teardown();
	return hitm;
}

/* Every turn's first load finds the line changed elsewhere; with padding none does. */
static void test_false_sharing(void **state)
{
	(void)state;
	for (size_t i = 0; core_config_at(i); i++) {
		const char *name = core_config_at(i)->name;

		assert_int_equal(hitm_at(name, 8), 1000 * PROCESSORS - 1);
		assert_in_range(hitm_at(name, 128), 0, 10);
	}
}

static unsigned level(unsigned processor, uint64_t address, bool store)
{
	return test_access(memories[processor], address, store).level;
}

/* The states of a line between two processors. */
static void test_protocol(void **state)
{
	struct access_result r;

	(void)state;
	setup("skylake,prefetch=off");
	assert_int_equal(level(0, 0x1000, false), MEM_DRAM);
	r = test_access(memories[1], 0x1000, false); /* another has it, unchanged */
	assert_int_equal(r.level, MEM_L3);
	assert_true(r.snooped);
	assert_int_equal(level(0, 0x1000, false), MEM_L1);
	r = test_access(memories[0], 0x1000, true); /* the other one loses it */
	assert_int_equal(r.level, MEM_L1);
	assert_int_equal(r.latency, config.memory.l1d.latency + config.memory.l3.latency);
	assert_int_equal(memory_counts(memories[1])->invalidated, 1);
	r = test_access(memories[0], 0x1000, true);
	assert_int_equal(r.latency, config.memory.l1d.latency);
	r = test_access(memories[1], 0x1000, false);
	assert_int_equal(r.level, MEM_HITM);
	assert_int_equal(r.latency, config.memory.hitm_latency);
	assert_int_equal(level(1, 0x1000, false), MEM_L1); /* both have it now */
	assert_int_equal(level(0, 0x1000, false), MEM_L1);
	assert_int_equal(level(1, 0x1000, true), MEM_L1);
	assert_int_equal(level(0, 0x1000, true), MEM_HITM);
	teardown();
}

/* A line that one processor fetched is found by another in the last level when the first has
 * lost it. */
static void test_last_level(void **state)
{
	(void)state;
	setup("skylake,prefetch=off");
	level(0, 1 << 20, false);
	for (unsigned i = 1; i <= 8192; i++)
		level(0, (1 << 20) + i * 64, false); /* more than L2 holds */
	assert_int_equal(level(1, 1 << 20, false), MEM_L3);
	teardown();
}

/*
 * No store is ever unseen: with a model that knows each line's last writer, whoever loads after
 * another's store does not find the line in its own caches, and exactly one has it changed.
 */
static void check_coherence(const char *text)
{
	enum { LINES = 64 };
	bool has[PROCESSORS][LINES] = {{false}};
	uint64_t random = 88172645463325252ULL;

	setup(text);
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t dice = test_random(&random);
		unsigned processor = dice % PROCESSORS, line = dice >> 8 & (LINES - 1);
		bool store = (dice >> 20) % 4 == 0;
		unsigned found = level(processor, 0x100000 + line * 64, store);

		assert_true(has[processor][line] == (found <= MEM_L2));
		for (unsigned other = 0; store && other < PROCESSORS; other++)
			has[other][line] = false;
		has[processor][line] = true;
	}
	teardown();
}

static void test_coherence(void **state)
{
	(void)state;
	check_coherence("skylake,prefetch=off");
	check_coherence("golden-cove,prefetch=off");
	check_coherence("zen2,prefetch=off");
	check_coherence("k10,prefetch=off");
}

/* Processors of different kinds share the last level. */
static void test_hybrid(void **state)
{
	struct core_config big = test_core("golden-cove"), little = test_core("gracemont");
	struct shared_cache *last = shared_cache_new(&big);
	struct memory *p = memory_new(&big, last), *e = memory_new(&little, last);

	(void)state;
	test_access(p, 0x1000, true);
	assert_int_equal(test_access(e, 0x1000, false).level, MEM_HITM);
	test_access(e, 0x1000, true);
	assert_int_equal(test_access(p, 0x1000, false).level, MEM_HITM);
	memory_free(p);
	memory_free(e);
	shared_cache_free(last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_false_sharing), cmocka_unit_test(test_protocol),
	    cmocka_unit_test(test_last_level),    cmocka_unit_test(test_coherence),
	    cmocka_unit_test(test_hybrid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
