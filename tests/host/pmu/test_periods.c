/* SPDX-License-Identifier: BSD-2-Clause */
/* Periods that errata forbid: what is loaded into the counter instead, at the start and after each
 * overflow, and that samples come as often as was asked for all the same. Expectations: the errata
 * named in pmu/intel/tables/intel_sandy.c; for Sapphire Rapids Linux 6.1. */
#include "pmu/hw/hw.h"
#include "pmu/intel/tables/intel_tables.h"
#include "tests/host/pmu/intel_test.h"
#include "tests/host/kernel/ring_reader.h"
#include "emulator/visor/model/base/model_state.h"

#define WIDTH       48
#define RUN         40000
#define PAGES       16
#define RETIRED_ALL 0x01c0 /* INST_RETIRED.ALL; the model counts the same */
#define ANY_P       0x00c0

static const struct row {
	const char *personality;
	const struct intel_model *model; /* in place of the personality's; NULL: its own */
	uint64_t code;
	unsigned precise, period;
	unsigned first, shortest, grain; /* the initially loaded period, and the rule */
} rows[] = {
    {"intel-v4", &intel_haswell, RETIRED_ALL, 0, 100, 128, 128, 1},
    {"intel-v4", &intel_haswell, RETIRED_ALL, 0, 201, 201, 128, 1},
    {"intel-v4", &intel_haswell, ANY_P, 0, 10, 32, 32, 1},
    {"intel-v4", &intel_broadwell, RETIRED_ALL, 0, 100, 128, 128, 64},
    {"intel-v4", &intel_broadwell, RETIRED_ALL, 0, 200, 192, 128, 64},
    {"intel-v4", &intel_broadwell, RETIRED_ALL, 0, 1000, 960, 128, 64},
    {"intel-v4", &intel_broadwell, ANY_P, 0, 10, 10, 2, 1},
    {"intel-v5", NULL, ANY_P, 3, 100, 128, 128, 1},
    {"intel-v5", NULL, ANY_P, 2, 100, 100, 2, 1},
};

/* Returns the number of events until the one active counter overflows. */
static uint64_t left(void)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < MODEL_MAX_COUNTER; i++)
		if (fake_model.counters[i].value > most)
			most = fake_model.counters[i].value;
	return (1ull << WIDTH) - most;
}

/* Follows the periods. A reload shows as more remaining events than before. */
static void follow(const struct row *row)
{
	uint64_t before = left(), now;

	for (unsigned i = 0; i < RUN; i++, before = now) {
		fake_run(1, MODEL_USER);
		now = left();
		if (now <= before)
			continue;
		/* A record is made one instruction after the wrap. */
		assert_true(now + !!row->precise >= row->shortest);
		assert_int_equal(now % row->grain, 0);
	}
}

static unsigned count_samples(void *map)
{
	struct ring_reader reader = ring_reader(map, PAGES);
	unsigned samples = 0;

	while (ring_next(&reader))
		samples++;
	return samples;
}

static void limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct perf_event_attr attr = user_attr(PERF_TYPE_RAW, row->code);
		unsigned average = row->period < row->shortest ? row->shortest : row->period;
		int fd, error;
		void *map;

		fake_boot(row->personality);
		if (row->model)
			intel_kind(hw_this_kind())->model = row->model;
		attr.sample_period = row->period;
		attr.precise_ip = row->precise;
		attr.sample_type = PERF_SAMPLE_IP;
		fd = open_ok(&attr, -1);
		map = fake_mmap(fd, 1 + PAGES, true, &error);
		assert_int_equal(left(), row->first);
		follow(row);
		assert_int_equal(value_of(fd), RUN);
		assert_in_range(count_samples(map), RUN / average - 2, RUN / average);
		fake_munmap(fd, map);
		fake_close(fd);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(limits)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
