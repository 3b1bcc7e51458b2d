/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More events than counters take turns: each group for its share of the time, so that what is
 * scaled up from there is the truth within a hundredth on a steady load.
 * usage: perf_multiplex [SECONDS]     for so long by the machine's clock, the largest case alone
 */
#include "tests/guest/perf.h"
#include <sys/prctl.h>
#include <time.h>

#define MOST    12  /* groups */
#define SECONDS 0.1 /* of each case */

struct counted {
	uint64_t value, enabled, running;
};

/* Opens an event for which no processor has a fixed counter, and of which loops have a constant
 * share. */
static int open_branches(int pid, int cpu, int group, bool pinned)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = group < 0;
	attr.pinned = pinned;
	return perf_open(&attr, pid, cpu, group, 0);
}

static struct counted count_of(int fd)
{
	struct counted c = {0, 0, 0};

	if (read(fd, &c, sizeof(c)) != sizeof(c))
		c.running = 0;
	return c;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void load(double seconds)
{
	for (double end = now() + seconds; now() < end;)
		perf_loop(20000);
}

static double scaled(struct counted c)
{
	return c.running ? (double)c.value * (double)c.enabled / (double)c.running : 0;
}

static double apart(double a, double b)
{
	return a > b ? a - b : b - a;
}

/* Returns how much longer than 100 microseconds 100,000 instructions take, 1 to 10: where they
 * are slow, the kernel's work is a larger part of a turn. */
static double slowness(void)
{
	double begin = now(), took;

	perf_loop(50000);
	took = (now() - begin) / 1e-4;
	return took < 1 ? 1 : took > 10 ? 10 : took;
}

/* True if the PMU has room for `events` at once. */
static bool fit(int events)
{
	int fds[MOST] = {-1}, leader = -1;
	struct counted c;

	for (int i = 0; i < events; i++) {
		fds[i] = open_branches(0, -1, leader, leader < 0);
		leader = fds[0];
	}
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	c = count_of(leader);
	for (int i = events - 1; i >= 0; i--)
		if (fds[i] >= 0)
			close(fds[i]);
	return fds[events - 1] >= 0 && c.running > 0;
}

/* Opens `groups` groups of `members` members, beside a pinned event that always counts. */
static void turns(int pid, int cpu, int groups, int members, double seconds)
{
	int reference = open_branches(pid, cpu, -1, true), fds[MOST][2];
	struct counted truth, c;
	uint64_t least = UINT64_MAX, most = 0;
	double worst = 0;

	for (int g = 0; g < groups; g++)
		for (int m = 0; m < members; m++)
			fds[g][m] = open_branches(pid, cpu, m ? fds[g][0] : -1, false);
	/* All at once: many calls would be a part of the first turns in which nothing is
	 * counted. */
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	load(seconds);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	truth = count_of(reference);
	for (int g = 0; g < groups; g++)
		for (int m = members - 1; m >= 0; m--) {
			double error;

			c = count_of(fds[g][m]);
			least = c.running < least ? c.running : least;
			most = c.running > most ? c.running : most;
			error = apart(scaled(c), (double)truth.value) / (double)truth.value;
			worst = error > worst ? error : worst;
			close(fds[g][m]);
		}
	close(reference);
	printf("# ran for %.4f to %.4f of %.4f s; worst error %.3f%%\n", (double)least / 1e9,
	       (double)most / 1e9, (double)truth.enabled / 1e9, 100 * worst);
	ok(truth.running == truth.enabled && truth.value > 0,
	   "%d groups of %d, %s: the pinned event always runs", groups, members,
	   cpu < 0 ? "task" : "processor");
	ok(worst < 0.01, "scaled counts are right within 1%%");
	/* A turn is a millisecond; each may have a few more or less, and one in a hundred of
	 * many. */
	ok(most - least < 5000000 + most / 100 && most - least < most / 3,
	   "all groups ran for the same time");
}

int main(int argc, char **argv)
{
	static const int groups[] = {3, 5, 8, 12};
	int fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	fd = open_branches(0, -1, -1, false);
	if (fd < 0)
		return tap_skip_all("this PMU counts no branches");
	close(fd);
	if (argc > 1) {
		turns(0, -1, MOST, 1, atof(argv[1]));
		return tap_end();
	}
	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		turns(0, -1, groups[i], 1, SECONDS);
	if (fit(3))
		turns(0, -1, 6, 2, SECONDS);
	else
		skip("groups of two beside a pinned event", "this PMU has two counters");
	turns(-1, 0, MOST, 1, SECONDS * slowness());
	return tap_end();
}
