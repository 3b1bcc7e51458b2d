/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of system calls, by Linux's numbers for x86-64, and which of them a signal lets run
 * again. */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <stddef.h>
#include "api/calls.h"
#include "kernel/log.h"
#include "kernel/syscall.h"

/* Called by entry.asm. */
long syscall_unknown(uint32_t number);

#define CALL(name)        [__NR_##name] = (const void *)sys_##name
#define ALIAS(name, call) [__NR_##name] = (const void *)sys_##call
/* What C libraries try at every start: not worth a line on the log. */
#define ABSENT(name) [__NR_##name] = (const void *)sys_absent

static long sys_absent(void)
{
	return -ENOSYS;
}

/* Files have no extended attributes: as Linux without them. */
static long sys_no_attributes(void)
{
	return -EOPNOTSUPP;
}

/* entry.asm calls through this; NULL entries go to syscall_unknown(). */
const void *const syscall_table[] = {
    CALL(read),
    CALL(write),
    CALL(open),
    CALL(close),
    CALL(stat),
    CALL(fstat),
    CALL(lstat),
    CALL(poll),
    CALL(lseek),
    CALL(mmap),
    CALL(mprotect),
    CALL(munmap),
    CALL(brk),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(rt_sigreturn),
    CALL(ioctl),
    CALL(pread64),
    CALL(pwrite64),
    CALL(readv),
    CALL(writev),
    CALL(access),
    CALL(pipe),
    CALL(select),
    CALL(sched_yield),
    CALL(mremap),
    CALL(msync),
    CALL(mincore),
    CALL(madvise),
    CALL(dup),
    CALL(dup2),
    CALL(pause),
    CALL(nanosleep),
    CALL(getitimer),
    CALL(alarm),
    CALL(setitimer),
    CALL(getpid),
    CALL(clone),
    CALL(fork),
    CALL(vfork),
    CALL(execve),
    CALL(exit),
    CALL(wait4),
    CALL(kill),
    CALL(uname),
    CALL(fcntl),
    ALIAS(fdatasync, fsync),
    CALL(fsync),
    CALL(truncate),
    CALL(ftruncate),
    CALL(getcwd),
    CALL(chdir),
    CALL(fchdir),
    CALL(rename),
    CALL(mkdir),
    CALL(rmdir),
    CALL(creat),
    CALL(link),
    CALL(unlink),
    CALL(symlink),
    CALL(readlink),
    CALL(chmod),
    CALL(fchmod),
    CALL(chown),
    CALL(fchown),
    CALL(lchown),
    CALL(umask),
    CALL(gettimeofday),
    CALL(getrlimit),
    CALL(getrusage),
    CALL(sysinfo),
    CALL(times),
    CALL(getuid),
    CALL(getgid),
    CALL(setuid),
    CALL(setgid),
    CALL(geteuid),
    CALL(getegid),
    CALL(setpgid),
    CALL(getppid),
    CALL(getpgrp),
    CALL(setsid),
    CALL(setreuid),
    CALL(setregid),
    CALL(getgroups),
    CALL(setgroups),
    CALL(setresuid),
    CALL(getresuid),
    CALL(setresgid),
    CALL(getresgid),
    CALL(getpgid),
    CALL(setfsuid),
    CALL(setfsgid),
    CALL(getsid),
    CALL(capset),
    CALL(rt_sigpending),
    CALL(rt_sigtimedwait),
    CALL(rt_sigqueueinfo),
    CALL(rt_sigsuspend),
    CALL(sigaltstack),
    CALL(mknod),
    CALL(statfs),
    CALL(fstatfs),
    CALL(getpriority),
    CALL(sched_getparam),
    CALL(sched_getscheduler),
    CALL(mlock),
    CALL(munlock),
    CALL(mlockall),
    CALL(munlockall),
    CALL(prctl),
    CALL(arch_prctl),
    CALL(setrlimit),
    CALL(sync),
    CALL(gettid),
    CALL(tkill),
    CALL(time),
    CALL(futex),
    CALL(sched_setaffinity),
    CALL(sched_getaffinity),
    CALL(getdents64),
    CALL(set_tid_address),
    CALL(clock_settime),
    CALL(clock_gettime),
    CALL(clock_getres),
    CALL(clock_nanosleep),
    CALL(exit_group),
    CALL(tgkill),
    CALL(waitid),
    CALL(openat),
    CALL(mkdirat),
    CALL(mknodat),
    CALL(fchownat),
    CALL(newfstatat),
    CALL(unlinkat),
    CALL(renameat),
    CALL(linkat),
    CALL(symlinkat),
    CALL(readlinkat),
    CALL(fchmodat),
    CALL(faccessat),
    CALL(pselect6),
    CALL(ppoll),
    CALL(utimensat),
    CALL(fallocate),
    CALL(dup3),
    CALL(pipe2),
    CALL(preadv),
    CALL(pwritev),
    CALL(rt_tgsigqueueinfo),
    CALL(perf_event_open),
    CALL(prlimit64),
    CALL(getcpu),
    CALL(renameat2),
    CALL(getrandom),
    CALL(execveat),
    CALL(mlock2),
    CALL(statx),
    CALL(clone3),
    CALL(close_range),
    CALL(faccessat2),
    CALL(fadvise64),
    CALL(eventfd),
    CALL(eventfd2),
    CALL(capget),
    CALL(timer_create),
    CALL(timer_settime),
    CALL(timer_gettime),
    CALL(timer_getoverrun),
    CALL(timer_delete),
    CALL(timerfd_create),
    CALL(timerfd_settime),
    CALL(timerfd_gettime),
    CALL(signalfd),
    CALL(signalfd4),
    CALL(epoll_create),
    CALL(epoll_create1),
    CALL(epoll_ctl),
    CALL(epoll_wait),
    CALL(epoll_pwait),
    CALL(epoll_pwait2),
    CALL(memfd_create),
    CALL(socket),
    CALL(socketpair),
    CALL(sendto),
    CALL(recvfrom),
    CALL(sendmsg),
    CALL(recvmsg),
    CALL(shutdown),
    CALL(getsockname),
    CALL(getpeername),
    CALL(getsockopt),
    CALL(setsockopt),
    CALL(connect),
    ALIAS(bind, socket_refuse),
    ALIAS(listen, socket_refuse),
    ALIAS(accept, socket_refuse),
    ALIAS(accept4, socket_refuse),
    ALIAS(getxattr, no_attributes),
    ALIAS(lgetxattr, no_attributes),
    ALIAS(fgetxattr, no_attributes),
    ALIAS(listxattr, no_attributes),
    ALIAS(llistxattr, no_attributes),
    ALIAS(flistxattr, no_attributes),
    ALIAS(setxattr, no_attributes),
    ALIAS(lsetxattr, no_attributes),
    ALIAS(fsetxattr, no_attributes),
    CALL(set_robust_list),
    CALL(get_robust_list),
    CALL(membarrier),
    CALL(sched_setscheduler),
    CALL(sched_setparam),
    CALL(sched_setattr),
    CALL(sched_getattr),
    CALL(sched_get_priority_max),
    CALL(sched_get_priority_min),
    CALL(sched_rr_get_interval),
    CALL(setpriority),
    CALL(personality),
    CALL(pidfd_open),
    CALL(pidfd_send_signal),
    CALL(flock),
    ABSENT(rseq),
};

#define NR_SYSCALLS (sizeof(syscall_table) / sizeof(syscall_table[0]))

const uint32_t nr_syscalls = NR_SYSCALLS;

/* An interrupted call: with SA_RESTART it runs again after the handler; in any case when no handler
 * ran; never. */
enum restart { RESTART_WITHOUT_HANDLER, RESTART_SA, RESTART_NEVER };

static const uint8_t restarts[NR_SYSCALLS] = {
    [__NR_read] = RESTART_SA,
    [__NR_write] = RESTART_SA,
    [__NR_readv] = RESTART_SA,
    [__NR_writev] = RESTART_SA,
    [__NR_pread64] = RESTART_SA,
    [__NR_pwrite64] = RESTART_SA,
    [__NR_open] = RESTART_SA,
    [__NR_openat] = RESTART_SA,
    [__NR_creat] = RESTART_SA,
    [__NR_ioctl] = RESTART_SA,
    [__NR_wait4] = RESTART_SA,
    [__NR_waitid] = RESTART_SA,
    [__NR_sendto] = RESTART_SA,
    [__NR_recvfrom] = RESTART_SA,
    [__NR_sendmsg] = RESTART_SA,
    [__NR_recvmsg] = RESTART_SA,
    [__NR_futex] = RESTART_SA,
    [__NR_rt_sigtimedwait] = RESTART_NEVER,
    [__NR_epoll_wait] = RESTART_NEVER,
    [__NR_epoll_pwait] = RESTART_NEVER,
    [__NR_epoll_pwait2] = RESTART_NEVER,
};

bool syscall_restarts(uint64_t number)
{
	return number < NR_SYSCALLS && restarts[number] == RESTART_SA;
}

bool syscall_continues(uint64_t number)
{
	return number < NR_SYSCALLS && restarts[number] != RESTART_NEVER;
}

/* From entry.asm, for a number without an entry: named once on the log. */
long syscall_unknown(uint32_t number)
{
	static uint64_t told[8];

	if (number < sizeof(told) * 8 && !(told[number / 64] >> number % 64 & 1)) {
		told[number / 64] |= 1ul << number % 64;
		log_info("system call %u is not there (ENOSYS)", number);
	}
	return -ENOSYS;
}
