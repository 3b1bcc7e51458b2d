/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs where they hurt: between any two register writes of other work, and without end. */
#include "tests/host/pmu/intel_test.h"
#include "tests/host/kernel/ring_reader.h"

static int racing_fd;
static unsigned writes_to_go;

/* Lets the counter wrap right after the MSR write of that number. */
static void wrap_now(void)
{
	if (--writes_to_go)
		return;
	fake_after_wrmsr = NULL;
	fake_run(4000, MODEL_USER);
}

/* A PMI between any two writes of enable, disable, period, reset and open of another event: nothing
 * is counted twice or lost. */
static void pmi_anywhere(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS),
			       other = user_attr(PERF_TYPE_HARDWARE, CYCLES);

	(void)state;
	attr.sample_period = 1000;
	for_each_punctual(p, false) {
		for (unsigned n = 1; n < 12; n++) {
			fake_boot(p.name);
			racing_fd = open_ok(&attr, -1);
			fake_run(500, MODEL_USER);
			writes_to_go = n;
			fake_after_wrmsr = wrap_now;
			int fd = open_ok(&other, -1);

			fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
			fake_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
			fake_close(fd);
			if (fake_after_wrmsr) {
				fake_after_wrmsr = NULL;
				fake_run(4000, MODEL_USER);
			}
			fake_run(500, MODEL_USER);
			assert_int_equal(value_of(racing_fd), 5000);
			assert_int_equal(fake_nmis, 5);
			fake_close(racing_fd);
			end();
		}
	}
}

/* A status bit that comes back at once, whatever is written. */
static void wrap_forever(void)
{
	fake_model.status |= 1ull << 32;
}

/* Broken hardware cannot keep the processor in the PMI: the counter is stopped. */
static void stuck_status(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	fake_boot("intel-v4");
	attr.sample_period = 1000;
	int fd = open_ok(&attr, -1);

	fake_after_wrmsr = wrap_forever;
	fake_run(1500, MODEL_USER);
	fake_after_wrmsr = NULL;
	fake_model.status = 0;
	assert_int_equal(fake_nmis, 1);
	uint64_t count = value_of(fd);

	fake_run(5000, MODEL_USER);
	assert_int_equal(value_of(fd), count);
	/* It can be started again. */
	fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	fake_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fake_run(5000, MODEL_USER);
	assert_int_equal(value_of(fd), count + 5000);
	fake_close(fd);
	end();
}

/* Samples that read a group while siblings come and go: every record is whole. */
static void groups_change_under_samples(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS), other = attr;
	unsigned samples = 0;

	(void)state;
	attr.sample_period = 100;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_PERIOD;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	for (unsigned n = 1; n < 40; n++) {
		int leader, fds[2], error;
		void *map;

		fake_boot("intel-v4");
		leader = open_ok(&attr, -1);
		map = fake_mmap(leader, 1 + 16, true, &error);
		assert_non_null(map);
		writes_to_go = n;
		fake_after_wrmsr = wrap_now;
		for (unsigned i = 0; i < 2; i++)
			fds[i] = open_ok(&other, leader);
		fake_close(fds[0]);
		fake_close(fds[1]);
		fake_after_wrmsr = NULL;
		fake_run(1000, MODEL_USER);

		struct ring_reader reader = ring_reader(map, 16);
		const struct ring_record *record;

		while ((record = ring_next(&reader))) {
			uint64_t members = record->words[2];

			assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
			assert_int_equal(record->words[0], FAKE_USER_RIP);
			assert_int_equal(record->words[1], 100);
			assert_in_range(members, 1, 3);
			assert_int_equal(record->header.size, 32 + 16 * members);
			samples++;
		}
		fake_munmap(leader, map);
		fake_close(leader);
		end();
	}
	assert_true(samples > 39 * 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pmi_anywhere),
	    cmocka_unit_test(stuck_status),
	    cmocka_unit_test(groups_change_under_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
