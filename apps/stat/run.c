/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the events, runs the program or waits, and reads the counts. */
#include "apps/stat/stat.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "apps/lib/event/pmu_id.h"
#include "apps/lib/perf_sys.h"
#include "apps/lib/targets.h"
#include "apps/lib/workload.h"

#define LOOK_MS 100 /* how often it is seen whether -p's processes live */

/* The last values of the counters. */
struct reading {
	double value, enabled, running;
};

static struct {
	int fds[EVENT_MAX][MAX_PLACES];
	struct reading now[MAX_PLACES][EVENT_MAX], last[MAX_PLACES][EVENT_MAX]; /* by line */
} state;

/* True when the machine does not offer the event, as opposed to a mistake or a missing right. */
static bool not_offered(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == EINVAL || error == ENOSYS ||
	       error == ENXIO;
}

/* True when exec enables the events together with the program. */
static bool by_exec(const struct options *options)
{
	return !options->everywhere && !options->pids;
}

/* Opens one event; drops precision and kernel mode where the machine or the rights do not allow
 * them. */
static int open_event(const struct options *options, const struct event *event,
		      const struct place *place, int group_fd)
{
	struct perf_event_attr attr = event->attr;
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = !options->everywhere;
	attr.disabled = group_fd < 0;
	attr.enable_on_exec = group_fd < 0 && by_exec(options);
	while (1) {
		fd = perf_event_open(&attr, place->pid, place->cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
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

static void close_events(void)
{
	for (int i = 0; i < EVENT_MAX; i++) {
		for (int p = 0; p < MAX_PLACES; p++) {
			if (state.fds[i][p] >= 0)
				close(state.fds[i][p]);
			state.fds[i][p] = -1;
		}
	}
}

/* Opens an event of a package's PMU, without a task: it starts with the program, or as -a does. -1
 * with errno: it fails. -2: it is not of this place. */
static int open_package_event(const struct options *options, const struct event *event,
			      const struct place *place, bool first)
{
	struct perf_event_attr attr = event->attr;

	if (options->everywhere ? place->cpu != event->on_cpu - 1 : !first)
		return -2;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	return perf_event_open(&attr, -1, event->on_cpu - 1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens all events in one place; unsupported events get -1. Returns 0, or -1 after a message. */
static int open_on(const struct options *options, struct result *result, int place)
{
	const struct event_list *list = &options->events;
	const struct place *where = &result->targets.places[place];

	for (int i = 0; i < list->nr; i++) {
		const struct event *event = &list->events[i];
		bool sibling = event->leader != i;
		int *fd = &state.fds[i][place];

		if (sibling && state.fds[event->leader][place] < 0)
			continue;
		*fd = event->on_cpu ? open_package_event(options, event, where, !place)
				    : open_event(options, event, where,
						 sibling ? state.fds[event->leader][place] : -1);
		if (*fd == -2)
			continue;
		if (*fd < 0 && errno == ESRCH && options->pids)
			continue; /* that thread has ended */
		if (*fd < 0 && !not_offered(errno)) {
			fprintf(stderr, "stat: cannot open event '%s': %s\n", event->name,
				strerror(errno));
			return -1;
		}
		result->counts[where->line][i].supported |= *fd >= 0;
	}
	return 0;
}

static int open_events(const struct options *options, struct result *result, pid_t pid)
{
	memset(state.fds, 0xff, sizeof(state.fds)); /* -1 */
	memset(state.last, 0, sizeof(state.last));
	if (targets_find(&result->targets, options, pid))
		return -1;
	for (int p = 0; p < result->targets.nr_places; p++)
		if (open_on(options, result, p))
			return -1;
	return 0;
}

/* Enables the events that exec does not enable. */
static void enable_events(const struct options *options, const struct targets *targets)
{
	for (int i = 0; i < options->events.nr; i++)
		for (int p = 0; p < targets->nr_places; p++)
			if (options->events.events[i].leader == i && state.fds[i][p] >= 0 &&
			    (!by_exec(options) || options->events.events[i].on_cpu))
				ioctl(state.fds[i][p], PERF_EVENT_IOC_ENABLE, 0);
}

static void read_all(const struct options *options, const struct targets *targets)
{
	struct {
		uint64_t value, enabled, running;
	} one;

	memset(state.now, 0, sizeof(state.now));
	for (int i = 0; i < options->events.nr; i++) {
		for (int p = 0; p < targets->nr_places; p++) {
			struct reading *sum = &state.now[targets->places[p].line][i];

			if (state.fds[i][p] < 0 ||
			    read(state.fds[i][p], &one, sizeof(one)) != sizeof(one))
				continue;
			sum->value += (double)one.value;
			sum->enabled += (double)one.enabled;
			sum->running += (double)one.running;
		}
	}
}

/* Adds the event's count since `last`, scaled up when it shared its counter. An event without a
 * model has no count. */
static void run_take(struct counts *counts, const struct event *event, const struct reading *now,
		     const struct reading *last)
{
	double value = now->value - last->value, enabled = now->enabled - last->enabled,
	       running = now->running - last->running;

	counts->enabled += enabled;
	counts->running += running;
	if (!running || event->class == CLASS_NOT_COUNTED)
		return;
	counts->counted = true;
	if (event->scale)
		value *= event->scale;
	series_add(&counts->value, running < enabled ? value * enabled / running : value);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Prints the counts since the last interval. */
static void interval(FILE *out, const struct options *options, const struct result *result,
		     double at, double elapsed)
{
	static struct counts counts[MAX_PLACES][EVENT_MAX];
	struct look look = {(const struct counts(*)[EVENT_MAX])counts, elapsed, at};

	memset(counts, 0, sizeof(counts));
	read_all(options, &result->targets);
	for (int line = 0; line < result->targets.nr_lines; line++) {
		for (int i = 0; i < options->events.nr; i++) {
			counts[line][i].supported = result->counts[line][i].supported;
			run_take(&counts[line][i], &options->events.events[i], &state.now[line][i],
				 &state.last[line][i]);
		}
	}
	memcpy(state.last, state.now, sizeof(state.last));
	stat_lines(out, options, &result->targets, &look);
	fflush(out);
	if (options->plot)
		stat_plot_row(options->plot, options, &result->targets, &look);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* True if the program has ended or, without a program, the measured tasks or the user's wait. */
static bool has_ended(const struct options *options, struct workload *workload, int signal,
		      int *status, struct rusage *usage)
{
	if (*options->program)
		return wait4(workload->pid, status, WNOHANG, usage) == workload->pid;
	return signal == SIGINT || signal == SIGTERM ||
	       (options->pids && !target_lives(options->pids));
}

/* Waits for the end, and prints at each interval from `start` on. Returns wait(2)'s status. */
static int follow(FILE *out, const struct options *options, const struct result *result,
		  struct workload *workload, double start, struct rusage *usage)
{
	double step = options->interval / 1e3, next = start + step, last = start;
	int status = 0, signal = 0;
	sigset_t waited;

	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	sigaddset(&waited, SIGINT);
	sigaddset(&waited, SIGTERM);
	while (!has_ended(options, workload, signal, &status, usage)) {
		double left = options->interval ? next - now() : LOOK_MS / 1e3;
		struct timespec wait = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};

		signal = 0;
		if (left > 0)
			signal = options->interval || options->pids
				     ? sigtimedwait(&waited, NULL, &wait)
				     : sigwaitinfo(&waited, NULL);
		if (!options->interval || now() < next)
			continue;
		interval(out, options, result, now() - start, now() - last);
		for (last = now(); next <= last;)
			next += step;
	}
	if (options->interval)
		interval(out, options, result, now() - start, now() - last);
	return status;
}

/* Blocks or unblocks signals, so that the program's end stays pending until the wait for it. */
static void hold_signals(int how)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGCHLD);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigprocmask(how, &held, NULL);
}

/* Runs the held program to its end and reads the counts. */
static int measure(FILE *out, const struct options *options, struct result *result,
		   struct workload *workload, bool *failed)
{
	struct rusage usage = {0};
	double start = now(), elapsed;
	int error, status;

	pmu_measures(true);
	enable_events(options, &result->targets);
	error = *options->program ? workload_start(workload) : 0;
	if (error) {
		*failed = true;
		return workload_exec_error("stat", options->program[0], error);
	}
	status = follow(out, options, result, workload, start, &usage);
	elapsed = now() - start;
	read_all(options, &result->targets);
	series_add(&result->elapsed, elapsed);
	if (result->runs < MAX_RUNS)
		result->times[result->runs] = elapsed;
	result->user = seconds(usage.ru_utime);
	result->system = seconds(usage.ru_stime);
	result->runs++;
	memset(state.last, 0, sizeof(state.last));
	for (int line = 0; line < result->targets.nr_lines; line++)
		for (int i = 0; i < options->events.nr; i++)
			run_take(&result->counts[line][i], &options->events.events[i],
				 &state.now[line][i], &state.last[line][i]);
	return *options->program ? workload_status(options->program[0], status) : 0;
}

int stat_run(const struct options *options, struct result *result, FILE *out, bool *failed)
{
	struct workload workload = {.pid = -1};
	int status;

	*failed = false;
	if (*options->program && workload_fork(&workload, options->program)) {
		fprintf(stderr, "stat: cannot fork: %s\n", strerror(errno));
		*failed = true;
		return STATUS_OURS;
	}
	hold_signals(SIG_BLOCK);
	if (open_events(options, result, workload.pid)) {
		if (*options->program)
			workload_cancel(&workload);
		*failed = true;
		status = STATUS_OURS;
	} else {
		status = measure(out, options, result, &workload, failed);
	}
	close_events();
	hold_signals(SIG_UNBLOCK);
	return status;
}
