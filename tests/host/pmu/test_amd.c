/* SPDX-License-Identifier: BSD-2-Clause */
/* The AMD driver against the modelled PMUs: its events, and NMIs that come late. */
#include "tests/host/names.h"
#include "arch/x86/trap/remote.h"
#include "pmu/hw/hw.h"
#include "tests/host/pmu/intel_test.h"
#include "tests/host/kernel/ring_reader.h"

#define CODE_BITS 0xf0000ffffull

static const char *const amd[] = {"amd-k7", "amd-core", "zen3", "amd-v2", "zen5"};
#define AMD      (sizeof(amd) / sizeof(amd[0]))
#define AMD_CORE "amd-core"
#define DELAY    32 /* instructions from a wrap to amd-core's NMI */

static uint64_t count_of(struct perf_event_attr *attr, uint64_t instructions)
{
	int fd = open_ok(attr, -1);
	uint64_t value;

	fake_run(instructions, MODEL_USER);
	value = value_of(fd);
	fake_close(fd);
	return value;
}

/* Generic events by the model's numbers for 16384 instructions (docs/emulated-pmu.md); 0:
 * ENOENT. */
static void generic_events(void **state)
{
	static const uint16_t expected[AMD][PERF_COUNT_HW_MAX] = {
	    {12288, 16384, 704, 264, 3072, 64, 0, 512, 2048, 0},
	    {12288, 16384, 704, 256, 3072, 64, 0, 512, 0, 0},
	    {12288, 16384, 704, 256, 3072, 64, 0, 512, 0, 0},
	    {12288, 16384, 704, 256, 3072, 64, 0, 512, 0, 16384},
	    {12288, 16384, 704, 256, 3072, 64, 0, 512, 0, 16384},
	};

	(void)state;
	assert_names_all(amd, &vendor_amd);
	for (unsigned p = 0; p < AMD; p++) {
		fake_boot(amd[p]);
		for (unsigned id = 0; id < PERF_COUNT_HW_MAX; id++) {
			struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, id);

			if (expected[p][id])
				assert_int_equal(count_of(&attr, 16384), expected[p][id]);
			else
				assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -ENOENT);
		}
		end();
	}
}

static struct perf_event_attr cache_attr(uint64_t cache, uint64_t op, uint64_t result)
{
	return user_attr(PERF_TYPE_HW_CACHE, cache | op << 8 | result << 16);
}

/* Which cache events there are: as on Linux. */
static void cache_events(void **state)
{
	static const struct {
		uint8_t cache, op;
		int16_t k7[2], zen[2]; /* access, miss for 16384 instructions, or -errno */
	} expected[] = {
	    {PERF_COUNT_HW_CACHE_L1D, 0, {6144, 640}, {6144, 640}},
	    {PERF_COUNT_HW_CACHE_L1D, 1, {-ENOENT, -ENOENT}, {-ENOENT, -ENOENT}},
	    {PERF_COUNT_HW_CACHE_L1D, 2, {256, 16}, {256, -ENOENT}},
	    {PERF_COUNT_HW_CACHE_L1I, 0, {4096, 32}, {4096, 32}},
	    {PERF_COUNT_HW_CACHE_L1I, 1, {-EINVAL, -EINVAL}, {-EINVAL, -EINVAL}},
	    {PERF_COUNT_HW_CACHE_L1I, 2, {128, -ENOENT}, {-ENOENT, -ENOENT}},
	    {PERF_COUNT_HW_CACHE_LL, 0, {672, 256}, {-ENOENT, -ENOENT}},
	    {PERF_COUNT_HW_CACHE_LL, 1, {256, -ENOENT}, {-ENOENT, -ENOENT}},
	    {PERF_COUNT_HW_CACHE_DTLB, 0, {6144, 10}, {64, 10}},
	    {PERF_COUNT_HW_CACHE_ITLB, 0, {4096, 1}, {4, 1}},
	    {PERF_COUNT_HW_CACHE_ITLB, 2, {-EINVAL, -EINVAL}, {-EINVAL, -EINVAL}},
	    {PERF_COUNT_HW_CACHE_BPU, 0, {3072, 64}, {3072, 64}},
	    {PERF_COUNT_HW_CACHE_NODE, 0, {16, 0}, {-ENOENT, -ENOENT}},
	    {PERF_COUNT_HW_CACHE_NODE, 1, {-EINVAL, -EINVAL}, {-EINVAL, -EINVAL}},
	};

	(void)state;
	for (unsigned p = 0; p < AMD; p++) {
		fake_boot(amd[p]);
		for (size_t i = 0; i < 2 * sizeof(expected) / sizeof(expected[0]); i++) {
			struct perf_event_attr attr =
			    cache_attr(expected[i / 2].cache, expected[i / 2].op, i % 2);
			int16_t want = (p ? expected[i / 2].zen : expected[i / 2].k7)[i % 2];

			if (want < 0)
				assert_int_equal(fake_open(&attr, 0, -1, -1, 0), want);
			else
				assert_int_equal(count_of(&attr, 16384), want);
		}
		end();
	}
}

/* The format of raw events: 12 bits of event, unit mask, edge, inv, cmask; the rest is ignored. */
static void raw_events(void **state)
{
	static const struct {
		uint64_t config, count;
	} rows[] = {
	    {0x00c0, 16384},
	    {0x1000000c0, 0}, /* event 1C0H */
	    {0x100000120, 16384},
	    {0x010000c0, 4096},         /* cycles with at least one */
	    {0x018000c0, 12288 - 4096}, /* without */
	    {0x010400c0, 4096},         /* begins of them */
	    {0xfffffcf0007300c0,
	     16384}, /* rings, interrupt, enable, reserved bits, host and guest */
	    {0x05c0, 0},
	};

	(void)state;
	fake_boot("amd-v2");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = user_attr(PERF_TYPE_RAW, rows[i].config);

		assert_int_equal(count_of(&attr, 16384), rows[i].count);
	}
	end();
}

/* As many as there are counters fit into a group, whatever they count. */
static void groups_fill_the_counters(void **state)
{
	static const unsigned counters[AMD] = {4, 6, 6, 6, 6};
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	for (unsigned p = 0; p < AMD; p++) {
		int fds[6];

		fake_boot(amd[p]);
		fds[0] = open_ok(&attr, -1);
		for (unsigned i = 1; i < counters[p]; i++)
			fds[i] = open_ok(&attr, fds[0]);
		assert_int_equal(fake_open(&attr, 0, -1, fds[0], 0), -EINVAL);
		fake_run(5000, MODEL_USER);
		for (unsigned i = 0; i < counters[p]; i++) {
			assert_int_equal(value_of(fds[i]), 5000);
			fake_close(fds[i]);
		}
		end();
	}
}

/* ---- pairs of counters ---- */

#define FLOPS   0xff03
#define MERGE   0xf000000ffull
#define ENABLED (1ull << 22)

/* Event 003H takes an even counter, and the next one extends it. */
static void flops_take_a_pair(void **state)
{
	struct perf_event_attr flops = user_attr(PERF_TYPE_RAW, FLOPS);

	(void)state;
	for (unsigned p = 1; p < AMD; p++) {
		fake_boot(amd[p]);
		int fd = open_ok(&flops, -1);
		uint64_t even = fake_model.select[0], odd = fake_model.select[1];

		assert_int_equal(even & CODE_BITS, FLOPS);
		assert_int_equal(odd & (MERGE | ENABLED), MERGE | ENABLED);
		assert_int_equal(odd & ~(MERGE | ENABLED), 0);
		assert_int_equal(fake_model.counters[1].value, 0xffff);
		fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		assert_int_equal(fake_model.select[1], 0);
		fake_close(fd);
		end();
	}
}

/* Three pairs fill six counters; events that count alone move away for them. */
static void pairs_find_room(void **state)
{
	struct perf_event_attr flops = user_attr(PERF_TYPE_RAW, FLOPS),
			       one = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	for (unsigned p = 1; p < AMD; p++) {
		int fds[4];

		fake_boot(amd[p]);
		for (unsigned i = 0; i < 3; i++)
			fds[i] = open_ok(&one, -1);
		fake_close(fds[1]); /* 0 and 2 are taken, 1, 3, 4, 5 are free */
		fds[1] = open_ok(&flops, -1);
		fds[3] = open_ok(&flops, -1);
		fake_run(1000, MODEL_USER);
		assert_int_equal(value_of(fds[0]), 1000);
		assert_int_equal(value_of(fds[2]), 1000);
		for (unsigned i = 0; i < 4; i++)
			fake_close(fds[i]);
		fds[0] = open_ok(&flops, -1);
		fds[1] = open_ok(&flops, fds[0]);
		fds[2] = open_ok(&flops, fds[0]);
		assert_int_equal(fake_open(&one, 0, -1, fds[0], 0), -EINVAL);
		for (unsigned i = 0; i < 3; i++)
			fake_close(fds[i]);
		end();
	}
}

/* K8 to family 16h have no such event. */
static void no_pair_before_zen(void **state)
{
	struct perf_event_attr flops = user_attr(PERF_TYPE_RAW, FLOPS);
	int fds[4];

	(void)state;
	fake_boot("amd-k7");
	fds[0] = open_ok(&flops, -1);
	for (unsigned i = 1; i < 4; i++)
		fds[i] = open_ok(&flops, fds[0]);
	for (unsigned i = 0; i < 4; i++)
		fake_close(fds[i]);
	end();
}

/* ---- counters that processors share ---- */

/* Gives this processor a neighbour with counters in use. */
static void neighbour(uint64_t used, uint64_t exclusive)
{
	hw_cpus[0].neighbours = cpu_mask_of(1);
	hw_cpus[0].has_neighbours = true;
	hw_cpus[1].used = used;
	hw_cpus[1].exclusive = exclusive;
}

/* Two cores must not program the same counter with events of the northbridge. */
static void northbridge_counters_are_exclusive(void **state)
{
	struct perf_event_attr memory = user_attr(PERF_TYPE_RAW, 0xb8e9),
			       other = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	fake_boot("amd-k7");
	neighbour(0xf, 0x5);
	int a = open_ok(&memory, -1), b = open_ok(&other, -1), c = open_ok(&memory, -1);

	assert_int_equal(hw_cpus[0].exclusive, 0xa);
	assert_int_equal(hw_cpus[0].used, 0xb); /* others count anywhere */
	int d = open_ok(&memory, -1);

	fake_run(100, MODEL_USER);
	assert_int_equal(hw_cpus[0].exclusive, 0xa); /* and the third northbridge event waits */
	fake_close(a);
	assert_int_equal(value_of(b), 100);
	fake_close(b);
	fake_close(c);
	fake_close(d);
	assert_int_equal(hw_cpus[0].exclusive, 0);
	neighbour(0, 0);
	end();
}

/* Samples whose NMI is late: what was counted too much is taken off the next period. */
static void late_samples_keep_the_period(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	fake_boot(AMD_CORE);
	attr.sample_period = 1000;
	int fd = open_ok(&attr, -1);

	fake_run(1000 * 1000 + DELAY - 1, MODEL_USER);
	assert_int_equal(fake_nmis, 999);
	fake_run(1, MODEL_USER);
	assert_int_equal(fake_nmis, 1000);
	assert_int_equal(value_of(fd), 1000 * 1000 + DELAY);
	fake_close(fd);
	end();
}

/* The second of two counters finds its period ended in the first one's NMI; its own finds nothing,
 * and is claimed. */
static void second_nmi_is_claimed(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	fake_boot(AMD_CORE);
	attr.sample_period = 1000;
	int a = open_ok(&attr, -1);

	fake_run(10, MODEL_USER);
	int b = open_ok(&attr, -1);

	fake_run(1000 * 100 + DELAY, MODEL_USER);
	assert_int_equal(fake_nmis, 200);
	assert_int_equal(value_of(a), 100010 + DELAY);
	assert_int_equal(value_of(b), 100000 + DELAY);
	fake_close(a);
	fake_close(b);
	end();
}

/* An NMI in flight when its event is closed is claimed if it comes soon after another one, and
 * only then. */
static void stray_nmis(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	fake_boot(AMD_CORE);
	attr.sample_period = 1000;
	int fd = open_ok(&attr, -1);

	fake_run(3000 + DELAY / 2, MODEL_USER);
	assert_int_equal(fake_nmis, 2);
	fake_close(fd);
	fake_run(DELAY, MODEL_USER);
	assert_int_equal(fake_nmis, 3);
	assert_int_equal(fake_unclaimed, 0);
	/* 200 ms later it is claimed by no handler. */
	fake_run(200000000, MODEL_USER);
	fake_model.pmi_pending = true;
	fake_run(1, MODEL_USER);
	assert_int_equal(fake_unclaimed, 1);
	fake_unclaimed = 0;
	end();
}

/* Periods far shorter than the delay: the machine makes progress, and nothing is counted twice. */
static void storm(void **state)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	(void)state;
	for (uint64_t period = 1; period < 40; period++) {
		fake_boot(AMD_CORE);
		attr.sample_period = period;
		int fd = open_ok(&attr, -1);

		for (unsigned i = 0; i < 1000; i++) {
			fake_run(7, MODEL_KERNEL);
			fake_run(20, MODEL_USER);
		}
		fake_close(fd);
		fake_run(DELAY, MODEL_USER);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(generic_events),
	    cmocka_unit_test(cache_events),
	    cmocka_unit_test(raw_events),
	    cmocka_unit_test(groups_fill_the_counters),
	    cmocka_unit_test(flops_take_a_pair),
	    cmocka_unit_test(pairs_find_room),
	    cmocka_unit_test(no_pair_before_zen),
	    cmocka_unit_test(northbridge_counters_are_exclusive),
	    cmocka_unit_test(late_samples_keep_the_period),
	    cmocka_unit_test(second_nmi_is_claimed),
	    cmocka_unit_test(stray_nmis),
	    cmocka_unit_test(storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
