/* SPDX-License-Identifier: BSD-2-Clause */
/* Every branch: a branch event with a period of 1 samples by the branch trace store, as on Linux.
 * Runs there as well. */
#include "tests/guest/perf.h"

#define RING_PAGES 256
#define ROUNDS     20000

static struct perf_event_attr every_branch(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	return attr;
}

/* Counts the samples of the loop's branch, and of addresses that are the kernel's. */
static unsigned read_samples(struct perf_ring *ring, unsigned *kernels)
{
	static struct perf_record record;
	unsigned found = 0;

	while (perf_next(ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		found += record.words[1] == (uint64_t)perf_loop_begin &&
			 record.words[0] > record.words[1] &&
			 record.words[0] < (uint64_t)perf_loop_end;
		*kernels += record.words[0] >> 63 || record.words[1] >> 63;
	}
	return found;
}

static void a_loop(void)
{
	struct perf_event_attr attr = every_branch();
	int fd = perf_open(&attr, 0, -1, -1, 0);
	struct perf_ring ring = {0};
	unsigned kernels = 0;

	ok(fd >= 0 && perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE),
	   "branches with a period of 1 are sampled");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(ROUNDS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	is(read_samples(&ring, &kernels), ROUNDS - 1, "each taken branch of a loop is a sample");
	is(kernels, 0, "no sample has an address of the kernel");
	is((long)perf_value(fd), 0, "such an event has no count");
	is(ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){2}), 0, "its period may become 2");
	perf_unmap(&ring);
	close(fd);
}

static void refused(void)
{
	struct perf_event_attr attr = every_branch();

	attr.exclude_kernel = 0;
	is(perf_refusal(attr), -EOPNOTSUPP, "EOPNOTSUPP: every branch of the kernel");
	attr.exclude_kernel = 1;
	attr.precise_ip = 1;
	is(perf_refusal(attr), -EOPNOTSUPP, "EOPNOTSUPP: every branch, precise");
	attr.precise_ip = 0;
	attr.freq = 1;
	is(perf_refusal(attr), 0, "a frequency of 1 is no period of 1");
}

static void becomes_one(void)
{
	struct perf_event_attr attr = every_branch();
	int fd;

	attr.sample_period = 1000;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ok(fd >= 0 && ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){1}) && errno == EINVAL,
	   "EINVAL: a period of 1000 becomes 1");
	close(fd);
}

static void two_at_once(void)
{
	struct perf_event_attr attr = every_branch();
	int fd = perf_open(&attr, 0, -1, -1, 0);

	is(perf_refusal(attr), 0, "a second event of every branch may be opened: they take turns");
	close(fd);
}

int main(void)
{
	struct perf_event_attr attr = every_branch();

	if (!have_hardware() || processor_is_amd() || perf_refusal(attr) == -EOPNOTSUPP)
		return tap_skip_all("no branch trace store");
	a_loop();
	refused();
	becomes_one();
	two_at_once();
	return tap_end();
}
