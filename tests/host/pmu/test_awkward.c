/* SPDX-License-Identifier: BSD-2-Clause */
/* The drivers on PMUs that behave awkwardly, as real parts do: counts stay exact, no sample is lost
 * or doubled, foreign NMIs are left to others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>
#include "emulator/visor/model/model.h"
#include "abi/linux/perf_event.h"
#include "pmu/base/cpu.h"
#include "pmu/hw/hw.h"
#include "tests/host/fake/fake_kernel.h"
#include "tests/host/fake/fake_machine.h"
#include "tests/host/kernel/ring_reader.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"

#define PERIOD     10007
#define LONGEST    3000 /* instructions that a PMI or NMI may take to arrive, at most */
#define RING_PAGES 16

static const char *const awkward[] = {
    "skid:1",
    "skid:37",
    "skid:2999",
    "late-nmi:1",
    "late-nmi:37",
    "late-nmi:2999",
    "late-nmi:500,mask-never",
    "skid:100,late-nmi:100",
    "hold-for-read",
    "hold-for-read:2",
    "hold-for-read:3",
    "hold-for-write",
    "hold-for-write:2",
    "hold-for-write:3",
    "hold-for-write:4",
    "hold-for-write:5",
    "hold-for-write:6",
    "hold-for-write:7",
    "mask-always",
    "mask-never",
    "running",
    "foreign-nmi:1",
    "foreign-nmi:997",
    "skid:37,foreign-nmi:101",
    "late-nmi:200,foreign-nmi:33,mask-never",
};

#define AWKWARD (sizeof(awkward) / sizeof(awkward[0]))

/* Starts the machine; false when there is no driver for its PMU. */
static bool boot(const struct personality *personality, const char *words)
{
	struct quirks quirks = {0};

	assert_true(quirks_parse(&quirks, words));
	fake_boot_awkward(personality_name(personality), &quirks);
	if (hardware_pmu)
		return true;
	fake_shutdown();
	return false;
}

/* Closes everything. Unclaimed NMIs were foreign, and all foreign NMIs were unclaimed, except
 * the ones that came together with a PMI. */
static void end(const char *words)
{
	fake_shutdown();
	assert_int_equal(fake_open_objects, 0);
	if (fake_unclaimed > fake_quirks.foreign_nmis)
		fail_msg("%s on %s: %u NMIs not claimed, %lu foreign", words,
			 personality_name(fake_model.personality), fake_unclaimed,
			 fake_quirks.foreign_nmis);
	assert_true(fake_unclaimed + fake_nmis >= fake_quirks.foreign_nmis);
}

static int open_event(uint64_t period, bool disabled, int group)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int fd;

	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.disabled = disabled;
	fd = fake_open(&attr, 0, -1, group, 0);
	assert_true(fd >= 0);
	return fd;
}

static uint64_t value_of(int fd)
{
	uint64_t value = 0;

	assert_int_equal(fake_read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

static unsigned take_samples(void *map)
{
	struct ring_reader reader = ring_reader(map, RING_PAGES);
	const struct ring_record *record;
	unsigned samples = 0;

	for (; (record = ring_next(&reader)); samples++)
		assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
	ring_done(&reader);
	return samples;
}

/* Runs `body` on every part that has a driver, with every awkward behaviour. */
static void everywhere(void (*body)(const char *words))
{
	for (unsigned p = 0; personality_at(p); p++) {
		for (unsigned i = 0; i < AWKWARD; i++) {
			if (!boot(personality_at(p), awkward[i]))
				break;
			/* A driver may rely on what its vendor says of LVTPC's mask. */
			if (fake_quirks.wanted.mask_always && !model_masks_lvtpc(&fake_model)) {
				fake_shutdown();
				continue;
			}
			body(awkward[i]);
			end(awkward[i]);
		}
	}
}

/* Counting alone: whatever happens, each instruction once. */
static void count(const char *words)
{
	int fd = open_event(0, false, -1);
	uint64_t total = 0;

	for (unsigned i = 1; i < 200; i++) {
		fake_run(i, MODEL_USER);
		fake_run(i / 2, MODEL_KERNEL);
		total += i;
		if (value_of(fd) != total)
			fail_msg("%s: counted %lu of %lu", words, value_of(fd), total);
	}
	fake_close(fd);
}

static void counts_are_exact(void **state)
{
	(void)state;
	everywhere(count);
}

/* A group of two events that wrap together, read all the time: each period a sample of each. */
static void sample(const char *words)
{
	int leader = open_event(PERIOD, true, -1), other = open_event(PERIOD, false, leader), error;
	void *map = fake_mmap(leader, 1 + RING_PAGES, true, &error),
	     *other_map = fake_mmap(other, 1 + RING_PAGES, true, &error);
	unsigned samples = 0, other_samples = 0;
	uint64_t total = 0;

	fake_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 40; i++) {
		fake_run(PERIOD + 119 * i, MODEL_USER);
		total += PERIOD + 119 * i;
		if (value_of(leader) != total || value_of(other) != total)
			fail_msg("%s: counted %lu and %lu of %lu", words, value_of(leader),
				 value_of(other), total);
	}
	fake_run(LONGEST, MODEL_KERNEL);
	samples = take_samples(map);
	other_samples = take_samples(other_map);
	if (samples != total / PERIOD || other_samples != total / PERIOD)
		fail_msg("%s: %u and %u samples of %lu", words, samples, other_samples,
			 total / PERIOD);
	fake_munmap(leader, map);
	fake_munmap(other, other_map);
	fake_close(leader);
	fake_close(other);
}

static void no_sample_is_lost(void **state)
{
	(void)state;
	everywhere(sample);
}

static uint64_t seed;

static uint64_t below(uint64_t limit)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % limit;
}

/* The expected count of a counter that is switched, read, reset and given other periods. */
struct reference {
	int fd;
	bool on;
	uint64_t count;
};

static void change(struct reference *r)
{
	uint64_t period = 5000 + below(20000);

	switch (below(5)) {
	case 0:
		fake_ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0);
		r->on = true;
		break;
	case 1:
		fake_ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0);
		r->on = false;
		break;
	case 2:
		fake_ioctl(r->fd, PERF_EVENT_IOC_RESET, 0);
		r->count = 0;
		break;
	case 3:
		fake_ioctl(r->fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
		break;
	default:
		break;
	}
}

/* PMIs under way while their events are stopped, reset, and give way to others: nothing is counted
 * twice or left out. */
static void disturb(const char *words)
{
	struct reference events[2];

	for (unsigned e = 0; e < 2; e++)
		events[e] = (struct reference){open_event(PERIOD, true, -1), false, 0};
	for (unsigned step = 0; step < 100; step++) {
		uint64_t instructions = below(12000);

		change(&events[below(2)]);
		fake_run(instructions, MODEL_USER);
		fake_run(below(100), MODEL_KERNEL);
		for (unsigned e = 0; e < 2; e++) {
			events[e].count += events[e].on ? instructions : 0;
			if (value_of(events[e].fd) != events[e].count)
				fail_msg("%s: step %u, event %u counted %lu of %lu", words, step, e,
					 value_of(events[e].fd), events[e].count);
		}
	}
	fake_close(events[0].fd);
	fake_close(events[1].fd);
	fake_run(LONGEST, MODEL_USER);
}

static void nothing_disturbs(void **state)
{
	(void)state;
	seed = 7;
	everywhere(disturb);
}

/* A PMU that ignores all writes is treated as absent: the log says so, and the rest works. */
static void swallowed_writes(void **state)
{
	struct perf_event_attr hardware = fake_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
			       clock = fake_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	(void)state;
	for (unsigned p = 0; personality_at(p); p++) {
		if (!boot(personality_at(p), "mask-never"))
			continue;
		fake_shutdown();
		assert_false(boot(personality_at(p), "swallow"));
		fake_boot_awkward(personality_name(personality_at(p)),
				  &(struct quirks){.swallow = QUIRK_EVERY_MSR});
		assert_non_null(strstr(fake_log, "no PMU: "));
		assert_int_equal(fake_open(&hardware, 0, -1, -1, 0), -ENOENT);
		int fd = fake_open(&clock, 0, -1, -1, 0);

		fake_run(1000, MODEL_USER);
		assert_int_equal(value_of(fd), 1000);
		fake_close(fd);
		end("swallow");
	}
}

/* One register that keeps nothing: its counter is left out. */
static void swallowed_counter(void **state)
{
	(void)state;
	/* IA32_PMC1, IA32_PERFEVTSEL1. */
	for (unsigned i = 0; i < 2; i++) {
		fake_boot_awkward("intel-v4", &(struct quirks){.swallow = i ? 0x187 : 0xc2});
		assert_int_equal(hw_kinds[HW_FIRST].general, 0xfd);
		end("swallow");
	}
}

/* Counters that firmware left running are reported and stopped. */
static void left_running(void **state)
{
	(void)state;
	for (unsigned p = 0; personality_at(p); p++) {
		if (!boot(personality_at(p), "running"))
			continue;
		assert_non_null(strstr(fake_log, "firmware left general counter"));
		assert_false(model_counts(&fake_model));
		end("running");
		boot(personality_at(p), "mask-never");
		assert_null(strstr(fake_log, "firmware"));
		end("mask-never");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_are_exact),  cmocka_unit_test(no_sample_is_lost),
	    cmocka_unit_test(nothing_disturbs),  cmocka_unit_test(swallowed_writes),
	    cmocka_unit_test(swallowed_counter), cmocka_unit_test(left_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
