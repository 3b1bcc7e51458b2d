/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of system calls, by Linux's numbers for x86-64, and which of them a signal lets run
 * again. */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <stddef.h>
#include "api/calls.h"
#include "kernel/base/log.h"
#include "arch/x86/cpu/frame.h"
#include "kernel/signal/syscall.h"

/* Called by entry.asm. */
long syscall_unknown(uint32_t number);

#define CALL(name) [__NR_##name] = (const void *)sys_##name
/* The same, with what is missing: docs/abi.md is written from this table (tools/abi.awk). */
#define PART(name, missing) CALL(name)
#define ALIAS(name, call)   [__NR_##name] = (const void *)sys_##call
/* Always the same errno, as on a Linux that has no such thing. */
#define REFUSE(name, call, why) ALIAS(name, call)

/* Files have no extended attributes: as Linux without them. */
static long sys_no_attributes(void)
{
	return -EOPNOTSUPP;
}

/* entry.asm calls through this; NULL entries go to syscall_unknown(). */
const void *const syscall_table[] = {
    CALL(read),
    CALL(write),
    PART(open, "O_TMPFILE"),
    CALL(close),
    CALL(stat),
    CALL(fstat),
    CALL(lstat),
    CALL(poll),
    CALL(lseek),
    PART(mmap, "MAP_GROWSDOWN, huge pages but of 2 MiB"),
    CALL(mprotect),
    CALL(munmap),
    CALL(brk),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(rt_sigreturn),
    PART(ioctl, "what the files that are here know: FIONREAD, FIONBIO, FIOASYNC, FIOCLEX, "
		"terminals, perf events"),
    CALL(pread64),
    CALL(pwrite64),
    CALL(readv),
    CALL(writev),
    CALL(access),
    CALL(pipe),
    CALL(select),
    CALL(sched_yield),
    PART(mremap, "MREMAP_DONTUNMAP"),
    CALL(msync),
    CALL(mincore),
    PART(madvise, "MADV_REMOVE, MADV_HWPOISON, MADV_SOFT_OFFLINE"),
    PART(shmget, "SHM_HUGETLB (ENOMEM), more than 2 GiB (ENOMEM)"),
    CALL(shmat),
    CALL(shmctl),
    CALL(dup),
    CALL(dup2),
    CALL(pause),
    CALL(nanosleep),
    CALL(getitimer),
    CALL(alarm),
    CALL(setitimer),
    CALL(getpid),
    PART(sendfile, "to regular files and pipes only: EINVAL elsewhere"),
    PART(socket, "AF_UNIX only: there is no network"),
    CALL(connect),
    CALL(accept),
    PART(sendto, "MSG_OOB"),
    CALL(recvfrom),
    PART(sendmsg, "sockets as passed descriptors (ETOOMANYREFS), MSG_OOB"),
    PART(recvmsg, "MSG_OOB, MSG_ERRQUEUE"),
    CALL(shutdown),
    CALL(bind),
    CALL(listen),
    CALL(getsockname),
    CALL(getpeername),
    CALL(socketpair),
    PART(setsockopt, "SO_PASSCRED; sizes are accepted and fixed"),
    PART(getsockopt, "level SOL_SOCKET only; timeouts"),
    PART(clone, "namespaces but those of names, CLONE_PTRACE"),
    CALL(fork),
    CALL(vfork),
    CALL(execve),
    CALL(exit),
    PART(wait4, "system time is told from the first question on"),
    CALL(kill),
    CALL(uname),
    CALL(sethostname),
    CALL(setdomainname),
    CALL(semget),
    CALL(semop),
    CALL(semctl),
    CALL(shmdt),
    CALL(msgget),
    CALL(msgsnd),
    CALL(msgrcv),
    CALL(msgctl),
    PART(fcntl, "F_NOTIFY, leases"),
    CALL(flock),
    CALL(fsync),
    ALIAS(fdatasync, fsync),
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
    PART(getrusage, "system time is told from the first question on"),
    PART(sysinfo, "load averages, shared and buffer memory are 0"),
    CALL(get_mempolicy),
    PART(set_mempolicy, "kept and told: there is one node"),
    PART(mbind, "policies of areas are not kept: there is one node"),
    PART(unshare, "namespaces but those of names: EINVAL, as on a Linux without them"),
    PART(setns, "there is one namespace of each kind, but for those of names"),
    PART(ptrace, "PTRACE_SINGLEBLOCK, seccomp, PTRACE_PEEKSIGINFO, selectors of "
		 "data segments"),
    PART(times, "system time is told from the first question on"),
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
    CALL(capget),
    CALL(capset),
    CALL(rt_sigpending),
    CALL(rt_sigtimedwait),
    CALL(rt_sigqueueinfo),
    CALL(rt_sigsuspend),
    CALL(sigaltstack),
    CALL(utime),
    CALL(mknod),
    PART(personality, "PER_LINUX and ADDR_NO_RANDOMIZE only"),
    PART(mount, "other than proc, sysfs, devtmpfs, debugfs, tracefs, cgroup (of perf_event), "
		"cgroup2, bpf, tmpfs, ramfs; "
		"MS_BIND, MS_REMOUNT; no limits of size, no MS_MOVE"),
    CALL(umount2),
    PART(name_to_handle_at, "of control groups; EOPNOTSUPP of others"),
    CALL(statfs),
    CALL(fstatfs),
    CALL(getpriority),
    PART(setpriority, "kept and told, but all tasks take turns alike"),
    PART(sched_setparam, "kept and told, but all tasks take turns alike"),
    CALL(sched_getparam),
    PART(sched_setscheduler, "kept and told, but all tasks take turns alike; SCHED_DEADLINE"),
    CALL(sched_getscheduler),
    CALL(sched_get_priority_max),
    CALL(sched_get_priority_min),
    CALL(sched_rr_get_interval),
    CALL(mlock),
    CALL(munlock),
    PART(mlockall, "enters no pages"),
    CALL(munlockall),
    PART(prctl, "seccomp, PR_SET_MM, speculation, per-thread TSC faults"),
    PART(arch_prctl, "CPUID faulting, AMX permission"),
    PART(setrlimit, "obeyed are CPU, FSIZE, NPROC, NOFILE, STACK, MEMLOCK, SIGPENDING and NICE"),
    CALL(sync),
    CALL(gettid),
    CALL(readahead),
    REFUSE(setxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(lsetxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(fsetxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(getxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(lgetxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(fgetxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(listxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(llistxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(flistxattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(removexattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(lremovexattr, no_attributes, "EOPNOTSUPP: files have none"),
    REFUSE(fremovexattr, no_attributes, "EOPNOTSUPP: files have none"),
    CALL(tkill),
    CALL(time),
    PART(futex, "priorities are not inherited: all tasks take turns alike"),
    CALL(sched_setaffinity),
    CALL(sched_getaffinity),
    CALL(epoll_create),
    CALL(getdents64),
    CALL(set_tid_address),
    CALL(semtimedop),
    CALL(fadvise64),
    PART(timer_create, "the alarm clocks (EOPNOTSUPP)"),
    CALL(timer_settime),
    CALL(timer_gettime),
    CALL(timer_getoverrun),
    CALL(timer_delete),
    PART(clock_settime, "time cannot be set (EPERM)"),
    CALL(clock_gettime),
    CALL(clock_getres),
    CALL(clock_nanosleep),
    CALL(exit_group),
    CALL(epoll_wait),
    PART(epoll_ctl, "EPOLLEXCLUSIVE wakes all who wait"),
    CALL(tgkill),
    CALL(utimes),
    PART(waitid, "system time is told from the first question on"),
    PART(openat, "O_TMPFILE"),
    CALL(mkdirat),
    CALL(mknodat),
    CALL(fchownat),
    CALL(futimesat),
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
    CALL(set_robust_list),
    CALL(get_robust_list),
    PART(splice, "pipes, regular files and trace_pipe_raw only: EINVAL elsewhere"),
    CALL(tee),
    PART(vmsplice, "SPLICE_F_GIFT: pages are copied"),
    CALL(sync_file_range),
    CALL(utimensat),
    CALL(epoll_pwait),
    CALL(signalfd),
    CALL(timerfd_create),
    CALL(eventfd),
    CALL(inotify_init),
    PART(inotify_add_watch, "IN_UNMOUNT"),
    CALL(inotify_rm_watch),
    PART(fallocate, "FALLOC_FL_COLLAPSE_RANGE, ZERO_RANGE, INSERT_RANGE, UNSHARE_RANGE"),
    CALL(timerfd_settime),
    CALL(timerfd_gettime),
    CALL(accept4),
    CALL(signalfd4),
    CALL(inotify_init1),
    CALL(eventfd2),
    CALL(epoll_create1),
    CALL(dup3),
    CALL(pipe2),
    CALL(preadv),
    CALL(pwritev),
    CALL(rt_tgsigqueueinfo),
    PART(bpf, "see docs/tracing.md"),
    PART(perf_event_open, "see docs/perf-events.md"),
    CALL(recvmmsg),
    PART(prlimit64, "obeyed are CPU, FSIZE, NPROC, NOFILE, STACK, MEMLOCK, SIGPENDING and NICE"),
    ALIAS(syncfs, fsync),
    CALL(sendmmsg),
    CALL(getcpu),
    CALL(process_vm_readv),
    CALL(process_vm_writev),
    PART(sched_setattr,
	 "kept and told, but all tasks take turns alike; SCHED_DEADLINE, utilisation clamps"),
    CALL(sched_getattr),
    CALL(renameat2),
    CALL(getrandom),
    PART(memfd_create, "MFD_HUGETLB"),
    CALL(execveat),
    CALL(membarrier),
    CALL(mlock2),
    CALL(copy_file_range),
    CALL(preadv2),
    CALL(pwritev2),
    CALL(statx),
    CALL(rseq),
    CALL(pidfd_send_signal),
    CALL(pidfd_open),
    PART(clone3, "namespaces but those of names, CLONE_INTO_CGROUP, set_tid"),
    CALL(close_range),
    CALL(faccessat2),
    CALL(epoll_pwait2),
    CALL(futex_waitv),
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
    [__NR_preadv2] = RESTART_SA,
    [__NR_pwritev2] = RESTART_SA,
    [__NR_recvmmsg] = RESTART_SA,
    [__NR_splice] = RESTART_SA,
    [__NR_tee] = RESTART_SA,
    [__NR_vmsplice] = RESTART_SA,
    [__NR_sendmmsg] = RESTART_SA,
    [__NR_flock] = RESTART_SA,
    [__NR_fcntl] = RESTART_SA,
    [__NR_futex] = RESTART_SA,
    [__NR_futex_waitv] = RESTART_SA,
    [__NR_rt_sigtimedwait] = RESTART_NEVER,
    [__NR_semop] = RESTART_NEVER,
    [__NR_semtimedop] = RESTART_NEVER,
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

typedef long call_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

long syscall_dispatch(struct frame *frame)
{
	uint32_t number = (uint32_t)frame->error;
	call_fn *call = number < NR_SYSCALLS ? (call_fn *)syscall_table[number] : NULL;

	if (!call)
		return syscall_unknown(number);
	return call(frame->rdi, frame->rsi, frame->rdx, frame->r10, frame->r8, frame->r9);
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
