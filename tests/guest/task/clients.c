/* SPDX-License-Identifier: BSD-2-Clause */
/* Single answers that debuggers, test suites and services depend on: waits, attaches, sessions,
 * locks, empty paths, process descriptors, timer slack, priorities, seals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/tap.h"

#define PIDFD 3 /* P_PIDFD, which musl 1.2.3 does not have */
#define USER  4711

static long failed(long result)
{
	return result < 0 ? -errno : result;
}

/* Runs the function in a child, and returns its exit status. */
static int in_child(int (*run)(void))
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(run());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_ended_child(void)
{
	pid_t child = fork();
	siginfo_t info = {0};

	if (!child)
		_exit(3);
	is(failed(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT)), 0,
	   "waitid of an ended child");
	is(failed(waitid(P_PID, (id_t)child, &info, WSTOPPED)), -ECHILD,
	   "waitid for an ended child's stop: ECHILD");
	is(failed(waitid(P_PID, (id_t)child, &info, WCONTINUED)), -ECHILD,
	   "waitid for an ended child's continuation: ECHILD");
	is(failed(waitid(P_ALL, 0, &info, WSTOPPED)), -ECHILD,
	   "waitid for any child's stop: ECHILD");
	is(failed(waitid(P_PID, (id_t)child, &info, WEXITED | WSTOPPED)), 0,
	   "waitid for an end or a stop reports the end");
	is(info.si_status, 3, "waitid returns the exit status");
}

/* The tracer need not wait before it looks into a task that was stopped. */
static void test_attach_stopped(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, &status, WUNTRACED);
	is(failed(ptrace(PTRACE_ATTACH, child, NULL, NULL)), 0, "PTRACE_ATTACH of a stopped child");
	is(failed(ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]), 0)), 0,
	   "PTRACE_POKEUSER at once");
	is(waitpid(child, &status, __WALL), child, "the stop is still reported");
	ok(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP,
	   "a stop before PTRACE_ATTACH is reported as SIGSTOP: %x", (unsigned)status);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

/* The leader of a group leaves it, and another process stays. */
static int leave_group(void)
{
	pid_t other;
	long result;

	setpgid(0, 0);
	other = fork();
	if (!other) {
		pause();
		_exit(0);
	}
	setpgid(0, getpgid(getppid()));
	result = failed(setsid());
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return result == -EPERM ? 0 : 1;
}

static void test_empty_paths(void)
{
	int fd = open("/tmp/clients", O_CREAT | O_RDWR, 0600), link;
	char text[16];

	is(failed(readlink("", text, sizeof(text))), -ENOENT, "readlink");
	is(failed(syscall(SYS_readlinkat, fd, "", text, sizeof(text))), -ENOENT,
	   "readlinkat, a file");
	is(failed(syscall(SYS_fchmodat, fd, "", 0600)), -ENOENT, "fchmodat, a file");
	is(failed(fchownat(fd, "", 0, 0, 0)), -ENOENT, "fchownat, a file");
	is(failed(fchownat(fd, "", (uid_t)-1, (gid_t)-1, AT_EMPTY_PATH)), 0,
	   "fchownat of a file with AT_EMPTY_PATH");
	symlink("target", "/tmp/clients-link");
	link = open("/tmp/clients-link", O_PATH | O_NOFOLLOW);
	is(failed(syscall(SYS_readlinkat, link, "", text, sizeof(text))), 6, "readlinkat, a link");
	close(link);
	close(fd);
	unlink("/tmp/clients");
	unlink("/tmp/clients-link");
}

static void test_pidfd(void)
{
	pid_t child = fork();
	siginfo_t info = {0};
	int fd;

	if (!child) {
		pause();
		_exit(0);
	}
	fd = (int)syscall(SYS_pidfd_open, child, O_NONBLOCK);
	is(failed(waitid(PIDFD, (id_t)fd, &info, WEXITED)), -EAGAIN,
	   "waitid of a living process's pidfd: EAGAIN");
	is(failed(waitid(PIDFD, (id_t)fd, &info, WEXITED | WNOHANG)), 0,
	   "waitid of a living process's pidfd with WNOHANG");
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	is(failed(waitid(PIDFD, (id_t)fd, &info, WEXITED)), 0,
	   "waitid of an ended process's pidfd");
	close(fd);
}

/* A child begins with its parent's slack, to which 0 returns. */
static int slack_of_child(void)
{
	if (prctl(PR_GET_TIMERSLACK) != 123456)
		return 1;
	prctl(PR_SET_TIMERSLACK, 5000);
	prctl(PR_SET_TIMERSLACK, 0);
	return prctl(PR_GET_TIMERSLACK) != 123456;
}

static struct flock range(short type, off_t start, off_t length)
{
	return (struct flock){
	    .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
}

static int lock_fd;

static void lock(off_t start)
{
	struct flock own = range(F_WRLCK, start, 10);

	fcntl(lock_fd, F_SETLKW, &own);
}

static void test_first_lock(void)
{
	struct flock all = range(F_WRLCK, 0, 0);
	int ready[2];
	pid_t child;
	char byte;

	pipe(ready);
	child = fork();
	if (!child) {
		lock(100);
		lock(10);
		lock(50);
		write(ready[1], "", 1);
		pause();
	}
	read(ready[0], &byte, 1);
	is(failed(fcntl(lock_fd, F_GETLK, &all)), 0, "F_GETLK");
	is(all.l_start, 10, "the lowest of three");
	is(all.l_pid, child, "F_GETLK returns the lowest lock's owner");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Each holds a lock that the other wants. The child waits first, or the parent does. */
static void test_deadlock(void)
{
	struct flock wanted = range(F_WRLCK, 0, 1);
	int ready[2], status = 0;
	long result;
	pid_t child;
	char byte;

	pipe(ready);
	lock(20);
	child = fork();
	if (!child) {
		lock(0);
		write(ready[1], "", 1);
		wanted = range(F_WRLCK, 20, 1);
		_exit(failed(fcntl(lock_fd, F_SETLKW, &wanted)) == -EDEADLK);
	}
	read(ready[0], &byte, 1);
	result = failed(fcntl(lock_fd, F_SETLKW, &wanted));
	wanted = range(F_UNLCK, 0, 0);
	fcntl(lock_fd, F_SETLK, &wanted);
	waitpid(child, &status, 0);
	ok((result == -EDEADLK) != (WEXITSTATUS(status) == 1),
	   "in a deadlock one of two gets EDEADLK: %ld, %d", result, WEXITSTATUS(status));
}

/* RLIMIT_NICE is 0: a user may only be more polite. */
static int user_priority(void)
{
	if (setuid(USER))
		return 1;
	if (failed(setpriority(PRIO_PROCESS, 0, -10)) != -EACCES)
		return 2;
	if (failed(setpriority(PRIO_PROCESS, 0, 5)) != 0)
		return 3;
	return failed(setpriority(PRIO_PROCESS, 0, 4)) == -EACCES ? 0 : 4;
}

static void test_seal(void)
{
	int fd = memfd_create("sealed", MFD_ALLOW_SEALING);
	struct stat status;
	char path[64];

	write(fd, "abcd", 4);
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	is(failed(open(path, O_RDWR | O_TRUNC)), -EPERM, "O_TRUNC");
	is(failed(truncate(path, 0)), -EPERM, "truncate");
	fstat(fd, &status);
	is(status.st_size, 4, "a sealed file keeps its size");
	close(fd);
}

/* Events of both kinds, which each switch between tasks turns off and on. */
static void open_inherited(unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		struct perf_event_attr attr = {.size = sizeof(attr),
					       .type =
						   i % 2 ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
					       .config = i / 2 % 6,
					       .inherit = 1};

		syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A child that sleeps for less than a switch takes leaves its parent the processor. */
static void test_short_sleeps(void)
{
	const struct timespec wait = {.tv_nsec = 5000};
	int word = 0, status;
	double since;
	pid_t child;

	open_inherited(40);
	child = fork();
	while (!child)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &wait, NULL, 0);
	since = seconds();
	for (volatile unsigned i = 0; i < 1000000; i++)
		;
	since = seconds() - since;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	ok(since < 0.5, "a million rounds beside it: %u us", (unsigned)(since * 1e6));
}

int main(void)
{
	mkdir("/tmp", 0777);
	test_ended_child();
	test_attach_stopped();
	is(in_child(leave_group), 0, "setsid: EPERM beside a group of that number");
	test_empty_paths();
	test_pidfd();
	prctl(PR_SET_TIMERSLACK, 123456);
	is(in_child(slack_of_child), 0, "a child's timer slack");
	lock_fd = open("/tmp/clients-lock", O_CREAT | O_RDWR, 0600);
	test_first_lock();
	test_deadlock();
	close(lock_fd);
	unlink("/tmp/clients-lock");
	is(in_child(user_priority), 0, "setpriority of a user");
	test_seal();
	test_short_sleeps();
	return tap_end();
}
