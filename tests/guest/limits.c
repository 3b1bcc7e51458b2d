/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of resources: the size of files, processor time, the number of a user's processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

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

/* What became of a child that runs the function. */
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
	is(write(fd, page, sizeof(page)), 904, "what is left of that is written");
	ok(write(fd, page, 1) == -1 && errno == EFBIG && told == SIGXFSZ,
	   "then nothing, and SIGXFSZ comes");
	told = 0;
	ok(ftruncate(fd, 6000) == -1 && errno == EFBIG && told == SIGXFSZ, "nor does ftruncate");
	is(pwrite(fd, page, 100, 0), 100, "what lies below the limit may be written");
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

/* Computes for at most three seconds. */
static int compute(void)
{
	while (seconds() < 3 && !told)
		;
	return 0;
}

static int compute_on(void)
{
	while (seconds() < 4)
		;
	return 0;
}

static int until_signal(void)
{
	struct rlimit limits;

	told = 0;
	signal(SIGXCPU, tell);
	limit(RLIMIT_CPU, 1, 10);
	compute();
	getrlimit(RLIMIT_CPU, &limits);
	return !(told == SIGXCPU && seconds() > 0.99 && seconds() < 1.5 && limits.rlim_cur == 2);
}

static int until_killed(void)
{
	signal(SIGXCPU, SIG_IGN);
	limit(RLIMIT_CPU, 1, 2);
	return compute_on();
}

static int inherited(void)
{
	limit(RLIMIT_CPU, 1, 1);
	signal(SIGXCPU, SIG_IGN);
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
	status = status_of(until_killed);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the hard limit kills");
	is(WEXITSTATUS(status_of(inherited)), SIGKILL,
	   "a child has the limit as well, for its own time");
	is(WEXITSTATUS(status_of(fork_much)), 31, "a user's fourth process is his last");
	return tap_end();
}
