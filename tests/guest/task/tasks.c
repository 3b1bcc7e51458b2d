/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties and objects of tasks: robust mutexes, barriers, priorities, prctl, descriptors of
 * processes, locks on files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define POLICY_NORMAL 0
#define POLICY_FIFO   1
#define POLICY_RR     2
#define WAIT_PIDFD    3

static bool fails(long result, int error)
{
	return result == -1 && errno == error;
}

static void *shared_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static pthread_mutex_t mutex;

static void *die_holding(void *argument)
{
	pthread_mutex_lock(argument);
	return NULL;
}

static void mutex_init(pthread_mutex_t *robust, bool shared)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&attributes, shared);
	pthread_mutex_init(robust, &attributes);
}

static void robust_mutexes(void)
{
	pthread_mutex_t *shared = shared_page();
	struct robust_list_head *head = NULL;
	size_t bytes = 0;
	pthread_t thread;

	mutex_init(&mutex, false);
	pthread_create(&thread, NULL, die_holding, &mutex);
	pthread_join(thread, NULL);
	ok(pthread_mutex_lock(&mutex) == EOWNERDEAD, "a thread died with the mutex");
	ok(!pthread_mutex_consistent(&mutex) && !pthread_mutex_unlock(&mutex) &&
	       !pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex),
	   "a robust mutex is made consistent");
	mutex_init(shared, true);
	if (!fork()) {
		pthread_mutex_lock(shared);
		usleep(30000);
		kill(getpid(), SIGKILL);
	}
	usleep(10000);
	ok(pthread_mutex_lock(shared) == EOWNERDEAD,
	   "a process was killed with one that another waits for");
	wait(NULL);
	ok(!syscall(SYS_get_robust_list, 0, &head, &bytes) && bytes == sizeof(*head) && head,
	   "get_robust_list");
	ok(fails(syscall(SYS_set_robust_list, head, 8), EINVAL) &&
	       fails(syscall(SYS_get_robust_list, 0x7ffffff0, &head, &bytes), ESRCH),
	   "EINVAL, ESRCH");
}

static volatile int cleaned;

static void clean(void *argument)
{
	(void)argument;
	cleaned++;
}

static void *wait_for_cancel(void *argument)
{
	char byte;

	pthread_cleanup_push(clean, NULL);
	while (read(*(int *)argument, &byte, 1) < 0)
		;
	pthread_cleanup_pop(0);
	return NULL;
}

static void *spin_for_cancel(void *argument)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean, NULL);
	*(volatile int *)argument = 1;
	for (;;)
		;
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancellation(void)
{
	volatile int runs = 0;
	int ends[2];
	pthread_t thread;
	void *result;

	pipe(ends);
	pthread_create(&thread, NULL, wait_for_cancel, &ends[0]);
	usleep(10000);
	ok(!pthread_cancel(thread) && !pthread_join(thread, &result) &&
	       result == PTHREAD_CANCELED && cleaned == 1,
	   "a thread that reads is cancelled");
	pthread_create(&thread, NULL, spin_for_cancel, (void *)&runs);
	while (!runs)
		usleep(1000);
	ok(!pthread_cancel(thread) && !pthread_join(thread, &result) &&
	       result == PTHREAD_CANCELED && cleaned == 2,
	   "a computing thread is cancelled");
	close(ends[0]);
	close(ends[1]);
}

/* Combinations that clone refuses. */
static void refused_clones(void)
{
	static const uint64_t flags[] = {
	    CLONE_THREAD,
	    CLONE_SIGHAND,
	    CLONE_THREAD | CLONE_SIGHAND,
	    CLONE_SIGHAND | CLONE_VM | CLONE_CLEAR_SIGHAND,
	    CLONE_PIDFD | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM,
	    CLONE_FS | CLONE_NEWNS,
	};
	struct clone_args args;
	bool all = true;

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		args = (struct clone_args){.flags = flags[i]};
		all &= fails(syscall(SYS_clone3, &args, sizeof(args)), EINVAL);
	}
	ok(all, "clone3 refuses what cannot be");
	args = (struct clone_args){.exit_signal = 65};
	ok(fails(syscall(SYS_clone3, &args, sizeof(args)), EINVAL) &&
	       fails(syscall(SYS_clone3, &args, 8), EINVAL) &&
	       fails(syscall(SYS_clone3, &args, 8192), E2BIG) &&
	       fails(syscall(SYS_clone3, 8L, sizeof(args)), EFAULT),
	   "clone3 with a bad signal, size or address: EINVAL");
	args = (struct clone_args){.flags = CLONE_VM, .stack = 0x1000};
	ok(fails(syscall(SYS_clone3, &args, sizeof(args)), EINVAL), "a stack without a size");
	ok(fails(syscall(SYS_clone, CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, 0, &args, 0, 0),
		 EINVAL),
	   "clone: one address for two numbers");
}

static uint32_t words[2];

static void *sleep_on_word(void *argument)
{
	while (syscall(SYS_futex, argument, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 &&
	       errno == EINTR)
		;
	return NULL;
}

static void wake_operations(void)
{
	const int add_three_if_two = FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 2),
		  set_bit = FUTEX_OP((FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT), 4, FUTEX_OP_CMP_LT, -1);
	pthread_t thread;
	long woken;

	pthread_create(&thread, NULL, sleep_on_word, &words[0]);
	do {
		words[1] = 2;
		usleep(1000);
		woken = syscall(SYS_futex, &words[0], FUTEX_WAKE_OP_PRIVATE, 1, 1L, &words[1],
				add_three_if_two);
	} while (!woken); /* it does not sleep yet */
	pthread_join(thread, NULL);
	ok(woken == 1 && words[1] == 5, "FUTEX_WAKE_OP wakes and adds");
	ok(syscall(SYS_futex, &words[0], FUTEX_WAKE_OP_PRIVATE, 1, 1L, &words[1], set_bit) == 0 &&
	       words[1] == (5 | 1 << 4),
	   "FUTEX_WAKE_OP sets a bit");
	ok(fails(syscall(SYS_futex, &words[0], FUTEX_WAKE_OP_PRIVATE, 1, 1L, 8L, set_bit),
		 EFAULT) &&
	       fails(
		   syscall(SYS_futex, &words[0], FUTEX_WAKE_OP_PRIVATE, 1, 1L, &words[1], 7 << 28),
		   ENOSYS),
	   "EFAULT, ENOSYS");
}

static void barriers(void)
{
	long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0);

	ok(known > 0 && known & MEMBARRIER_CMD_PRIVATE_EXPEDITED, "membarrier tells what it can");
	ok(fails(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0), EPERM),
	   "not without registration");
	ok(!syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) &&
	       !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0),
	   "a barrier of the process");
	ok(fails(syscall(SYS_membarrier, 3, 0), EINVAL) &&
	       fails(syscall(SYS_membarrier, 0, 8), EINVAL),
	   "EINVAL");
}

static void priorities(void)
{
	struct sched_attr_like {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = {0};
	int fifo = 10, none = 0, got = -1;
	struct timespec turn;

	ok(syscall(SYS_sched_getscheduler, 0) == POLICY_NORMAL &&
	       !syscall(SYS_sched_getparam, 0, &got) && got == 0,
	   "ordinary at first");
	ok(!syscall(SYS_sched_setscheduler, 0, POLICY_FIFO, &fifo) &&
	       syscall(SYS_sched_getscheduler, 0) == POLICY_FIFO &&
	       !syscall(SYS_sched_getparam, 0, &got) && got == 10,
	   "real-time");
	ok(!syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) && attr.policy == POLICY_FIFO &&
	       attr.priority == 10,
	   "sched_getattr");
	ok(fails(syscall(SYS_sched_setscheduler, 0, POLICY_NORMAL, &fifo), EINVAL) &&
	       fails(syscall(SYS_sched_setscheduler, 0, 17, &none), EINVAL) &&
	       fails(syscall(SYS_sched_setscheduler, 0, POLICY_RR, &none), EINVAL) &&
	       fails(syscall(SYS_sched_setscheduler, 0x7ffffff0, POLICY_NORMAL, &none), ESRCH),
	   "EINVAL, ESRCH");
	ok(!syscall(SYS_sched_setscheduler, 0, POLICY_NORMAL, &none), "ordinary again");
	ok(syscall(SYS_sched_get_priority_max, POLICY_RR) == 99 &&
	       syscall(SYS_sched_get_priority_min, POLICY_RR) == 1 &&
	       syscall(SYS_sched_get_priority_max, POLICY_NORMAL) == 0 &&
	       fails(syscall(SYS_sched_get_priority_max, 17), EINVAL),
	   "ranges");
	ok(!syscall(SYS_sched_rr_get_interval, 0, &turn) && !turn.tv_sec &&
	       turn.tv_nsec < 200000000,
	   "a turn");
	ok(!setpriority(PRIO_PROCESS, 0, 5) && getpriority(PRIO_PROCESS, 0) == 5, "nice");
	ok(!setpriority(PRIO_PROCESS, 0, -3) && syscall(SYS_getpriority, PRIO_PROCESS, 0) == 23,
	   "root lowers its niceness");
	setpriority(PRIO_PROCESS, 0, 0);
	ok(fails(setpriority(3, 0, 0), EINVAL) &&
	       fails(setpriority(PRIO_PROCESS, 0x7ffffff0, 0), ESRCH),
	   "EINVAL, ESRCH");
}

static void controls(void)
{
	pid_t child, *grandchild = shared_page();
	int value = -1, status;

	ok(!prctl(PR_SET_PDEATHSIG, SIGUSR2) && !prctl(PR_GET_PDEATHSIG, &value) &&
	       value == SIGUSR2 && fails(prctl(PR_SET_PDEATHSIG, 65), EINVAL),
	   "PR_SET_PDEATHSIG");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (!child) {
		pid_t own = fork();

		if (!own) {
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			pause();
			_exit(0);
		}
		*grandchild = own;
		usleep(20000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	ok(waitpid(*grandchild, &status, 0) == *grandchild && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGTERM,
	   "the parent's death is told, and the subreaper inherits");
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	ok(prctl(PR_GET_TIMERSLACK) == 50000 && prctl(PR_GET_SECCOMP) == 0 &&
	       fails(prctl(0x12345678, 0), EINVAL) && fails(prctl(PR_SET_SECCOMP, 7), EINVAL),
	   "others");
	ok(personality(0xffffffff) == 0, "personality");
}

static void process_descriptors(void)
{
	struct clone_args args = {.flags = CLONE_PIDFD, .exit_signal = SIGCHLD};
	int fd = -1, none[2];
	struct pollfd one = {.events = POLLIN};
	siginfo_t info;
	pid_t child;

	args.pidfd = (uint64_t)(uintptr_t)&fd;
	child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!child) {
		pause();
		_exit(0);
	}
	one.fd = fd;
	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC && poll(&one, 1, 0) == 0, "CLONE_PIDFD");
	ok(!syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) && poll(&one, 1, 5000) == 1 &&
	       one.revents == POLLIN,
	   "a signal by it ends the child: it is readable");
	memset(&info, 0, sizeof(info));
	ok(!syscall(SYS_waitid, WAIT_PIDFD, fd, &info, WEXITED, NULL) && info.si_pid == child &&
	       info.si_status == SIGTERM,
	   "waitid by it");
	ok(fails(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0), ESRCH),
	   "a pidfd of an ended process: ESRCH");
	close(fd);
	fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	ok(fd >= 0 && !syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0), "pidfd_open");
	pipe(none);
	ok(fails(syscall(SYS_pidfd_open, 0x7ffffff0, 0), ESRCH) &&
	       fails(syscall(SYS_pidfd_open, 0, 0), EINVAL) &&
	       fails(syscall(SYS_pidfd_send_signal, none[0], 0, NULL, 0), EBADF) &&
	       fails(syscall(SYS_waitid, WAIT_PIDFD, none[0], &info, WEXITED, NULL), EBADF),
	   "ESRCH, EINVAL, EBADF");
	close(fd);
	close(none[0]);
	close(none[1]);
}

static struct flock range(int type, off_t start, off_t length)
{
	return (struct flock){.l_type = (short)type, .l_start = start, .l_len = length};
}

/* Returns the result for a lock that a child of the lock's holder tries. */
static int try_in_child(int fd, int command, int type, off_t start, off_t length)
{
	int status;

	if (!fork()) {
		struct flock lock = range(type, start, length);

		_exit(fcntl(fd, command, &lock) ? errno : 0);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

static void file_locks(void)
{
	int fd = open("/tmp/locked", O_RDWR | O_CREAT | O_TRUNC, 0600), other;
	int read_only = open("/tmp/locked", O_RDONLY);
	struct flock lock = range(F_WRLCK, 10, 20);

	ok(!fcntl(fd, F_SETLK, &lock) && try_in_child(fd, F_SETLK, F_RDLCK, 29, 1) == EAGAIN &&
	       try_in_child(fd, F_SETLK, F_RDLCK, 30, 0) == 0,
	   "a range is locked against others");
	lock = range(F_UNLCK, 15, 5);
	ok(!fcntl(fd, F_SETLK, &lock) && try_in_child(fd, F_SETLK, F_WRLCK, 15, 5) == 0 &&
	       try_in_child(fd, F_SETLK, F_WRLCK, 14, 2) == EAGAIN &&
	       try_in_child(fd, F_SETLK, F_WRLCK, 20, 1) == EAGAIN,
	   "a hole in it is free");
	if (!fork()) {
		lock = range(F_WRLCK, 0, 0);
		_exit(fcntl(fd, F_GETLK, &lock) || lock.l_type != F_WRLCK ||
		      lock.l_pid != getppid());
	} else {
		int status;

		wait(&status);
		ok(!status, "F_GETLK names the holder");
	}
	other = dup(fd);
	close(other);
	ok(try_in_child(fd, F_SETLK, F_WRLCK, 0, 0) == 0, "any close of the file drops them");
	lock = range(F_WRLCK, 0, 0);
	ok(fails(fcntl(read_only, F_SETLK, &lock), EBADF),
	   "a write lock of a read-only descriptor: EBADF");
	lock.l_whence = 7;
	ok(fails(fcntl(fd, F_SETLK, &lock), EINVAL), "EINVAL");
	other = open("/tmp/locked", O_RDWR);
	lock = range(F_WRLCK, 0, 0);
	ok(!fcntl(fd, F_OFD_SETLK, &lock) && fails(fcntl(other, F_OFD_SETLK, &lock), EAGAIN),
	   "locks of open files, within one process");
	close(other);
	lock = range(F_UNLCK, 0, 0);
	fcntl(fd, F_OFD_SETLK, &lock);
	other = open("/tmp/locked", O_RDWR);
	ok(!flock(fd, LOCK_EX) && fails(flock(other, LOCK_SH | LOCK_NB), EWOULDBLOCK), "flock");
	if (!fork()) {
		usleep(20000);
		flock(fd, LOCK_UN);
		_exit(0);
	}
	ok(!flock(other, LOCK_EX), "a sleeper gets it");
	wait(NULL);
	ok(fails(flock(fd, 3), EINVAL) && fails(flock(-1, LOCK_EX), EBADF), "EINVAL, EBADF");
	close(other);
	close(read_only);
	close(fd);
	unlink("/tmp/locked");
}

int main(void)
{
	robust_mutexes();
	cancellation();
	refused_clones();
	wake_operations();
	barriers();
	priorities();
	controls();
	process_descriptors();
	file_locks();
	return tap_end();
}
