/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of ring 3 become signals. */
#include "arch/x86/cpu/debug.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/cmdline.h"
#include "kernel/mem/user.h"
#include "kernel/process/init.h"
#include "kernel/process/trace.h"
#include "kernel/signal/signal.h"
#include "kernel/vm/vm.h"

#define FLOAT_ERRORS 0x3f /* invalid, denormal, divide, overflow, underflow, precision */

/* The units' state in FXSAVE's image. */
struct float_state {
	uint16_t control, status;
	uint8_t other[20];
	uint32_t mxcsr;
};

/* Returns the unmasked exceptions that the current task's x87 or SSE unit has raised. */
static uint32_t float_raised(bool sse)
{
	const struct float_state *state = current_task()->fpu;

	fpu_save(current_task()->fpu);
	if (sse)
		return state->mxcsr & ~(state->mxcsr >> 7) & FLOAT_ERRORS;
	return state->status & ~(uint32_t)state->control & FLOAT_ERRORS;
}

/* Returns the code of an x87 or SSE error: both have the same bit order. */
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

/* gem5's pseudo-instructions are 0FH 04H and a number of 16 bits, undefined on processors. With
 * m5=skip they do nothing and give 0, so that programs made for gem5 run: the simulator takes them
 * as marks. */
static bool skip_m5(struct frame *frame)
{
	uint8_t code[4];

	if (!cmdline_is("m5", "skip") || copy_from_user(code, frame->rip, sizeof(code)) ||
	    code[0] != 0x0f || code[1] != 0x04)
		return false;
	frame->rip += sizeof(code);
	frame->rax = 0;
	return true;
}

static void exception(struct frame *frame, unsigned vector, uint64_t address)
{
	if (vector == EXCEPTION_UD && skip_m5(frame))
		return;
	switch (vector) {
	case EXCEPTION_DE:
		signal_fault(SIGFPE, FPE_INTDIV, frame->rip, vector);
		break;
	case EXCEPTION_MF:
		signal_fault(SIGFPE, float_code(float_raised(false)), frame->rip, vector);
		break;
	case EXCEPTION_XM:
		signal_fault(SIGFPE, float_code(float_raised(true)), frame->rip, vector);
		break;
	case EXCEPTION_DB:
		trace_hide_step(frame); /* a program's own flag stays: it steps on */
		signal_fault(SIGTRAP, address & DR6_SINGLE_STEP ? TRAP_TRACE : TRAP_HWBKPT,
			     frame->rip, vector);
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
	tracees_init();
}
