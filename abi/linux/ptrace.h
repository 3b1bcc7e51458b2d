/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests, options and events of ptrace(). */
#ifndef ABI_LINUX_PTRACE_H
#define ABI_LINUX_PTRACE_H

#include <asm/ptrace.h>
#include <linux/types.h>

#define PTRACE_TRACEME          0
#define PTRACE_PEEKTEXT         1
#define PTRACE_PEEKDATA         2
#define PTRACE_PEEKUSR          3
#define PTRACE_POKETEXT         4
#define PTRACE_POKEDATA         5
#define PTRACE_POKEUSR          6
#define PTRACE_CONT             7
#define PTRACE_KILL             8
#define PTRACE_SINGLESTEP       9
#define PTRACE_ATTACH           16
#define PTRACE_DETACH           17
#define PTRACE_SYSCALL          24
#define PTRACE_SETOPTIONS       0x4200
#define PTRACE_GETEVENTMSG      0x4201
#define PTRACE_GETSIGINFO       0x4202
#define PTRACE_SETSIGINFO       0x4203
#define PTRACE_GETREGSET        0x4204
#define PTRACE_SETREGSET        0x4205
#define PTRACE_SEIZE            0x4206
#define PTRACE_INTERRUPT        0x4207
#define PTRACE_LISTEN           0x4208
#define PTRACE_PEEKSIGINFO      0x4209
#define PTRACE_GETSIGMASK       0x420a
#define PTRACE_SETSIGMASK       0x420b
#define PTRACE_GET_SYSCALL_INFO 0x420e

#define PTRACE_EVENTMSG_SYSCALL_ENTRY 1
#define PTRACE_EVENTMSG_SYSCALL_EXIT  2

#define PTRACE_EVENT_FORK       1
#define PTRACE_EVENT_VFORK      2
#define PTRACE_EVENT_CLONE      3
#define PTRACE_EVENT_EXEC       4
#define PTRACE_EVENT_VFORK_DONE 5
#define PTRACE_EVENT_EXIT       6
#define PTRACE_EVENT_STOP       128

#define PTRACE_O_TRACESYSGOOD    1
#define PTRACE_O_TRACEFORK       0x2
#define PTRACE_O_TRACEEXEC       0x10
#define PTRACE_O_TRACEEXIT       0x40
#define PTRACE_O_EXITKILL        0x100000
#define PTRACE_O_SUSPEND_SECCOMP 0x200000
#define PTRACE_O_MASK            0x3000ff

#define PTRACE_SYSCALL_INFO_ENTRY 1
#define PTRACE_SYSCALL_INFO_EXIT  2

struct ptrace_peeksiginfo_args {
	__u64 off;
	__u32 flags;
	__s32 nr;
};

struct ptrace_syscall_info {
	__u8 op;
	__u8 pad[3];
	__u32 arch;
	__u64 instruction_pointer, stack_pointer;
	union {
		struct {
			__u64 nr, args[6];
		} entry;
		struct {
			__s64 rval;
			__u8 is_error;
		} exit;
		struct {
			__u64 nr, args[6];
			__u32 ret_data;
		} seccomp;
	};
};

#endif
