/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact counts and a sample for each period, on every PMU, however awkwardly its interrupts
 * come. The periods are longer than any PMI takes to arrive. */
#include "tests/guest/sample/sampling.h"

#define PERIOD  10007
#define LONGEST 4000 /* instructions that a PMI takes to arrive, at most */
#define ROUNDS  200

/* A loop has one cost each time, whatever interrupts it. */
static void counting(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int fd = perf_open(&attr, 0, -1, -1, 0);
	uint64_t before, first = 0, different = 0;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		before = perf_value(fd);
		perf_loop(5000);
		before = perf_value(fd) - before;
		first = first ? first : before;
		different += before != first;
	}
	ok(first >= 10000 && first < 10200, "a loop of 10,000 instructions counts so many");
	is(different, 0, "each count of the loop is equal");
	close(fd);
}

/* The count by RDPMC, as the manual page has it. */
static uint64_t page_value(volatile struct perf_event_mmap_page *page)
{
	uint32_t lock, index, low, high;
	uint64_t count;

	do {
		lock = page->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		index = page->index;
		count = (uint64_t)page->offset;
		if (index) {
			unsigned shift = 64u - page->pmc_width;

			__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
			count +=
			    (uint64_t)((int64_t)(((uint64_t)high << 32 | low) << shift) >> shift);
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != lock);
	return count;
}

/* A group of two that wrap together, read all the time in both ways. */
static void sampling(void)
{
	struct perf_event_attr attr = sampling_attr(PERIOD, PERF_SAMPLE_IP);
	uint64_t last = 0, now, backward = 0, apart = 0;
	struct sampler a, b;

	sampler_open(&a, &attr, 64, PROT_READ | PROT_WRITE);
	attr.disabled = 0;
	b = (struct sampler){.fd = perf_open(&attr, 0, -1, a.fd, 0)};
	if (b.fd < 0 || !perf_map(&b.ring, b.fd, 64, PROT_READ | PROT_WRITE)) {
		skip("two sampling events at once", "this PMU has one counter");
		return;
	}
	ioctl(a.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		perf_loop(2000 + 13 * i);
		now = perf_value(a.fd);
		backward += now < last;
		last = page_value(a.ring.page);
		/* Between both: the way out of the call, and a few lines. */
		apart += last - now > 500;
	}
	while (perf_value(a.fd) % PERIOD < LONGEST)
		perf_loop(500);
	ioctl(a.fd, PERF_EVENT_IOC_DISABLE, 0);
	sampler_drain(&a);
	sampler_drain(&b);
	is(backward, 0, "no count goes backward");
	is(apart, 0, "read and RDPMC agree");
	is(perf_value(b.fd), perf_value(a.fd), "both members count the same");
	is(a.samples, perf_value(a.fd) / PERIOD, "a sample for each period of the leader");
	is(b.samples, a.samples, "the sibling has as many samples");
	is(a.lost + b.lost + a.others + b.others, 0, "nothing lost");
	sampler_close(&b);
	sampler_close(&a);
}

/* Reads that begin at each turn of the loop past the end of a period: its PMI, however late,
 * finds them at each of their steps. The samples show when they were taken. */
static void reading(void)
{
	struct perf_event_attr attr = sampling_attr(PERIOD, PERF_SAMPLE_READ);
	uint64_t now, apart = 0, late = 0, samples = 0;
	struct sampler s;

	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 500; i += 2) {
		now = perf_value(s.fd);
		perf_loop((2 * PERIOD - now % PERIOD + i) / 2);
		now = perf_value(s.fd);
		apart += page_value(s.ring.page) - now > 500;
		perf_loop(LONGEST / 2);
		for (; perf_next(&s.ring, &record); samples++)
			late += record.words[0] % PERIOD > LONGEST;
	}
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	is(apart, 0, "read and RDPMC agree whenever a PMI comes");
	is(late, 0, "each sample is taken at the end of its period");
	is(samples, perf_value(s.fd) / PERIOD, "each period has one sample");
	sampler_close(&s);
}

/* Stopping and starting under PMIs that are under way. */
static void switching(void)
{
	struct perf_event_attr attr = sampling_attr(PERIOD, PERF_SAMPLE_IP);
	struct perf_event_attr reference_attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int reference = perf_open(&reference_attr, 0, -1, -1, 0);
	uint64_t count, expected = 0;
	struct sampler s;

	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t before = perf_value(reference);

		ioctl(reference, PERF_EVENT_IOC_ENABLE, 0);
		sampler_loop(&s, 3000 + 17 * i);
		ioctl(reference, PERF_EVENT_IOC_DISABLE, 0);
		expected += perf_value(reference) - before;
	}
	sampler_drain(&s);
	count = perf_value(s.fd);
	/* The reference also counts two calls each time: what each costs in ring 3 is constant. */
	printf("# %llu of %llu, %u samples\n", (unsigned long long)count,
	       (unsigned long long)expected, s.samples);
	is((expected - count) % ROUNDS, 0, "nothing is left out or counted twice");
	ok(expected - count < 200 * ROUNDS, "a switched event counts all but two system calls");
	ok(s.samples <= count / PERIOD && s.samples + ROUNDS >= count / PERIOD && s.samples > 0,
	   "there are no more samples than periods");
	sampler_close(&s);
	close(reference);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!have_hardware())
		return tap_skip_all("no PMU");
	if (!counts_are_exact())
		return tap_skip_all("this PMU does not promise exact counts");
	counting();
	sampling();
	reading();
	switching();
	return tap_end();
}
