/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of clone(), scheduling policies. */
#ifndef ABI_LINUX_SCHED_H
#define ABI_LINUX_SCHED_H

#include <linux/types.h>

#define CLONE_NEWTIME        0x80
#define CLONE_VM             0x100
#define CLONE_FS             0x200
#define CLONE_FILES          0x400
#define CLONE_SIGHAND        0x800
#define CLONE_PIDFD          0x1000
#define CLONE_PTRACE         0x2000
#define CLONE_VFORK          0x4000
#define CLONE_PARENT         0x8000
#define CLONE_THREAD         0x10000
#define CLONE_NEWNS          0x20000
#define CLONE_SYSVSEM        0x40000
#define CLONE_SETTLS         0x80000
#define CLONE_PARENT_SETTID  0x100000
#define CLONE_CHILD_CLEARTID 0x200000
#define CLONE_DETACHED       0x400000
#define CLONE_UNTRACED       0x800000
#define CLONE_CHILD_SETTID   0x1000000
#define CLONE_NEWCGROUP      0x2000000
#define CLONE_NEWUTS         0x4000000
#define CLONE_NEWIPC         0x8000000
#define CLONE_NEWUSER        0x10000000
#define CLONE_NEWPID         0x20000000
#define CLONE_NEWNET         0x40000000
#define CLONE_IO             0x80000000
#define CLONE_CLEAR_SIGHAND  0x100000000ull
#define CLONE_INTO_CGROUP    0x200000000ull

#define CSIGNAL 0xff

#define SCHED_NORMAL        0
#define SCHED_FIFO          1
#define SCHED_RR            2
#define SCHED_BATCH         3
#define SCHED_IDLE          5
#define SCHED_DEADLINE      6
#define SCHED_RESET_ON_FORK 0x40000000

#define SCHED_FLAG_RESET_ON_FORK 0x1

struct clone_args {
	__u64 flags, pidfd, child_tid, parent_tid, exit_signal;
	__u64 stack, stack_size, tls;
	__u64 set_tid, set_tid_size, cgroup;
};

#endif
