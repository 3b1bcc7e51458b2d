/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples' fields about transactions that ended, where the PMU says that each record is of
 * one (quirk=transactions). */
#include "print.h"

/* Two samples of a loop with these fields. */
static void sample(uint64_t sample_type, unsigned precise)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_ring ring;
	struct expected e;
	int fd;

	attr.sample_period = 5000;
	attr.sample_type = sample_type;
	attr.precise_ip = precise;
	fd = perf_try(&attr, 0, -1, -1, 0);
	printf("sample_type %lx precise %u: %s\n", (unsigned long)sample_type, precise,
	       outcome(fd));
	if (fd < 0 || !perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE))
		return;
	e = expected_of(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(6000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 2);
	perf_unmap(&ring);
	close(fd);
}

static const char *amount(uint64_t entries)
{
	return !entries ? "none" : entries < 31 ? "some" : "a stack full";
}

/* How many of a sample's branches are of a transaction, and of its end. */
struct counts {
	uint64_t entries, inside, aborts;
};

static void count(const uint64_t *stack, struct counts *counts)
{
	const struct perf_branch_entry *entries = (const struct perf_branch_entry *)(stack + 1);

	*counts = (struct counts){.entries = stack[0]};
	for (uint64_t i = 0; i < stack[0]; i++) {
		counts->inside += entries[i].in_tx;
		counts->aborts += entries[i].abort;
	}
}

/* Prints the fullest of some samples. */
static void branches(uint64_t filter)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct counts now, most = {0, 0, 0};
	struct perf_ring ring;
	int fd;

	attr.sample_period = 5000;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | filter;
	fd = perf_try(&attr, 0, -1, -1, 0);
	printf("branches %lx: %s\n", (unsigned long)filter, outcome(fd));
	if (fd < 0 || !perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE))
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(15000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		count(record.words, &now);
		if (now.entries >= most.entries)
			most = now;
	}
	/* An interrupt among the last 32 branches takes one's place; a busy host brings several. */
	printf("  %s, %s inside, %s aborts\n", amount(most.entries), amount(most.inside),
	       amount(most.aborts));
	perf_unmap(&ring);
	close(fd);
}

int main(void)
{
	const uint64_t filters[] = {PERF_SAMPLE_BRANCH_ANY,
				    PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_IN_TX,
				    PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_TX,
				    PERF_SAMPLE_BRANCH_ABORT_TX,
				    PERF_SAMPLE_BRANCH_COND,
				    PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IN_TX};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned precise = 0; precise < 4; precise++) {
		sample(PERF_SAMPLE_TRANSACTION, precise);
		sample(PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_WEIGHT, precise);
		sample(PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_WEIGHT_STRUCT, precise);
	}
	for (unsigned i = 0; i < COUNT(filters); i++)
		branches(filters[i]);
	return 0;
}
