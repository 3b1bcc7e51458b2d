/* SPDX-License-Identifier: BSD-2-Clause */
/* Top-down metrics: slots lead a group of their shares, which add up, and other groups are refused.
 * Where the codes are ordinary raw events there is nothing to test. */
#include "tests/guest/perf.h"

#define SLOTS     0x0400
#define METRIC(i) (0x8000ull + 0x100 * (i))
#define METRICS   8 /* of level 1, then a part of each */
#define LEVEL1    4

static int open_raw(uint64_t config, int leader)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_RAW, config);

	attr.disabled = leader < 0;
	attr.read_format = PERF_FORMAT_GROUP;
	return perf_try(&attr, 0, -1, leader, 0);
}

static void refused(int slots)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int other = perf_try(&attr, 0, -1, -1, 0);

	is((uint64_t)open_raw(METRIC(0), other), (uint64_t)-EINVAL, "a share without slots");
	attr = perf_user_attr(PERF_TYPE_RAW, METRIC(0));
	attr.sample_period = 1000;
	is((uint64_t)perf_try(&attr, 0, -1, slots, 0), (uint64_t)-EINVAL, "a share that samples");
	attr = perf_user_attr(PERF_TYPE_RAW, METRIC(0) | 1 << 18);
	is((uint64_t)perf_try(&attr, 0, -1, slots, 0), (uint64_t)-EINVAL, "a share with a filter");
	attr = perf_user_attr(PERF_TYPE_RAW, SLOTS);
	attr.config1 = 1;
	is((uint64_t)perf_try(&attr, 0, -1, -1, 0), (uint64_t)-EINVAL, "slots with config1");
	close(other);
}

/* Programs read both registers, which start from 0 at each read(2), by RDPMC: slots in fixed
 * counter 3, all shares in PERF_METRICS. */
static void user_pages(void)
{
	int slots = open_raw(SLOTS, -1), share = open_raw(METRIC(0), slots);
	const struct perf_event_mmap_page *of_slots =
	    mmap(NULL, 4096, PROT_READ, MAP_SHARED, slots, 0);
	const struct perf_event_mmap_page *of_share =
	    mmap(NULL, 4096, PROT_READ, MAP_SHARED, share, 0);
	uint64_t by_rdpmc, by_read[2 + METRICS];
	uint32_t low, high;

	ioctl(slots, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	is(of_slots->index, 0x40000004, "user page of slots: index");
	is(of_share->index, 0x20000001, "user page of a share: index");
	perf_loop(100000);
	if (of_slots->index) {
		__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(of_slots->index - 1));
		by_rdpmc = (low | (uint64_t)high << 32);
		read(slots, by_read, sizeof(by_read));
		ok(by_rdpmc > 200000 && by_rdpmc <= by_read[1] && by_read[1] - by_rdpmc < 100000,
		   "RDPMC: %llu slots, a little before read: %llu", (unsigned long long)by_rdpmc,
		   (unsigned long long)by_read[1]);
	}
	ioctl(slots, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	is(of_slots->index, 0, "user page of slots that are off: index");
	close(share);
	close(slots);
}

static void shares(int slots)
{
	uint64_t values[2 + METRICS] = {0}, sum = 0;

	for (unsigned i = 0; i < METRICS; i++)
		ok(open_raw(METRIC(i), slots) >= 0, "share %u joins the slots", i);
	ioctl(slots, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	perf_loop(1000000);
	ioctl(slots, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	is((uint64_t)read(slots, values, sizeof(values)), sizeof(values),
	   "the metrics are read together");
	for (unsigned i = 0; i < LEVEL1; i++) {
		sum += values[2 + i];
		ok(values[2 + LEVEL1 + i] <= values[2 + i], "%llu is a part of %llu",
		   (unsigned long long)values[2 + LEVEL1 + i], (unsigned long long)values[2 + i]);
	}
	ok(values[1] > 2000000, "%llu slots in 2 million instructions",
	   (unsigned long long)values[1]);
	/* Each share has 8 bits, and is rounded down. */
	ok(sum <= values[1] && sum >= values[1] - values[1] / 50, "the shares add up: %llu",
	   (unsigned long long)sum);
}

int main(void)
{
	int alone = open_raw(METRIC(0), -1), slots;

	if (alone != -EINVAL)
		return tap_skip_all("no top-down metrics");
	slots = open_raw(SLOTS, -1);
	if (!ok(slots >= 0, "slots"))
		return tap_end();
	user_pages();
	refused(slots);
	shares(slots);
	return tap_end();
}
