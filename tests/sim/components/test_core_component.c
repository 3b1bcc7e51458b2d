/* SPDX-License-Identifier: BSD-2-Clause */
/* Components from shared objects: copies of built-in ones count as they do, and bad ones are
 * refused by name. */
#include "tests/sim/core_test.h"

#include <unistd.h>

#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/component/load.h"
#include "emulator/sim/cpu/page/component_counts.h"

enum { ACCESSES = 200000, BRANCHES = 200000 };

/* The text, with @ as the directory of the test's shared objects. */
static const char *with_path(const char *text, char *out, size_t size)
{
	char program[512], directory[600];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *at = strchr(text, '@');

	assert_true(length > 0);
	program[length] = 0;
	*strrchr(program, '/') = 0;
	snprintf(directory, sizeof(directory), "%s/../../tests/components", program);
	if (!at)
		snprintf(out, size, "%s", text);
	else
		snprintf(out, size, "%.*s%s%s", (int)(at - text), text, directory, at + 1);
	return out;
}

static struct core_config core_of(const char *text)
{
	char whole[1024];

	return test_core(with_path(text, whole, sizeof(whole)));
}

/* A stream with reuse, strides and chance; adds all latencies and levels. */
static uint64_t run_memory(const char *text)
{
	struct core_config config = core_of(text);
	struct shared_cache *shared = shared_cache_new(&config);
	struct memory *m = memory_new(&config, shared);
	uint64_t state = 1, sum = 0;

	assert_non_null(m);
	for (unsigned i = 0; i < ACCESSES; i++) {
		uint64_t n = test_random(&state);
		uint64_t address = n % 4 == 0   ? n % (64 << 20)
				   : n % 4 == 1 ? n % (96 << 10)
						: (uint64_t)i * 24 % (3 << 20);
		struct access access = {.vaddr = address,
					.paddr = address,
					.ip = 0x1000 + n % 4,
					.now = (uint64_t)i * 7,
					.size = 1,
					.store = n % 16 == 2};
		struct access_result result;

		memory_access(m, &access, &result);
		sum = sum * 3 + result.latency + result.level;
	}
	memory_free(m);
	shared_cache_free(shared);
	return sum;
}

static uint64_t run_branches(const char *text)
{
	struct core_config config = core_of(text);
	struct predictor *p = predictor_new(&config, 0);
	uint64_t state = 1, sum = 0;

	assert_non_null(p);
	for (unsigned i = 0; i < BRANCHES; i++) {
		uint64_t n = test_random(&state), ip = 0x400000 + n % 61 * 16;
		bool conditional = n % 8 != 0, taken = !conditional || (i % (n % 61 + 2)) != 0;

		sum = sum * 3 + predictor_branch(
				    p, ip, conditional ? BRANCH_CONDITIONAL : BRANCH_JUMP_INDIRECT,
				    taken, 0x500000 + (i % 7) * 64, ip + 4);
	}
	predictor_free(p);
	return sum;
}

static void test_copies(void **state)
{
	(void)state;
	assert_int_equal(
	    run_branches("skylake,predictor=tage:counters=13:history=100:tables=5:entries=12"),
	    run_branches("skylake"));
	assert_int_equal(
	    run_branches(
		"skylake,predictor=@/copy_tage.so:counters=13:history=100:tables=5:entries=12"),
	    run_branches("skylake"));
	assert_int_equal(run_branches("skylake,indirect=@/copy_path.so:entries=10"),
			 run_branches("skylake"));
	assert_int_equal(run_memory("skylake,l1d-policy=@/copy_plru.so"), run_memory("skylake"));
	assert_int_equal(run_memory("skylake,l2-policy=@/copy_plru.so"), run_memory("skylake"));
	assert_int_equal(run_memory("skylake,l3-policy=@/copy_plru.so"), run_memory("skylake"));
	assert_int_equal(run_memory("skylake,prefetch=off,l2-prefetch=@/copy_streamer.so:ahead=20"),
			 run_memory("skylake,prefetch=streamer"));
	assert_int_equal(run_memory("core2,l1d-policy=lru,l2-policy=lru"),
			 run_memory("core2,replacement=lru"));
}

/* Refused when the text is read. */
static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
	    {"skylake,predictor=./missing.so", "component './missing.so' cannot be loaded: "},
	    {"skylake,predictor=nosuch", "no component 'nosuch': takes bimodal, gshare, tage,"},
	    {"skylake,l2-policy=@/bad_none.so", "is no component: it has no SIM_COMPONENT()"},
	    {"skylake,l2-policy=@/bad_version.so",
	     "was built for version 2 of sim.h, this is version 1"},
	    {"skylake,l2-policy=@/bad_missing.so", "has no victim()"},
	    {"skylake,predictor=@/bad_way.so",
	     "is a replacement policy, not a direction predictor"},
	    {"skylake,predictor=tage:tabels=3",
	     "has no parameter 'tabels': did you mean 'tables'?"},
	    {"skylake,predictor=tage:tables=9", "tables=9: takes a number from 1 to 8"},
	    {"skylake,l2-policy=lru:x=1", "takes no parameter 'x': it has none"},
	    {"skylake,l2-policy", "l2-policy: takes a component"},
	    {"core2,l3-policy=lru", "l3-policy: this core has no l3"},
	    {"skylake,l1d-prefetch=streamer", "no component 'streamer': takes"},
	    {"skylake,l2-polcy=lru", "did you mean 'l2-policy'?"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct core_config config;
		char whole[1024], error[512] = "";

		assert_int_equal(core_config_parse(with_path(cases[i].text, whole, sizeof(whole)),
						   &config, error, sizeof(error)),
				 -1);
		if (!strstr(error, cases[i].says))
			fail_msg("%s: says '%s', not '%s'", cases[i].text, error, cases[i].says);
	}
}

static jmp_buf failed;
static char failure[512];

static void on_failure(const char *line)
{
	snprintf(failure, sizeof(failure), "%s", line);
	longjmp(failed, 1);
}

/* Leaves the memory as it is when a component fails: the simulator would end. */
static const char *run_until_failure(const char *text)
{
	static struct core_config config;
	static struct shared_cache *all[4];
	static struct memory *m;
	static unsigned nr;

	config = core_of(text);
	*failure = 0;
	component_on_failure = on_failure;
	if (!setjmp(failed)) {
		all[nr] = shared_cache_new(&config);
		m = memory_new(&config, all[nr++]);
		for (uint64_t address = 0; address < 64 << 20; address += 64)
			test_access(m, address, false);
	}
	component_on_failure = NULL;
	return failure;
}

static void test_failing(void **state)
{
	(void)state;
	assert_non_null(strstr(run_until_failure("skylake,l1d-policy=@/bad_way.so"),
			       "bad_way.so': victim() returned way 8 of 8"));
	assert_non_null(strstr(run_until_failure("skylake,l2-prefetch=@/bad_prefetch.so"),
			       "outside of the page of its access to 0x"));
	assert_non_null(strstr(run_until_failure("skylake,l2-policy=@/bad_create.so"),
			       "bad_create.so': create() failed"));
}

/* Two processors that share a component, and have one each. */
static void test_events(void **state)
{
	static const char *const names[] = {"first", "second of two", NULL};
	static const struct sim_component two = {.statistics = names}, none;
	struct component_instance shared = {.component = &two},
				  own[2] = {{.component = &two}, {.component = &two}};
	struct component_instance silent = {.component = &none};
	struct component_counts counts[2] = {{0}};
	uint64_t totals[2][CORE_NR_QUANTITIES] = {{0}};
	char shown[VISOR_EVENTS_MAX][VISOR_EVENT_BYTES] = {{0}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		component_counts_add(&counts[i], &own[i], "predictor");
		component_counts_add(&counts[i], &silent, "l2-policy");
		component_counts_add(&counts[i], &shared, "l3-policy");
		own[i].statistics[1] = 10 + i;
		shared.statistics[0] += 5;
		component_counts_settle(&counts[i], totals[i]);
		component_counts_settle(&counts[i], totals[i]);
	}
	component_counts_name(&counts[0], shown);
	assert_string_equal(shown[0], "predictor.first");
	assert_string_equal(shown[1], "predictor.second_of_two");
	assert_string_equal(shown[2], "l3-policy.first");
	assert_string_equal(shown[4], "");
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(totals[i][CORE_COMPONENT_0], 0);
		assert_int_equal(totals[i][CORE_COMPONENT_1], 10 + i);
		assert_int_equal(totals[i][CORE_COMPONENT_2], 5);
	}
	for (unsigned i = 0; i < 2 * VISOR_EVENTS_MAX; i++)
		component_counts_add(&counts[0], &own[0], "predictor");
	assert_int_equal(counts[0].nr, VISOR_EVENTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_copies),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_failing),
	    cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
