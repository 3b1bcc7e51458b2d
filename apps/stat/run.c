/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the events on the held program, lets it run, and reads what they counted. */
#include "apps/stat/stat.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "apps/lib/perf_sys.h"
#include "apps/lib/workload.h"

void series_add(struct series *series, double value)
{
	double delta = value - series->mean;

	series->n++;
	series->mean += delta / series->n;
	series->m2 += delta * (value - series->mean);
}

/* Newton's method: the applications need no mathematics library for one square root. */
static double square_root(double x)
{
	double root = x > 1 ? x : 1;

	if (x <= 0)
		return 0;
	for (int i = 0; i < 100 && root * root > x * (1 + 1e-15); i++)
		root = (root + x / root) / 2;
	return root;
}

double series_spread(const struct series *series)
{
	if (series->n < 2)
		return 0;
	return square_root(series->m2 / (series->n - 1) / series->n);
}

double series_spread_percent(const struct series *series)
{
	return series->mean ? 100 * series_spread(series) / series->mean : 0;
}

/* The event is one that this machine does not offer, as opposed to a mistake or a missing right. */
static bool not_offered(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == EINVAL || error == ENOSYS ||
	       error == ENXIO;
}

/* Opens one event, giving up precision and kernel mode where the machine or our rights do not allow
 * them. */
static int open_event(const struct event *event, pid_t pid, int group_fd)
{
	struct perf_event_attr attr = event->attr;
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = 1;
	attr.disabled = group_fd < 0;
	attr.enable_on_exec = group_fd < 0;
	while (1) {
		fd = perf_event_open(&attr, pid, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			return fd;
		if ((errno == EOPNOTSUPP || errno == EINVAL) && event->precise_max &&
		    attr.precise_ip)
			attr.precise_ip--;
		else if ((errno == EACCES || errno == EPERM) && !event->filtered &&
			 !attr.exclude_kernel)
			attr.exclude_kernel = 1;
		else
			return -1;
	}
}

/* Opens all events on `pid`; fds[i] is -1 for those that the machine does not offer. Returns 0, or
 * -1 after a message. */
static int open_events(const struct event_list *list, struct result *result, pid_t pid, int *fds)
{
	for (int i = 0; i < list->nr; i++) {
		const struct event *event = &list->events[i];
		bool sibling = event->leader != i;

		fds[i] = -1;
		if (sibling && fds[event->leader] < 0)
			continue;
		fds[i] = open_event(event, pid, sibling ? fds[event->leader] : -1);
		if (fds[i] < 0 && !not_offered(errno)) {
			fprintf(stderr, "stat: cannot open event '%s': %s\n", event->name,
				strerror(errno));
			return -1;
		}
		result->counts[i].supported |= fds[i] >= 0;
	}
	return 0;
}

static void close_events(const struct event_list *list, int *fds)
{
	for (int i = 0; i < list->nr; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

/* Adds what the event counted, scaled up when it shared its counter. */
static void read_event(struct counts *counts, int fd)
{
	struct {
		uint64_t value, enabled, running;
	} now;
	double value;

	if (fd < 0 || read(fd, &now, sizeof(now)) != sizeof(now))
		return;
	counts->enabled += (double)now.enabled;
	counts->running += (double)now.running;
	if (!now.running)
		return;
	counts->counted = true;
	value = (double)now.value;
	if (now.running < now.enabled)
		value *= (double)now.enabled / (double)now.running;
	series_add(&counts->value, value);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Lets the held program run to its end and takes the figures. */
static int measure(const struct options *options, struct result *result, struct workload *workload,
		   int *fds, bool *failed)
{
	struct rusage usage = {0};
	double start = now();
	int error = workload_start(workload), status;

	if (error) {
		*failed = true;
		return workload_exec_error("stat", options->program[0], error);
	}
	status = workload_wait(workload, &usage);
	series_add(&result->elapsed, now() - start);
	result->user = seconds(usage.ru_utime);
	result->system = seconds(usage.ru_stime);
	result->runs++;
	for (int i = 0; i < options->events.nr; i++)
		read_event(&result->counts[i], fds[i]);
	return workload_status(options->program[0], status);
}

int stat_run(const struct options *options, struct result *result, bool *failed)
{
	struct workload workload;
	int fds[EVENT_MAX], status;

	*failed = false;
	for (int i = 0; i < EVENT_MAX; i++)
		fds[i] = -1;
	if (workload_fork(&workload, options->program)) {
		fprintf(stderr, "stat: cannot fork: %s\n", strerror(errno));
		*failed = true;
		return STATUS_OURS;
	}
	if (open_events(&options->events, result, workload.pid, fds)) {
		workload_cancel(&workload);
		*failed = true;
		status = STATUS_OURS;
	} else {
		status = measure(options, result, &workload, fds, failed);
	}
	close_events(&options->events, fds);
	return status;
}
