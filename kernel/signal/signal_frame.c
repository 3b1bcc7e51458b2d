/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame of a signal handler on the user's stack, and the return from it: Linux's rt_sigframe
 * for x86-64. */
#include <asm/sigcontext.h>
#include <asm/ucontext.h>
#include <linux/errno.h>
#include <linux/signal.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/string.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/signal/signal_frame.h"

#define RED_ZONE       128       /* below the stack pointer, the program's own (psABI) */
#define FLAGS_RESTORED 0x50dd5ul /* RFLAGS that sigreturn takes: AC RF OF DF TF SF ZF AF PF CF */
#define FLAGS_CLEARED  0x10500ul /* RFLAGS that a handler starts without: RF DF TF */
#define SW_RESERVED    464       /* offset of struct _fpx_sw_bytes in the FXSAVE area */

struct signal_frame {
	uint64_t return_address;
	struct ucontext context;
	siginfo_t info;
};

_Static_assert(sizeof(struct sigcontext) == 256, "Linux's asm/sigcontext.h");
_Static_assert(sizeof(siginfo_t) == 128, "Linux's asm-generic/siginfo.h");
_Static_assert(offsetof(struct signal_frame, info) == 8 + 304, "where libunwind and gdb look");

/* Returns the size of the vector state in the frame: the XSAVE area and a magic word. */
static size_t state_bytes(void)
{
	return fpu_size() + (fpu_components() ? FP_XSTATE_MAGIC2_SIZE : 0);
}

size_t signal_frame_bytes(void)
{
	return sizeof(struct signal_frame) + state_bytes() + FPU_ALIGN + 16;
}

static bool on_altstack(const struct task *task, uint64_t rsp)
{
	return !(task->altstack_flags & SS_AUTODISARM) && rsp > task->altstack &&
	       rsp - task->altstack <= task->altstack_bytes;
}

/* Returns the address below which the frame is built. */
static uint64_t stack_start(const struct task *task, const struct frame *frame,
			    const struct signal_action *action)
{
	if (action->flags & SA_ONSTACK && task->altstack_bytes && !on_altstack(task, frame->rsp))
		return task->altstack + task->altstack_bytes;
	return frame->rsp - RED_ZONE;
}

/* Stores the vector registers at `to` (aligned), and resets them for the handler. */
static bool push_state(struct task *task, uint64_t to)
{
	struct _fpx_sw_bytes software = {
	    .magic1 = FP_XSTATE_MAGIC1,
	    .extended_size = (uint32_t)state_bytes(),
	    .xfeatures = fpu_components(),
	    .xstate_size = fpu_size(),
	};
	const uint32_t magic2 = FP_XSTATE_MAGIC2;
	bool extended = fpu_components() != 0;

	fpu_save(task->fpu);
	memset((char *)task->fpu + SW_RESERVED, 0, sizeof(software));
	if (extended)
		memcpy((char *)task->fpu + SW_RESERVED, &software, sizeof(software));
	if (copy_to_user(to, task->fpu, fpu_size()))
		return false;
	if (extended && copy_to_user(to + fpu_size(), &magic2, sizeof(magic2)))
		return false;
	fpu_init_state(task->fpu);
	fpu_load(task->fpu);
	return true;
}

static void fill_registers(struct sigcontext *to, const struct frame *frame,
			   const struct task *task)
{
	to->r8 = frame->r8;
	to->r9 = frame->r9;
	to->r10 = frame->r10;
	to->r11 = frame->r11;
	to->r12 = frame->r12;
	to->r13 = frame->r13;
	to->r14 = frame->r14;
	to->r15 = frame->r15;
	to->rdi = frame->rdi;
	to->rsi = frame->rsi;
	to->rbp = frame->rbp;
	to->rbx = frame->rbx;
	to->rdx = frame->rdx;
	to->rax = frame->rax;
	to->rcx = frame->rcx;
	to->rsp = frame->rsp;
	to->rip = frame->rip;
	to->eflags = frame->rflags;
	to->cs = (uint16_t)frame->cs;
	to->ss = (uint16_t)frame->ss;
	to->err = task->fault_error;
	to->trapno = task->fault_trap;
	to->cr2 = task->fault_address;
}

bool signal_frame_push(struct frame *frame, const struct signal_action *action,
		       const siginfo_t *info, uint64_t mask)
{
	struct task *task = current_task();
	uint64_t start = stack_start(task, frame, action), state, at;
	struct signal_frame user = {.return_address = action->restorer, .info = *info};
	bool alternate =
	    start == task->altstack + task->altstack_bytes && start != frame->rsp - RED_ZONE;

	if (!(action->flags & SA_RESTORER))
		return false;
	state = (start - state_bytes()) & -(uint64_t)FPU_ALIGN;
	at = ((state - sizeof(user)) & ~15ul) - 8;
	if (alternate && (at < task->altstack || at > start))
		return false;
	user.context.uc_flags =
	    UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS | (fpu_components() ? UC_FP_XSTATE : 0);
	user.context.uc_stack.ss_sp = (void *)task->altstack;
	user.context.uc_stack.ss_flags = (int)task->altstack_flags;
	user.context.uc_stack.ss_size = task->altstack_bytes;
	fill_registers(&user.context.uc_mcontext, frame, task);
	user.context.uc_mcontext.oldmask = mask;
	user.context.uc_mcontext.fpstate = (void *)state;
	memcpy(&user.context.uc_sigmask, &mask, sizeof(mask));
	if (!push_state(task, state) || copy_to_user(at, &user, sizeof(user)))
		return false;
	if (task->altstack_flags & SS_AUTODISARM) {
		task->altstack = task->altstack_bytes = 0;
		task->altstack_flags = SS_DISABLE;
	}
	frame->rdi = (uint64_t)info->si_signo;
	frame->rsi = at + offsetof(struct signal_frame, info);
	frame->rdx = at + offsetof(struct signal_frame, context);
	frame->rax = 0;
	frame->rip = action->handler;
	frame->rsp = at;
	frame->cs = USER_CS;
	frame->ss = USER_SS;
	frame->rflags &= ~FLAGS_CLEARED;
	frame->vector = 0;
	return true;
}

static void take_registers(struct frame *frame, const struct sigcontext *from)
{
	frame->r8 = from->r8;
	frame->r9 = from->r9;
	frame->r10 = from->r10;
	frame->r11 = from->r11;
	frame->r12 = from->r12;
	frame->r13 = from->r13;
	frame->r14 = from->r14;
	frame->r15 = from->r15;
	frame->rdi = from->rdi;
	frame->rsi = from->rsi;
	frame->rbp = from->rbp;
	frame->rbx = from->rbx;
	frame->rdx = from->rdx;
	frame->rax = from->rax;
	frame->rcx = from->rcx;
	frame->rsp = from->rsp;
	frame->rip = from->rip;
	frame->rflags = (frame->rflags & ~FLAGS_RESTORED) | (from->eflags & FLAGS_RESTORED);
	frame->cs = from->cs | 3u;
	frame->ss = from->ss | 3u;
	frame->vector = 0;
}

/* Copies the frame's vector state to the task's area; resets it if there is none. */
static bool read_state(struct task *task, uint64_t from)
{
	struct _fpx_sw_bytes software;

	fpu_init_state(task->fpu);
	if (!from)
		return true;
	if (copy_from_user(&software, from + SW_RESERVED, sizeof(software)))
		return false;
	if (fpu_components() && software.magic1 == FP_XSTATE_MAGIC1 &&
	    software.xstate_size == fpu_size())
		return !copy_from_user(task->fpu, from, fpu_size());
	/* The handler wrote only the FXSAVE part. */
	if (copy_from_user(task->fpu, from, SW_RESERVED))
		return false;
	if (fpu_components())
		*((uint64_t *)task->fpu + 64) |= 3; /* XSTATE_BV: x87 and SSE are in use */
	return true;
}

/* Loads the vector registers from the frame. If they cannot be read or loaded, resets the task's
 * area: XSAVE would keep parts of the rejected state. */
static bool pop_state(struct task *task, uint64_t from)
{
	if (read_state(task, from) && fpu_load(task->fpu))
		return true;
	fpu_init_state(task->fpu);
	fpu_load(task->fpu);
	return false;
}

bool signal_frame_pop(struct frame *frame)
{
	struct task *task = current_task();
	struct signal_frame user;
	uint64_t mask;

	/* The handler's RET has popped the return address. */
	if (copy_from_user(&user, frame->rsp - 8, sizeof(user)))
		return false;
	memcpy(&mask, &user.context.uc_sigmask, sizeof(mask));
	take_registers(frame, &user.context.uc_mcontext);
	if (!pop_state(task, (uint64_t)user.context.uc_mcontext.fpstate))
		return false;
	signal_set_altstack(task, &user.context.uc_stack);
	signal_set_blocked(mask);
	return true;
}

int signal_set_altstack(struct task *task, const stack_t *stack)
{
	uint32_t flags = (uint32_t)stack->ss_flags, mode = flags & ~SS_AUTODISARM;

	if (on_altstack(task, task_user_frame(task)->rsp))
		return -EPERM;
	if (mode != 0 && mode != SS_DISABLE && mode != SS_ONSTACK)
		return -EINVAL;
	if (mode == SS_DISABLE) {
		task->altstack = task->altstack_bytes = 0;
	} else {
		if (stack->ss_size < MINSIGSTKSZ)
			return -ENOMEM;
		task->altstack = (uint64_t)stack->ss_sp;
		task->altstack_bytes = stack->ss_size;
	}
	task->altstack_flags = flags;
	return 0;
}

void signal_get_altstack(const struct task *task, stack_t *stack)
{
	memset(stack, 0, sizeof(*stack));
	stack->ss_sp = (void *)task->altstack;
	stack->ss_size = task->altstack_bytes;
	stack->ss_flags = !task->altstack_bytes ? SS_DISABLE
			  : on_altstack(task, task_user_frame(task)->rsp)
			      ? SS_ONSTACK
			      : (int)(task->altstack_flags & SS_AUTODISARM);
}
