/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of ptrace() for x86. */
#ifndef ABI_ASM_PTRACE_ABI_H
#define ABI_ASM_PTRACE_ABI_H

#define PTRACE_GETREGS           12
#define PTRACE_SETREGS           13
#define PTRACE_GETFPREGS         14
#define PTRACE_SETFPREGS         15
#define PTRACE_ARCH_PRCTL        30
#define PTRACE_SYSEMU            31
#define PTRACE_SYSEMU_SINGLESTEP 32
#define PTRACE_SINGLEBLOCK       33

#define PTRACE_OLDSETOPTIONS 21

#endif
