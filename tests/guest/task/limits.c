/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of resources: the size of files, processor time, the number of a user's processes; and
 * root's limits of perf events. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/tap.h"

enum { USER = 4711 };

static volatile sig_atomic_t told;

static void tell(int signo)
{
	told = signo;
}

static int limit(int resource, rlim_t soft, rlim_t hard)
{
	const struct rlimit limits = {soft, hard};

	return setrlimit(resource, &limits);
}

/* Returns the wait status of a child that runs the function. */
static int status_of(int (*run)(void))
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(run());
	waitpid(child, &status, 0);
	return status;
}

static void test_size(void)
{
	char page[4096] = "";
	int fd = open("/tmp/limits", O_CREAT | O_RDWR | O_TRUNC, 0600);

	limit(RLIMIT_FSIZE, 5000, RLIM_INFINITY);
	unlink("/tmp/limits");
	is(write(fd, page, sizeof(page)), 4096, "a file may grow up to its limit");
	is(write(fd, page, sizeof(page)), 904, "a write up to RLIMIT_FSIZE is cut");
	ok(write(fd, page, 1) == -1 && errno == EFBIG && told == SIGXFSZ,
	   "then nothing, and SIGXFSZ comes");
	told = 0;
	ok(ftruncate(fd, 6000) == -1 && errno == EFBIG && told == SIGXFSZ,
	   "ftruncate beyond RLIMIT_FSIZE: EFBIG and SIGXFSZ");
	is(pwrite(fd, page, 100, 0), 100, "a write below RLIMIT_FSIZE");
	is(ftruncate(fd, 5000), 0, "ftruncate to the limit");
	limit(RLIMIT_FSIZE, RLIM_INFINITY, RLIM_INFINITY);
	is(write(fd, page, 1), 1, "without the limit it goes on");
	close(fd);
}

static int write_too_much(void)
{
	int fd = open("/tmp/limits", O_CREAT | O_RDWR | O_TRUNC, 0600);

	signal(SIGXFSZ, SIG_DFL);
	unlink("/tmp/limits");
	limit(RLIMIT_FSIZE, 0, 0);
	return (int)write(fd, "x", 1);
}

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Computes for so long at most, or until a signal; most of it outside the kernel. */
static int compute(double most)
{
	while (seconds() < most && !told)
		for (volatile int i = 0; i < 1000000; i++)
			;
	return 0;
}

static int until_signal(void)
{
	struct rlimit limits;

	told = 0;
	signal(SIGXCPU, tell);
	limit(RLIMIT_CPU, 1, 10);
	compute(3);
	getrlimit(RLIMIT_CPU, &limits);
	return !(told == SIGXCPU && seconds() > 0.99 && seconds() < 1.5 && limits.rlim_cur == 2);
}

static int compute_on(void)
{
	return compute(4);
}

/* The soft limit is ignored, and the second is the child's own, whatever its parent computed. */
static int until_killed(void)
{
	told = 0;
	signal(SIGXCPU, SIG_IGN);
	limit(RLIMIT_CPU, 1, 2);
	compute(0.2);
	return WTERMSIG(status_of(compute_on));
}

static int fork_much(void)
{
	pid_t children[8];
	int count = 0, err;

	limit(RLIMIT_NPROC, 4, 4);
	if (setuid(USER))
		return 99;
	while (count < 8 && (children[count] = fork()) > 0)
		count++;
	err = errno;
	if (count < 8 && !children[count])
		_exit(0);
	for (int i = 0; i < count; i++)
		waitpid(children[i], NULL, 0);
	return count * 10 + (err == EAGAIN);
}

/* Writes a file of /proc/sys/kernel: 0 or a negative errno. */
static int set(const char *name, const char *value)
{
	char path[100];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	fd = open(path, O_WRONLY);
	err = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int open_callchain(unsigned most)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .sample_type = PERF_SAMPLE_CALLCHAIN,
				       .sample_max_stack = (__u16)most};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	return fd < 0 ? -errno : fd;
}

static void test_perf(void)
{
	int fd;

	is(set("perf_event_max_stack", "50"), 0, "call chains of at most 50 frames");
	is(open_callchain(51), -EOVERFLOW, "are obeyed");
	fd = open_callchain(50);
	ok(fd >= 0, "sample_max_stack within the limit");
	is(set("perf_event_max_stack", "127"), -EBUSY,
	   "perf_event_max_stack stays while chains are used: EBUSY");
	is(set("perf_event_max_contexts_per_stack", "4"), -EBUSY,
	   "perf_event_max_contexts_per_stack stays while chains are used: EBUSY");
	close(fd);
	is(set("perf_event_max_contexts_per_stack", "1001"), -EINVAL,
	   "perf_event_max_contexts_per_stack of 1001: EINVAL");
	is(set("perf_event_max_contexts_per_stack", "8"), 0,
	   "perf_event_max_contexts_per_stack of 8");
	is(set("perf_event_max_stack", "127"), 0, "127 frames again");
	is(set("perf_cpu_time_max_percent", "101"), -EINVAL,
	   "perf_cpu_time_max_percent of 101: EINVAL");
	is(set("perf_cpu_time_max_percent", "0"), 0, "no limit of time");
	is(set("perf_event_max_sample_rate", "5000"), -EINVAL, "then none of the rate");
	is(set("perf_cpu_time_max_percent", "25"), 0, "a quarter of the time");
	is(set("perf_event_max_sample_rate", "100000"), 0, "perf_event_max_sample_rate of 100,000");
}

int main(void)
{
	int status;

	signal(SIGXFSZ, tell);
	test_size();
	status = status_of(write_too_much);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ,
	   "SIGXFSZ ends who does not handle it");
	is(status_of(until_signal), 0,
	   "a second of processor time brings SIGXCPU, and moves the limit");
	is(WEXITSTATUS(status_of(until_killed)), SIGKILL,
	   "the hard limit, which a child has as well, kills");
	is(WEXITSTATUS(status_of(fork_much)), 31, "a user's fourth process is his last");
	test_perf();
	return tap_end();
}
