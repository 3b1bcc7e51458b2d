/* SPDX-License-Identifier: BSD-2-Clause */
/* The context in a signal's frame. */
#ifndef ABI_ASM_UCONTEXT_H
#define ABI_ASM_UCONTEXT_H

#include <asm/sigcontext.h>
#include <linux/signal.h>

#define UC_FP_XSTATE         0x1
#define UC_SIGCONTEXT_SS     0x2
#define UC_STRICT_RESTORE_SS 0x4

struct ucontext {
	unsigned long uc_flags;
	struct ucontext *uc_link;
	stack_t uc_stack;
	struct sigcontext uc_mcontext;
	sigset_t uc_sigmask;
};

#endif
