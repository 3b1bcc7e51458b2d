/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/ring0: a privileged program calls its code in ring 0; an exception ends the call and is
 * reported. */
#include <linux/capability.h>
#include <linux/errno.h>
#include "abi/ring0.h"
#include "arch/x86/trap/trial.h"
#include "kernel/device/ring0.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/time/timer.h"

#define STACK_ALIGN 16

static int open_ring0(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

/* Copies the registers in the order of enum ring0_register. */
static void report_registers(struct ring0_call *call, const struct frame *f)
{
	const uint64_t registers[RING0_REGISTERS] = {
	    f->rax, f->rcx, f->rdx, f->rbx, f->rsp, f->rbp, f->rsi, f->rdi,
	    f->r8,  f->r9,  f->r10, f->r11, f->r12, f->r13, f->r14, f->r15,
	};

	for (unsigned i = 0; i < RING0_REGISTERS; i++)
		call->registers[i] = registers[i];
}

static void ring0_report(struct ring0_call *call, const struct trial *trial)
{
	const struct frame *frame = &trial->frame;

	call->ended = RING0_RETURNED;
	call->value = trial->value;
	if (!trial->ended)
		return;
	call->ended = (uint32_t)frame->vector;
	call->error = (uint32_t)frame->error;
	call->rip = frame->rip;
	call->rflags = frame->rflags;
	call->cr2 = trial->cr2;
	report_registers(call, frame);
}

/* True if the addresses are in user space; the memory there is the program's responsibility. */
static bool sensible(const struct ring0_call *call)
{
	return call->code < USER_END && call->argument < USER_END && call->stack < USER_END &&
	       call->stack && call->stack % STACK_ALIGN == 0;
}

static long ring0_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	struct ring0_call call;
	struct trial trial;

	(void)file;
	if (command != RING0_CALL)
		return -ENOTTY;
	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (copy_from_user(&call, argument, sizeof(call)))
		return -EFAULT;
	if (!sensible(&call))
		return -EINVAL;
	trial = (struct trial){.code = call.code, .argument = call.argument, .stack = call.stack};
	trial_run(&trial);
	timers_renew();
	ring0_report(&call, &trial);
	return copy_to_user(argument, &call, sizeof(call)) ? -EFAULT : 0;
}

const struct file_ops ring0_ops = {.ioctl = ring0_ioctl};
const struct inode_ops ring0_inode_ops = {.open = open_ring0};
