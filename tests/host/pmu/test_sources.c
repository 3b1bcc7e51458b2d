/* SPDX-License-Identifier: BSD-2-Clause */
/* Every generic event that a driver offers has a source on the emulated PMU: the emulator's tables
 * have a row for the selection that the driver makes of it. */
#include "emulator/visor/model/model.h"
#include "abi/visor_cpuid.h"
#include "emulator/visor/model/base/events.h"
#include "tests/host/pmu/intel_test.h"

/* Generic events of which no quantity of a core is a source: they are said to be not counted. */
static const struct {
	uint64_t select;
	const char *personality;
} without_core_source[] = {
    {0x0167, "k10"},          /* DATA_PREFETCHES.CANCELLED: the core cancels none */
    {0x01b7, "sandy-bridge"}, /* OFFCORE_RESPONSE_0: prefetches that miss the last level */
    {0x014b, "k10"},          /* PREFETCH_INSTRUCTIONS_DISPATCHED.LOAD */
};

static bool is_known(const char *personality, uint64_t select)
{
	for (size_t i = 0; i < sizeof(without_core_source) / sizeof(without_core_source[0]); i++)
		if (!strcmp(without_core_source[i].personality, personality) &&
		    without_core_source[i].select == (select & 0xffff))
			return true;
	return false;
}

/* Misses of the node: accesses to another one, which no emulated machine has. */
static bool is_remote(uint32_t type, uint64_t config)
{
	return type == PERF_TYPE_HW_CACHE && (config & 0xff) == PERF_COUNT_HW_CACHE_NODE &&
	       config >> 16 == PERF_COUNT_HW_CACHE_RESULT_MISS;
}

/* The driver has programmed an event: somewhere is a counter for it, with a source. */
static void assert_source(const char *name, uint32_t type, uint64_t config)
{
	const uint64_t *offcore = fake_model.offcore;
	uint64_t select = fake_model.select[0];

	if (!(select & 0x400000) || is_remote(type, config)) /* the first: it has a fixed counter */
		return;
	for (int core = 0; core < 2; core++) {
		unsigned source =
		    event_meaning(fake_model.personality, select, offcore, core).source;

		if (source == VISOR_COUNTS_NOTHING && !(core && is_known(name, select)))
			fail_msg("%s: generic event %u:%llx selects %llx, of which no row of "
				 "emulator/visor/model/%s_events.c counts anything %s a core",
				 name, type, (unsigned long long)config, (unsigned long long)select,
				 model_is_intel(&fake_model) ? "intel/intel" : "amd/amd",
				 core ? "with" : "without");
	}
}

static void check(const char *name, uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = user_attr(type, config);
	int fd = fake_open(&attr, 0, -1, -1, 0);

	if (fd < 0)
		return;
	assert_source(name, type, config);
	fake_close(fd);
}

static void check_all(const char *name)
{
	fake_boot(name);
	for (uint64_t config = 0; config < PERF_COUNT_HW_MAX; config++)
		check(name, PERF_TYPE_HARDWARE, config);
	for (uint64_t cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++)
		for (uint64_t op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX; op++)
			for (uint64_t result = 0; result < PERF_COUNT_HW_CACHE_RESULT_MAX; result++)
				check(name, PERF_TYPE_HW_CACHE, cache | op << 8 | result << 16);
	fake_shutdown();
}

static void generic_events_have_sources(void **state)
{
	(void)state;
	for (unsigned i = 0; personality_at(i); i++)
		if (personality_at(i)->version)
			check_all(personality_name(personality_at(i)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(generic_events_have_sources)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
