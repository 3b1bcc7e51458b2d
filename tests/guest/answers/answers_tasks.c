/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's answers about tasks: descriptors of processes, priorities. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "tests/guest/answers/answers.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* Descriptors of processes. */

/* Sleeps until it is killed, or its parent ends: a machine ends with its last process. */
static pid_t sleeper(void)
{
	pid_t parent = getpid(), child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	return child;
}

static int pidfd_of(pid_t pid, unsigned flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

static long end(pid_t child, long result)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return result;
}

static long getfd_same(void)
{
	int ends[2], fd;
	struct stat mine, theirs;
	pid_t child;

	if (pipe(ends))
		return -errno;
	child = sleeper();
	close(ends[0]);
	fd = (int)syscall(SYS_pidfd_getfd, pidfd_of(child, 0), ends[0], 0);
	if (fd < 0 || fstat(fd, &theirs) || fstat(ends[1], &mine))
		return end(child, -errno);
	return end(child, mine.st_ino == theirs.st_ino && fcntl(fd, F_GETFD) == FD_CLOEXEC);
}

static long getfd_of(int fd, unsigned flags)
{
	pid_t child = sleeper();

	return end(child, RAW(SYS_pidfd_getfd, pidfd_of(child, 0), fd, flags));
}

static long getfd_none(void)
{
	return getfd_of(500, 0);
}

static long getfd_flags(void)
{
	return getfd_of(0, 1);
}

static long getfd_other(void)
{
	return RAW(SYS_pidfd_getfd, open("/", O_RDONLY), 0, 0);
}

static long getfd_ended(void)
{
	pid_t child = sleeper();
	int fd = pidfd_of(child, 0);

	end(child, 0);
	return RAW(SYS_pidfd_getfd, fd, 0, 0);
}

static long getfd_stranger(void)
{
	pid_t child = sleeper();
	int fd = pidfd_of(child, 0);

	become_user();
	return RAW(SYS_pidfd_getfd, fd, 0, 0);
}

static long pidfd_nonblock(void)
{
	pid_t child = sleeper();
	siginfo_t info;
	int fd = pidfd_of(child, O_NONBLOCK);

	return end(child, fd < 0 ? -errno : raw(waitid(P_PIDFD, (id_t)fd, &info, WEXITED)));
}

static long pidfd_nonblock_flag(void)
{
	pid_t child = sleeper();

	return end(child, (fcntl(pidfd_of(child, O_NONBLOCK), F_GETFL) & O_NONBLOCK) != 0);
}

static long pidfd_ended(void)
{
	pid_t child = sleeper();
	siginfo_t info;
	int fd = pidfd_of(child, O_NONBLOCK);

	kill(child, SIGKILL);
	usleep(50000);
	return raw(waitid(P_PIDFD, (id_t)fd, &info, WEXITED)) ?: info.si_pid == child;
}

static long pidfd_flags(void)
{
	return RAW(SYS_pidfd_open, getpid(), 1);
}

static long signal_by(const char *name)
{
	pid_t child = sleeper();
	char path[64];

	snprintf(path, sizeof(path), name, child);
	return end(child, RAW(SYS_pidfd_send_signal, open(path, O_RDONLY), 0, NULL, 0));
}

static long signal_directory(void)
{
	return signal_by("/proc/%d");
}

static long signal_file(void)
{
	return signal_by("/proc/%d/stat");
}

static long signal_task(void)
{
	return signal_by("/proc/%d/task");
}

/* Priorities. */

static long io_default(void)
{
	return RAW(SYS_ioprio_get, 1, 0);
}

static long io_set(void)
{
	return RAW(SYS_ioprio_set, 1, 0, 2 << 13 | 7) ?: RAW(SYS_ioprio_get, 1, 0);
}

static long io_idle(void)
{
	return RAW(SYS_ioprio_set, 1, 0, 3 << 13) ?: RAW(SYS_ioprio_get, 1, 0) >> 13;
}

static long io_child(void)
{
	return RAW(SYS_ioprio_set, 1, 0, 2 << 13 | 5) ?: in_child(io_default);
}

static long io_class(void)
{
	return RAW(SYS_ioprio_set, 1, 0, 5 << 13);
}

static long io_none(void)
{
	return RAW(SYS_ioprio_set, 1, 0, 1);
}

static long io_which(void)
{
	return RAW(SYS_ioprio_get, 9, 0);
}

static long io_nobody(void)
{
	return RAW(SYS_ioprio_get, 1, 99999);
}

static long io_group(void)
{
	return RAW(SYS_ioprio_set, 2, 0, 2 << 13 | 3) ?: RAW(SYS_ioprio_get, 2, 0);
}

static long io_no_group(void)
{
	return RAW(SYS_ioprio_get, 2, 99999);
}

static long io_user(void)
{
	return RAW(SYS_ioprio_get, 3, 77777);
}

static long io_realtime(void)
{
	become_user();
	return RAW(SYS_ioprio_set, 1, 0, 1 << 13);
}

static long io_stranger(void)
{
	pid_t child = sleeper();

	become_user();
	return RAW(SYS_ioprio_set, 1, child, 2 << 13 | 7);
}

static long nice_user(void)
{
	become_user();
	return raw(setpriority(PRIO_PROCESS, 0, -10));
}

static long nice_limit(void)
{
	struct rlimit limit = {30, 30};

	setrlimit(RLIMIT_NICE, &limit);
	become_user();
	return raw(setpriority(PRIO_PROCESS, 0, -10));
}

static long nice_beyond_limit(void)
{
	struct rlimit limit = {30, 30};

	setrlimit(RLIMIT_NICE, &limit);
	become_user();
	return raw(setpriority(PRIO_PROCESS, 0, -11));
}

static long nice_back(void)
{
	become_user();
	return raw(setpriority(PRIO_PROCESS, 0, 5)) ?: raw(setpriority(PRIO_PROCESS, 0, 4));
}

static long nice_stranger(void)
{
	pid_t child = sleeper();

	become_user();
	return raw(setpriority(PRIO_PROCESS, (id_t)child, 5));
}

struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t low, high;
};

static long set_attributes(struct attributes attributes)
{
	return RAW(SYS_sched_setattr, 0, &attributes, 0);
}

static long attr_batch(void)
{
	struct attributes got;

	return set_attributes((struct attributes){.size = 48, .policy = SCHED_BATCH, .nice = 5})
		       ?: RAW(SYS_sched_getattr, 0, &got, sizeof(got), 0)
		       ?: (long)got.policy * 100 + got.nice;
}

static long attr_flags(void)
{
	return set_attributes((struct attributes){.size = 48, .flags = 1ul << 20});
}

static long attr_call_flags(void)
{
	return RAW(SYS_sched_setattr, 0, &(struct attributes){.size = 48}, 1);
}

static long attr_small(void)
{
	return set_attributes((struct attributes){.size = 40});
}

static long attr_zero(void)
{
	return set_attributes((struct attributes){.size = 0});
}

static long attr_policy(void)
{
	return set_attributes((struct attributes){.size = 48, .policy = 77});
}

static long attr_priority(void)
{
	return set_attributes((struct attributes){.size = 48, .priority = 5});
}

static long attr_fifo(void)
{
	return set_attributes((struct attributes){.size = 48, .policy = SCHED_FIFO, .priority = 5})
		   ?: RAW(SYS_sched_getscheduler, 0);
}

static long attr_fifo_none(void)
{
	return set_attributes((struct attributes){.size = 48, .policy = SCHED_FIFO});
}

static long attr_fifo_user(void)
{
	become_user();
	return set_attributes((struct attributes){.size = 48, .policy = SCHED_FIFO, .priority = 5});
}

static long attr_nice_user(void)
{
	become_user();
	return set_attributes((struct attributes){.size = 48, .nice = -5});
}

static long attr_fork(void)
{
	struct attributes got;

	return set_attributes((struct attributes){.size = 48, .flags = 1, .nice = 3})
		       ?: RAW(SYS_sched_getattr, 0, &got, sizeof(got), 0) ?: (long)got.flags;
}

static long core_limit(void)
{
	struct rlimit limit = {0, 0};
	pid_t child;
	int status;

	setrlimit(RLIMIT_CORE, &limit);
	child = fork();
	if (!child)
		abort();
	waitpid(child, &status, 0);
	return WCOREDUMP(status) != 0;
}

static const struct answer cases[] = {
    CASE("pidfd_getfd: the same file, close on exec", getfd_same, 1),
    CASE("pidfd_getfd: no such descriptor", getfd_none, -EBADF),
    CASE("pidfd_getfd: unknown flag", getfd_flags, -EINVAL),
    CASE("pidfd_getfd: another file", getfd_other, -EBADF),
    CASE("pidfd_getfd: ended process", getfd_ended, -ESRCH),
    CASE("pidfd_getfd: a stranger's process", getfd_stranger, -EPERM),
    CASE("PIDFD_NONBLOCK: waitid of a running child", pidfd_nonblock, -EAGAIN),
    CASE("PIDFD_NONBLOCK: F_GETFL", pidfd_nonblock_flag, 1),
    CASE("PIDFD_NONBLOCK: waitid of an ended child", pidfd_ended, 1),
    CASE("pidfd_open: unknown flag", pidfd_flags, -EINVAL),
    CASE("pidfd_send_signal: /proc/PID", signal_directory, 0),
    CASE("pidfd_send_signal: /proc/PID/stat", signal_file, -EBADF),
    CASE("pidfd_send_signal: /proc/PID/task", signal_task, -EBADF),
    CASE("ioprio_get: default", io_default, 0),
    CASE("ioprio_set: best effort, 7", io_set, 2 << 13 | 7),
    CASE("ioprio_set: idle", io_idle, 3),
    CASE("ioprio: a child has its parent's", io_child, 2 << 13 | 5),
    CASE("ioprio_set: unknown class", io_class, -EINVAL),
    CASE("ioprio_set: no class with a level", io_none, -EINVAL),
    CASE("ioprio_get: unknown kind", io_which, -EINVAL),
    CASE("ioprio_get: no such process", io_nobody, -ESRCH),
    CASE("ioprio of a process group", io_group, 2 << 13 | 3),
    CASE("ioprio_get: no such group", io_no_group, -ESRCH),
    CASE("ioprio_get: user without processes", io_user, -ESRCH),
    CASE("ioprio_set: realtime by a user", io_realtime, -EPERM),
    CASE("ioprio_set: a stranger's process", io_stranger, -EPERM),
    CASE("setpriority(-10) by a user", nice_user, -EACCES),
    CASE("setpriority(-10) within RLIMIT_NICE", nice_limit, 0),
    CASE("setpriority(-11) beyond RLIMIT_NICE", nice_beyond_limit, -EACCES),
    CASE("setpriority back by one by a user", nice_back, -EACCES),
    CASE("setpriority of a stranger's process", nice_stranger, -EPERM),
    CASE("sched_setattr: SCHED_BATCH, nice 5", attr_batch, 305),
    CASE("sched_setattr: unknown flag", attr_flags, -EINVAL),
    CASE("sched_setattr: flags of the call", attr_call_flags, -EINVAL),
    CASE("sched_setattr: small struct", attr_small, -E2BIG),
    CASE("sched_setattr: size 0 is the first version's", attr_zero, 0),
    CASE("sched_setattr: unknown policy", attr_policy, -EINVAL),
    CASE("sched_setattr: SCHED_OTHER with a priority", attr_priority, -EINVAL),
    CASE("sched_setattr: SCHED_FIFO", attr_fifo, SCHED_FIFO),
    CASE("sched_setattr: SCHED_FIFO without a priority", attr_fifo_none, -EINVAL),
    CASE("sched_setattr: SCHED_FIFO by a user", attr_fifo_user, -EPERM),
    CASE("sched_setattr: nice -5 by a user", attr_nice_user, -EPERM),
    CASE("sched_setattr: reset on fork", attr_fork, 1),
    CASE("RLIMIT_CORE 0: no WCOREDUMP", core_limit, 0),
};

int main(void)
{
	return answers_run(cases, COUNT(cases));
}
