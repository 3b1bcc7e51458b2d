/* SPDX-License-Identifier: BSD-2-Clause */
/* Root's limits of samples are obeyed and reported; then the usual ones come back. */
#include "tests/guest/perf.h"
#include <fcntl.h>
#include <time.h>

#define RATE 2000

static long limit(const char *name, long value)
{
	char path[128], text[32];
	int fd, n;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	if (value >= 0) {
		fd = open(path, O_WRONLY);
		n = snprintf(text, sizeof(text), "%ld", value);
		n = write(fd, text, (size_t)n) == n ? 0 : -errno;
		close(fd);
		return n;
	}
	fd = open(path, O_RDONLY);
	n = (int)read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return atol(text);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ul + (uint64_t)t.tv_nsec;
}

struct seen {
	unsigned samples, throttles, unthrottles;
	uint64_t ns;
};

/* A loop of instructions with a sample for each thousand. */
static struct seen run(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_ring ring = {0};
	struct perf_record record;
	struct seen seen = {0};
	int fd;

	attr.sample_period = 1000;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0 || !perf_map(&ring, fd, 512, PROT_READ | PROT_WRITE))
		return seen;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	seen.ns = now();
	perf_loop(5000000);
	seen.ns = now() - seen.ns;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		seen.samples += record.header.type == PERF_RECORD_SAMPLE;
		seen.throttles += record.header.type == PERF_RECORD_THROTTLE;
		seen.unthrottles += record.header.type == PERF_RECORD_UNTHROTTLE;
	}
	perf_unmap(&ring);
	close(fd);
	return seen;
}

static void rate(void)
{
	struct seen seen;

	is(limit("perf_cpu_time_max_percent", 25), 0,
	   "a share there is, without which no rate is set");
	is(limit("perf_event_max_sample_rate", RATE), 0, "a rate is set");
	seen = run();
	ok(seen.throttles > 0 && seen.throttles - seen.unthrottles <= 1,
	   "throttling stops the event %u times, and lets it go on %u times", seen.throttles,
	   seen.unthrottles);
	ok(seen.samples > 2 && seen.samples <= (seen.ns / 1000000 + 2) * (RATE / 250 + 1),
	   "%u samples in %lu us", seen.samples, (unsigned long)(seen.ns / 1000));
	is(limit("perf_event_max_sample_rate", 100000), 0, "the usual rate is set");
}

/* A share so small that one interrupt is too long for it. */
static void share(void)
{
	is(limit("perf_cpu_time_max_percent", 1), 0, "a share is set");
	run();
	ok(limit("perf_event_max_sample_rate", -1) < 100000, "a small share lowers the rate: %ld",
	   limit("perf_event_max_sample_rate", -1));
	is(limit("perf_cpu_time_max_percent", 25), 0, "the usual share is set");
	is(limit("perf_event_max_sample_rate", 100000), 0, "the usual rate is set again");
}

int main(void)
{
	if (!have_hardware())
		return tap_skip_all("no PMU");
	rate();
	share();
	return tap_end();
}
