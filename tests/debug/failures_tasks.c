/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls about tasks, memory, signals and events, to let fail. */
#include "tests/debug/failures.h"
#include "tests/fuzz/fuzz.h"
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

static int fd, fd2;
static char buffer[3 * PAGE];
static char *map;
static pid_t child;

static const struct perf_event_attr *attr_of(unsigned type, uint64_t config, uint64_t period)
{
	static struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	attr.inherit = !period;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	return &attr;
}

static int perf(unsigned type, uint64_t config, uint64_t period, int group)
{
	return (int)syscall(SYS_perf_event_open, attr_of(type, config, period), 0, -1, group, 0);
}

static void with_map(void)
{
	map = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(map, 1, 16 * PAGE);
}

#define HUGE_PAGE (2ul << 20)

static void with_huge(void)
{
	int pool = open("/proc/sys/vm/nr_hugepages", O_WRONLY);

	if (write(pool, "6", 1) != 1)
		perror("nr_hugepages");
	close(pool);
	map = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	map[0] = map[HUGE_PAGE] = 1;
}

static void with_event(void)
{
	fd = perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 100000, -1);
	if (fd < 0)
		fd = perf(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 100000, -1);
}

static void with_ring(void)
{
	with_event();
	map = mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	fd2 = perf(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1000, -1);
}

static void with_inherited_group(void)
{
	fd = perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1);
	perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, fd);
	perf(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void with_child(void)
{
	child = fork();
	if (!child)
		_exit(3);
}

static long ended(long pid)
{
	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, __WALL);
	return pid;
}

static long do_fork(void)
{
	return ended(syscall(SYS_fork));
}

static long do_vfork_like(void)
{
	return ended(syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0));
}

static long do_clone_pidfd(void)
{
	return ended(syscall(SYS_clone, 0x1000 | SIGCHLD, 0, &fd, 0, 0));
}

static long do_clone_tids(void)
{
	static int parent_tid, child_tid;

	return ended(syscall(
	    SYS_clone, CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, 0,
	    &parent_tid, &child_tid, 0));
}

static long do_clone_files(void)
{
	return ended(syscall(
	    SYS_clone, CLONE_FILES | CLONE_FS | CLONE_SIGHAND | CLONE_VM | CLONE_VFORK | SIGCHLD, 0,
	    0, 0, 0));
}

static long do_exec(void)
{
	char *const arguments[] = {"failures", "well", NULL}, *const environment[] = {"A=1", NULL};

	return execve("/proc/self/exe", arguments, environment);
}

static long do_mmap(void)
{
	char *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return at == MAP_FAILED ? -1 : 0;
}

static long do_mmap_over(void)
{
	return mmap(map + 4 * PAGE, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) == MAP_FAILED
		   ? -1
		   : 0;
}

static long do_munmap(void)
{
	return munmap(map + 4 * PAGE, 4 * PAGE);
}

static long do_mprotect(void)
{
	return mprotect(map + 4 * PAGE, 4 * PAGE, PROT_READ);
}

static long do_mremap(void)
{
	return mremap(map, 16 * PAGE, 64 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0;
}

static long do_madvise(void)
{
	return madvise(map + PAGE, 3 * PAGE, MADV_DONTNEED);
}

static long do_mlock(void)
{
	return mlock(map + PAGE, 3 * PAGE);
}

static long do_touch(void)
{
	volatile char *at =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at != MAP_FAILED)
		at[0] = at[3 * PAGE] = 1;
	return at == MAP_FAILED ? -1 : 0;
}

static long do_map_huge(void)
{
	volatile char *at = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (at == MAP_FAILED)
		return -1;
	at[0] = 1;
	return munmap((char *)at + HUGE_PAGE, HUGE_PAGE);
}

static long do_copy_huge(void)
{
	pid_t pid = fork();

	if (!pid) {
		map[0] = 2;
		_exit(map[HUGE_PAGE] != 1);
	}
	return pid < 0 ? -1 : ended(pid);
}

static long do_move_huge(void)
{
	char *to = map - 64 * HUGE_PAGE;

	return mremap(map, 2 * HUGE_PAGE, HUGE_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to ? 0
											      : -1;
}

static long do_perf_software(void)
{
	return perf(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
}

static long do_perf_hardware(void)
{
	return perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000, -1);
}

static long do_perf_sibling(void)
{
	return perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 100000, fd);
}

static long do_perf_mmap(void)
{
	return mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1
											     : 0;
}

static long do_perf_output(void)
{
	return ioctl(fd2, PERF_EVENT_IOC_SET_OUTPUT, fd);
}

static long do_perf_read(void)
{
	return read(fd, buffer, 64);
}

static long do_perf_enable(void)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static long do_perf_period(void)
{
	uint64_t period = 5000;

	return ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
}

static long do_timer(void)
{
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};

	return timer_create(CLOCK_MONOTONIC, &event, &timer);
}

static long do_setitimer(void)
{
	struct itimerval value = {.it_value = {100, 0}};

	return setitimer(ITIMER_REAL, &value, NULL);
}

static void with_blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

static long do_sigqueue(void)
{
	return sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1});
}

static long do_kill(void)
{
	return kill(getpid(), SIGUSR1);
}

static long do_handler(void)
{
	signal(SIGUSR1, SIG_IGN);
	return raise(SIGUSR1);
}

static long do_setgroups(void)
{
	gid_t groups[100] = {1, 2, 3};

	return syscall(SYS_setgroups, 100, groups);
}

static long do_setresuid(void)
{
	return syscall(SYS_setresuid, 1000, 1000, 1000);
}

static long do_prctl(void)
{
	return prctl(PR_SET_NAME, "failing");
}

static long do_wait(void)
{
	return waitpid(child, NULL, 0);
}

static long do_unshare(void)
{
	return unshare(CLONE_NEWUTS | CLONE_FS | CLONE_FILES);
}

static long do_waitid(void)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)child, &info, WEXITED);
}

static long do_vm_read(void)
{
	struct iovec here = {buffer, 200}, there = {buffer + 1000, 200};

	return syscall(SYS_process_vm_readv, getpid(), &here, 1, &there, 1, 0);
}

static long do_futex(void)
{
	static int word;
	struct timespec soon = {0, 100000};

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0);
}

static long do_affinity(void)
{
	unsigned long mask = 1;

	return syscall(SYS_sched_setaffinity, 0, sizeof(mask), &mask);
}

static long do_setrlimit(void)
{
	uint64_t limit[2] = {100, 100};

	return syscall(SYS_prlimit64, 0, 7, limit, limit);
}

const struct failing_call calls_of_tasks[] = {
    {"fork", with_map, do_fork},
    {"fork with events", with_inherited_group, do_fork},
    {"clone, vfork", NULL, do_vfork_like},
    {"clone with a pidfd", with_inherited_group, do_clone_pidfd},
    {"clone with thread ids", with_inherited_group, do_clone_tids},
    {"clone that shares", NULL, do_clone_files},
    {"execve", with_event, do_exec},
    {"mmap", NULL, do_mmap},
    {"mmap over a mapping", with_map, do_mmap_over},
    {"munmap of a middle", with_map, do_munmap},
    {"mprotect of a middle", with_map, do_mprotect},
    {"mremap", with_map, do_mremap},
    {"madvise", with_map, do_madvise},
    {"mlock", with_map, do_mlock},
    {"first writes", NULL, do_touch},
    {"mmap of huge pages", with_huge, do_map_huge},
    {"a copy of huge pages", with_huge, do_copy_huge},
    {"mremap of huge pages", with_huge, do_move_huge},
    {"perf_event_open, software", NULL, do_perf_software},
    {"perf_event_open, hardware", NULL, do_perf_hardware},
    {"perf_event_open of a sibling", with_event, do_perf_sibling},
    {"mmap of a ring", with_event, do_perf_mmap},
    {"PERF_EVENT_IOC_SET_OUTPUT", with_ring, do_perf_output},
    {"read of an event", with_event, do_perf_read},
    {"PERF_EVENT_IOC_ENABLE", with_ring, do_perf_enable},
    {"PERF_EVENT_IOC_PERIOD", with_event, do_perf_period},
    {"timer_create", NULL, do_timer},
    {"setitimer", NULL, do_setitimer},
    {"sigqueue", with_blocked, do_sigqueue},
    {"kill", with_blocked, do_kill},
    {"a signal that is ignored", NULL, do_handler},
    {"setgroups", NULL, do_setgroups},
    {"setresuid", NULL, do_setresuid},
    {"prctl", NULL, do_prctl},
    {"wait4", with_child, do_wait},
    {"waitid", with_child, do_waitid},
    {"unshare", NULL, do_unshare},
    {"process_vm_readv", NULL, do_vm_read},
    {"futex", NULL, do_futex},
    {"sched_setaffinity", NULL, do_affinity},
    {"prlimit64", NULL, do_setrlimit},
    {NULL, NULL, NULL},
};
