/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of ring 3 become signals. */
#include "arch/x86/cpu.h"
#include "arch/x86/traps.h"
#include "kernel/init.h"
#include "kernel/signal.h"
#include "kernel/vm.h"

#define DR6_SINGLE_STEP (1u << 14)
#define RFLAGS_TF       (1u << 8)

/* The code of an integer or x87 or SSE error: flags and masks have the same order in both. */
static int float_code(uint32_t raised)
{
	if (raised & 1)
		return FPE_FLTINV;
	if (raised & 4)
		return FPE_FLTDIV;
	if (raised & 8)
		return FPE_FLTOVF;
	if (raised & (2 | 16))
		return FPE_FLTUND;
	return raised & 32 ? FPE_FLTRES : 0;
}

static void exception(struct frame *frame, unsigned vector, uint64_t address)
{
	switch (vector) {
	case EXCEPTION_DE:
		signal_fault(SIGFPE, FPE_INTDIV, frame->rip, vector);
		break;
	case EXCEPTION_MF:
		signal_fault(SIGFPE, float_code(x87_raised()), frame->rip, vector);
		break;
	case EXCEPTION_XM:
		signal_fault(SIGFPE, float_code(sse_raised()), frame->rip, vector);
		break;
	case EXCEPTION_DB:
		frame->rflags &= ~(uint64_t)RFLAGS_TF;
		signal_fault(SIGTRAP, address & DR6_SINGLE_STEP ? TRAP_TRACE : TRAP_HWBKPT, frame->rip, vector);
		break;
	case EXCEPTION_BP:
		signal_fault(SIGTRAP, SI_KERNEL, 0, vector);
		break;
	case EXCEPTION_UD:
		signal_fault(SIGILL, ILL_ILLOPN, frame->rip, vector);
		break;
	case EXCEPTION_AC:
		signal_fault(SIGBUS, BUS_ADRALN, 0, vector);
		break;
	case EXCEPTION_SS:
	case EXCEPTION_NP:
		signal_fault(SIGBUS, SI_KERNEL, 0, vector);
		break;
	case EXCEPTION_PF:
		signal_fault(SIGSEGV, SEGV_MAPERR, address, vector);
		break;
	default: /* #GP, #OF, #BR, ... */
		signal_fault(SIGSEGV, SI_KERNEL, 0, vector);
	}
}

void trap_hooks_init(void)
{
	trap_hooks.page_fault = vm_page_fault;
	trap_hooks.exception = exception;
	trap_hooks.user_return = signal_user_return;
}
