/* SPDX-License-Identifier: BSD-2-Clause */
/* The Intel driver and the event core against the modelled PMU: exact counts, samples, groups,
 * turns. */
#include "tests/host/pmu/intel_test.h"
#include "tests/host/kernel/ring_reader.h"

static void counts_rings_apart(void **state)
{
	(void)state;
	for_each_punctual(p, true) {
		fake_boot(p.name);
		struct perf_event_attr user = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
		struct perf_event_attr both = fake_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
		struct perf_event_attr kernel = both;

		kernel.exclude_user = 1;
		int a = open_ok(&user, -1), b = open_ok(&both, -1), c = open_ok(&kernel, -1);
		uint64_t first = value_of(b);

		fake_run(1000, MODEL_USER);
		fake_run(77, MODEL_KERNEL);
		assert_int_equal(value_of(a), 1000);
		assert_int_equal(value_of(b) - first, 1077);
		assert_int_equal(value_of(c), 77);
		fake_close(a);
		fake_close(b);
		fake_close(c);
		end();
	}
}

/* Past the width of the counter and past what can be written to it: the software count has 64
 * bits. */
static void counts_across_wraps(void **state)
{
	static const uint64_t chunk = 0x7fffffff;
	struct perf_event_attr attr = user_attr(PERF_TYPE_RAW, 0xc0);

	(void)state;
	attr.config |= 1u << 18; /* edge: no fixed counter counts that */
	for_each_punctual(p, false) {
		fake_boot(p.name);
		struct perf_event_attr plain = user_attr(PERF_TYPE_RAW, 0xc0);
		int fixed = open_ok(&plain, -1), general = open_ok(&plain, -1);

		for (unsigned i = 0; i < 2000; i++)
			fake_run(chunk, MODEL_USER);
		assert_int_equal(value_of(fixed), 2000 * chunk);
		assert_int_equal(value_of(general), 2000 * chunk);
		fake_close(fixed);
		fake_close(general);
		end();
	}
}

static unsigned count_samples(int fd, void *map, uint64_t pages, uint64_t *lost)
{
	struct ring_reader reader = ring_reader(map, pages);
	const struct ring_record *record;
	unsigned samples = 0;

	(void)fd;
	while ((record = ring_next(&reader))) {
		if (record->header.type == PERF_RECORD_SAMPLE) {
			assert_int_equal(record->words[0], FAKE_USER_RIP);
			samples++;
		} else if (record->header.type == PERF_RECORD_LOST) {
			*lost += record->words[1];
		}
	}
	ring_done(&reader);
	return samples;
}

/* Linux uses no shorter period on Nehalem (an erratum) and Haswell. */
static uint64_t shortest_period(const char *personality)
{
	return !strcmp(personality, "nehalem") || !strcmp(personality, "haswell") ? 32 : 2;
}

/* Sampling `total` instructions with period `period` gives exactly total / period samples. */
static void check_period(const char *personality, uint64_t period, uint64_t total)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
	uint64_t lost = 0, rest = total;
	unsigned samples = 0;
	int error;

	fake_boot(personality);
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	int fd = open_ok(&attr, -1);
	void *map = fake_mmap(fd, 1 + 16, true, &error);

	assert_non_null(map);
	while (rest) {
		uint64_t part = rest < 1000 * period ? rest : 1000 * period;

		fake_run(part, MODEL_USER);
		samples += count_samples(fd, map, 16, &lost);
		rest -= part;
	}
	if (period < shortest_period(personality))
		period = shortest_period(personality);
	assert_int_equal(samples, total / period);
	assert_int_equal(lost, 0);
	assert_int_equal(value_of(fd), total);
	fake_munmap(fd, map);
	fake_close(fd);
	end();
}

static void samples_are_exact(void **state)
{
	static const uint64_t periods[] = {2, 3, 7, 100, 1000, 1001, 4096, 99991};

	(void)state;
	for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		for_each_punctual(p, false)
			check_period(p.name, periods[i], 200003);
	}
	/* Periods beyond the 31 bits that can be written to intel-v2's general counters. */
	check_period("intel-v1", 5000000000, 25000000001);
	check_period("intel-v2", 5000000000, 25000000001);
	check_period("intel-v4", 5000000000, 25000000001);
}

/* Two counters that wrap at the same instruction: one PMI, two samples. */
static void two_wrap_together(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
	uint64_t lost = 0;
	int error;

	(void)state;
	for_each_punctual(p, false) {
		fake_boot(p.name);
		attr.sample_period = 500;
		attr.sample_type = PERF_SAMPLE_IP;
		attr.disabled = 1;
		int a = open_ok(&attr, -1);

		attr.disabled = 0;
		int b = open_ok(&attr, a);
		void *map_a = fake_mmap(a, 1 + 8, true, &error),
		     *map_b = fake_mmap(b, 1 + 8, true, &error);

		assert_int_equal(fake_ioctl(a, PERF_EVENT_IOC_ENABLE, 0), 0);
		fake_run(50000, MODEL_USER);
		assert_int_equal(fake_nmis, 100);
		assert_int_equal(count_samples(a, map_a, 8, &lost), 100);
		assert_int_equal(count_samples(b, map_b, 8, &lost), 100);
		assert_int_equal(lost, 0);
		fake_munmap(a, map_a);
		fake_munmap(b, map_b);
		fake_close(a);
		fake_close(b);
		end();
	}
}

/* Members of a group count the same instructions. */
static void groups_agree(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
	uint64_t values[5];

	(void)state;
	fake_boot("intel-v4");
	attr.read_format = PERF_FORMAT_GROUP;
	int leader = open_ok(&attr, -1), raw, cycles;

	attr.type = PERF_TYPE_RAW;
	attr.config = 0xc0;
	raw = open_ok(&attr, leader);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = CYCLES;
	cycles = open_ok(&attr, leader);
	assert_int_equal(fake_ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	fake_run(16384, MODEL_USER);
	assert_int_equal(fake_read(leader, values, sizeof(values)), 32);
	assert_int_equal(values[0], 3);
	assert_int_equal(values[1], 16384);
	assert_int_equal(values[2], 16384);
	assert_int_equal(values[3], 12288);
	fake_close(raw);
	assert_int_equal(fake_read(leader, values, sizeof(values)), 24);
	/* The sibling continues without its leader. */
	fake_close(leader);
	fake_run(16384, MODEL_USER);
	assert_int_equal(fake_read(cycles, values, sizeof(values)), 16);
	assert_int_equal(values[0], 1);
	assert_int_equal(values[1], 2 * 12288);
	fake_close(cycles);
	end();
}

/* More events than counters take turns, each for its share of the time. */
static void multiplexes(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_RAW, 0x4f2e);
	uint64_t values[3];
	int fds[6];

	(void)state;
	fake_boot("intel-v2");
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (unsigned i = 0; i < 6; i++)
		fds[i] = open_ok(&attr, -1);
	fake_run(60000000, MODEL_USER);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(fake_read(fds[i], values, sizeof(values)), 24);
		assert_int_equal(values[1], 60000000);
		assert_in_range(values[2], 17000000, 23000000);
		/* 256 of 16384 instructions, while it ran. */
		assert_in_range(values[0], values[2] / 64 - 100, values[2] / 64 + 100);
	}
	for (unsigned i = 0; i < 4; i++)
		fake_close(fds[i]);
	/* The last two fit: no more timers. */
	fake_run(3000000, MODEL_USER);
	assert_int_equal(fake_read(fds[5], values, sizeof(values)), 24);
	uint64_t running = values[2];

	fake_run(5000000, MODEL_USER);
	assert_int_equal(fake_read(fds[5], values, sizeof(values)), 24);
	assert_int_equal(values[2] - running, 5000000);
	fake_close(fds[4]);
	fake_close(fds[5]);
	end();
}

/* A pinned event that does not fit is in error: reads give end of file. */
static void pinned_or_error(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_RAW, 0x4f2e);
	uint64_t value;
	int fds[3];

	(void)state;
	fake_boot("intel-v2");
	attr.pinned = 1;
	for (unsigned i = 0; i < 3; i++)
		fds[i] = open_ok(&attr, -1);
	fake_run(16384, MODEL_USER);
	assert_int_equal(value_of(fds[0]), 256);
	assert_int_equal(value_of(fds[1]), 256);
	assert_int_equal(fake_read(fds[2], &value, 8), 0);
	fake_close(fds[0]);
	assert_int_equal(fake_ioctl(fds[2], PERF_EVENT_IOC_ENABLE, 0), 0);
	fake_run(16384, MODEL_USER);
	assert_int_equal(value_of(fds[2]), 256);
	fake_close(fds[1]);
	fake_close(fds[2]);
	end();
}

/* An exclusive group has the counters for itself. */
static void exclusive_is_alone(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
	uint64_t values[3];

	(void)state;
	fake_boot("intel-v4");
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int plain = open_ok(&attr, -1);

	attr.exclusive = 1;
	int alone = open_ok(&attr, -1);

	fake_run(50000000, MODEL_USER);
	fake_read(plain, values, sizeof(values));
	uint64_t first = values[2];

	assert_int_equal(values[0], values[2]);
	fake_read(alone, values, sizeof(values));
	assert_int_equal(values[0], values[2]);
	assert_int_equal(first + values[2], 50000000);
	assert_in_range(values[2], 20000000, 30000000);
	fake_close(plain);
	fake_close(alone);
	end();
}

/* A counter that some event needs is vacated by one that can go elsewhere. */
static void moves_to_make_room(void **state)
{
	struct perf_event_attr any = user_attr(PERF_TYPE_RAW, 0x4f2e),
			       second = user_attr(PERF_TYPE_RAW, 0x01c0);
	struct perf_event_attr other = user_attr(PERF_TYPE_RAW, 0x412e);

	(void)state;
	fake_boot("intel-v4");
	/* 0 and 1 are taken by events that could be anywhere. */
	int a = open_ok(&any, -1), b = open_ok(&other, -1);

	fake_run(16384, MODEL_USER);
	/* INST_RETIRED.PREC_DIST runs on counter 1 only. */
	int c = open_ok(&second, -1);

	fake_run(16384, MODEL_USER);
	assert_int_equal(value_of(a), 512);
	assert_int_equal(value_of(b), 32);
	assert_int_equal(value_of(c), 16384);
	fake_close(a);
	fake_close(b);
	fake_close(c);
	end();
}

static void offcore_registers_are_shared(void **state)
{
	struct perf_event_attr loads = user_attr(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL),
			       stores = loads, misses = loads;

	(void)state;
	fake_boot("intel-v4");
	stores.config |= PERF_COUNT_HW_CACHE_OP_WRITE << 8;
	misses.config |= PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
	int a = open_ok(&loads, -1), b = open_ok(&stores, -1), c = open_ok(&loads, -1);

	fake_run(16384, MODEL_USER);
	assert_int_equal(value_of(a), 192);
	assert_int_equal(value_of(b), 64);
	assert_int_equal(value_of(c), 192);
	/* A third value has no register in the same group. */
	assert_int_equal(fake_ioctl(b, PERF_EVENT_IOC_DISABLE, 0), 0);
	int d = open_ok(&misses, -1);

	fake_run(16384, MODEL_USER);
	assert_int_equal(value_of(d), 12);
	assert_int_equal(value_of(b), 64);
	assert_true(fake_open(&stores, 0, -1, a, 0) >= 0);
	assert_int_equal(fake_open(&misses, 0, -1, a, 0), -EINVAL);
	fake_close(4);
	fake_close(a);
	fake_close(b);
	fake_close(c);
	fake_close(d);
	end();
}

/* The count by RDPMC, as the manual page has it. */
static uint64_t page_value(const struct perf_event_mmap_page *page)
{
	unsigned shift = 64u - page->pmc_width;
	uint64_t raw;

	assert_true(page->cap_user_rdpmc && page->index);
	assert_int_equal(page->lock % 2, 0);
	assert_int_equal(model_rdpmc(&fake_model, page->index - 1, &raw), MODEL_OK);
	return (uint64_t)(page->offset + ((int64_t)(raw << shift) >> shift));
}

/* RDPMC through the user page gives what read gives. */
static void rdpmc_agrees(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
	int error;

	(void)state;
	for_each_punctual(p, false) {
		fake_boot(p.name);
		attr.sample_period = 700;
		int fd = open_ok(&attr, -1);
		struct perf_event_mmap_page *page = fake_mmap(fd, 1, true, &error);

		assert_non_null(page);
		for (unsigned i = 0; i < 100; i++) {
			fake_run(123, MODEL_USER);
			assert_int_equal(page_value(page), 123 * (i + 1));
			assert_int_equal(value_of(fd), 123 * (i + 1));
		}
		/* In the middle of a period. */
		fake_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		assert_int_equal(page_value(page), 0);
		fake_run(12300, MODEL_USER);
		assert_int_equal(page_value(page), 12300);
		fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		assert_int_equal(page->index, 0);
		assert_int_equal(page->offset, 12300);
		fake_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		assert_int_equal(page->offset, 0);
		fake_munmap(fd, page);
		fake_close(fd);
		end();
	}
}

static void generic_events_by_personality(void **state)
{
	struct perf_event_attr attr =
	    user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);

	(void)state;
	for_each_punctual(p, true) {
		fake_boot(p.name);
		if (strcmp(p.name, "nehalem") && strcmp(p.name, "sandy-bridge")) {
			assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -ENOENT);
		} else { /* cycles without UOPS_ISSUED, of which the model has 4 in one cycle */
			int fd = open_ok(&attr, -1);

			fake_run(16384, MODEL_USER);
			assert_int_equal(value_of(fd), 12288 - 19456 / 4);
			fake_close(fd);
		}
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_rings_apart), cmocka_unit_test(counts_across_wraps),
	    cmocka_unit_test(samples_are_exact),  cmocka_unit_test(two_wrap_together),
	    cmocka_unit_test(groups_agree),       cmocka_unit_test(multiplexes),
	    cmocka_unit_test(pinned_or_error),    cmocka_unit_test(exclusive_is_alone),
	    cmocka_unit_test(moves_to_make_room), cmocka_unit_test(offcore_registers_are_shared),
	    cmocka_unit_test(rdpmc_agrees),       cmocka_unit_test(generic_events_by_personality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
