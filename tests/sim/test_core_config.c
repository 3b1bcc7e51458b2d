/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores and the words that change them. */
#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/options/parse.h"
#include "tests/sim/core_test.h"

/* Every core of the table is found by its name, fits together, and can be built. */
static void test_every_core(void **state)
{
	static const char *const names[] = {"yonah",       "core2",     "nehalem", "skylake",
					    "golden-cove", "gracemont", "k10",     "zen2",
					    "zen4",        "cachegrind"};
	size_t n = 0;

	(void)state;
	for (; core_config_at(n); n++) {
		struct core_config config = test_core(names[n]);
		struct shared_cache *shared = shared_cache_new(&config);
		struct memory *memory = memory_new(&config, shared);
		struct predictor *predictor = predictor_new(&config, 0);

		assert_ptr_equal(core_config_find(names[n]), core_config_at(n));
		assert_non_null(config.shows);
		assert_non_null(memory);
		assert_non_null(predictor);
		predictor_free(predictor);
		memory_free(memory);
		shared_cache_free(shared);
	}
	assert_int_equal(n, sizeof(names) / sizeof(names[0]));
}

static void test_words(void **state)
{
	struct core_config c = test_core("skylake,l1d=16K/4,l2=2M/16,rob=64,width=2,"
					 "predictor=bimodal,prefetch=off");

	(void)state;
	assert_int_equal(c.memory.l1d.size, 16384);
	assert_int_equal(c.memory.l1d.ways, 4);
	assert_int_equal(c.memory.l1d.latency, 4);
	assert_int_equal(c.memory.l2.size, 2 << 20);
	assert_int_equal(c.memory.l2.ways, 16);
	assert_int_equal(c.pipe.rob, 64);
	assert_int_equal(c.pipe.width, 2);
	assert_int_equal(c.branch.kind, PREDICTOR_BIMODAL);
	assert_int_equal(c.memory.prefetchers, 0);
	assert_int_equal(c.memory.l3.size, core_config_find("skylake")->memory.l3.size);
	assert_string_equal(c.name, "skylake,l1d=16K/4,l2=2M/16,rob=64,width=2,"
				    "predictor=bimodal,prefetch=off");
	c = test_core("zen2,prefetch=stride+next,replacement=lru,l3=none,btb=512/4,tlb=off");
	assert_int_equal(c.memory.prefetchers, PREFETCH_STRIDE | PREFETCH_NEXT);
	assert_int_equal(c.memory.l1i.replacement, REPLACE_LRU);
	assert_int_equal(c.memory.l2.replacement, REPLACE_LRU);
	assert_int_equal(c.memory.l3.size, 0);
	assert_int_equal(c.branch.btb_entries, 512);
	assert_int_equal(c.branch.btb_ways, 4);
	assert_int_equal(c.memory.dtlb.page_4k.entries, 0);
}

/* The error for a bad text is one line with the bad option and the possible ones. */
static void test_errors(void **state)
{
	static const char *const bad[][3] = {
	    {"skylaek", "'skylaek'", "'skylake'"},
	    {"pentium4-northwood", "'pentium4-northwood'", "none, yonah, "},
	    {"", "''", "zen4, cachegrind"},
	    {"skylake,l1=32K/8", "'l1'", "did you mean"},
	    {"skylake,", "''", "takes l1i, l1d, "},
	    {"skylake,l1d", "l1d", "SIZE/WAYS"},
	    {"skylake,l1d=32K", "l1d=32K", "SIZE/WAYS"},
	    {"skylake,l1d=32K/8x", "l1d=32K/8x", "SIZE/WAYS"},
	    {"skylake,l1d=-1/8", "l1d=-1/8", "SIZE/WAYS"},
	    {"skylake,l1d=none", "l1d=none", "SIZE/WAYS"},
	    {"skylake,l1d=48K/8", "l1d=49152/8", "power of two"},
	    {"skylake,l1d=1000/8", "l1d=1000/8", "multiple"},
	    {"skylake,l2=9999999999999999999K/8", "l2=9999", "SIZE/WAYS"},
	    {"skylake,l2=1M/0", "l2=1M/0", "SIZE/WAYS"},
	    {"skylake,l2=none,l3=none", "l2=none,l3=none", "one of both"},
	    {"skylake,dtlb=60/4", "dtlb=60/4", "power of two"},
	    {"skylake,btb=0/4", "btb=0/4", "ENTRIES/WAYS"},
	    {"skylake,rob=0", "rob=0", "16 to 1024"},
	    {"skylake,width=nine", "width=nine", "1 to 8"},
	    {"skylake,predictor=oracle", "predictor: no component 'oracle'",
	     "bimodal, gshare, tage"},
	    {"skylake,prefetch=some", "prefetch=some", "streamer"},
	    {"skylake,tlb=on", "tlb=on", "off"},
	    {"skylake,l1d=16K/4,width=2,l1d=32K/8", "l1d", "given twice"},
	    {"skylake,l2=16K/4,l2-inclusion=inclusive", "l2=16384/4", "l1i's 32768 bytes"},
	    {"nehalem,l3=64K/16", "l3=65536/16", "l2's 262144 bytes"},
	    {"zen4,l2-latency=1", "l2-latency=1", "the 4 of l1d-latency"},
	    {"skylake,l2=none,l3-latency=3", "l3-latency=3", "the 4 of l1d-latency"},
	    {"k10,memory-latency=2", "memory-latency=2", "of l3-latency"},
	    {"core2,hitm-latency=1", "hitm-latency=1", "of l1d-latency"},
	    {"k10,history=100", "history=100", "gshare takes up to 14"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct core_config config;
		char error[512] = "";

		assert_int_equal(core_config_parse(bad[i][0], &config, error, sizeof(error)), -1);
		if (!strstr(error, bad[i][1]) || !strstr(error, bad[i][2]) || strchr(error, '\n'))
			fail_msg("%s: %s", bad[i][0], error);
	}
}

/* A core of random options is either refused or can be built and used. */
static void test_random_words(void **state)
{
	static const char *const values[] = {"0",     "1",    "7",     "64",   "1K/1",
					     "32K/8", "6K/3", "1M/16", "64/4", "8/8",
					     "none",  "off",  "on",    "lru",  "plru"};
	uint64_t random = 2463534242;
	unsigned built = 0;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct core_config config;
		const char *shows;
		char text[256] = "skylake", error[256];
		size_t words = 0;

		while (core_config_word(words, &shows))
			words++;
		for (unsigned j = test_random(&random) % 3 + 1; j--;)
			sprintf(
			    text + strlen(text), ",%s=%s",
			    core_config_word(test_random(&random) % words, &shows),
			    values[test_random(&random) % (sizeof(values) / sizeof(values[0]))]);
		if (core_config_parse(text, &config, error, sizeof(error)))
			continue;

		struct shared_cache *shared = shared_cache_new(&config);
		struct memory *memory = memory_new(&config, shared);
		struct predictor *predictor = predictor_new(&config, 0);

		for (unsigned j = 0; j < 100; j++) {
			uint64_t address = test_random(&random) % (1 << 20);

			test_access(memory, address, j & 1);
			predictor_branch(predictor, address, j % BRANCH_CLASSES, true, address + 64,
					 address + 2);
		}
		predictor_free(predictor);
		memory_free(memory);
		shared_cache_free(shared);
		built++;
	}
	assert_in_range(built, 100, 2900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_core),
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_random_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
