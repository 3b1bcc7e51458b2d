/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of tracees: struct user_regs_struct, FXSAVE's and XSAVE's images. Values from a tracer
 * are checked like the contents of a signal frame. */
#include <linux/elf.h>
#include <linux/errno.h>
#include "api/ptrace/ptrace.h"
#include "arch/x86/cpu/fpu.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/signal/syscall.h"
#include "kernel/task/task.h"

/* Indices in struct user_regs_struct. The members before ORIG_RAX are in struct frame in the same
 * order, the ones up to SS one position later. */
enum { RAX = 10, ORIG_RAX = 15, RIP, CS, EFLAGS, RSP, SS, FS_BASE, GS_BASE, DS };

_Static_assert(offsetof(struct frame, rax) == RAX * 8 &&
		   offsetof(struct frame, rip) == (RIP + 1) * 8 &&
		   offsetof(struct frame, ss) == (SS + 1) * 8,
	       "the order of both");

#define FLAGS_WRITABLE 0x50dd5ul /* as sigreturn: AC RF OF DF TF SF ZF AF PF CF */

/* The result that Linux shows for a call interrupted by a signal: it encodes how to restart. */
enum {
	RESTART_BY_ACTION = -512,
	RESTART_NO_INTERRUPT = -513,
	RESTART_NO_HANDLER = -514,
	RESTART_BLOCK = -516
};

static bool is_interrupted(const struct frame *frame)
{
	return frame->vector == FRAME_SYSCALL && frame->rax == (uint64_t)-EINTR;
}

static uint64_t shown_result(const struct task *task, const struct frame *frame)
{
	if (!is_interrupted(frame) || !syscall_continues(frame->error))
		return frame->rax;
	if (syscall_restarts(frame->error))
		return (uint64_t)(int64_t)RESTART_BY_ACTION;
	return (uint64_t)(int64_t)(task->deadline_ns ? RESTART_BLOCK : RESTART_NO_HANDLER);
}

/* The reverse: a result that was shown and is written back keeps its meaning. */
static void take_result(struct frame *frame)
{
	int64_t result = (int64_t)frame->rax;

	if (frame->vector == FRAME_SYSCALL && result <= RESTART_BY_ACTION &&
	    result >= RESTART_BLOCK)
		frame->rax = (uint64_t)-EINTR;
}

static uint64_t *slot(struct frame *frame, unsigned index)
{
	return (uint64_t *)frame + index + (index > ORIG_RAX);
}

uint64_t register_get(const struct task *task, unsigned index)
{
	struct frame *frame = task_user_frame(task);

	switch (index) {
	case RAX:
		return shown_result(task, frame);
	case ORIG_RAX:
		return frame->vector == FRAME_SYSCALL ? frame->error : UINT64_MAX;
	case FS_BASE:
		return task->fs_base;
	case GS_BASE:
		return task->gs_base;
	default: /* the selectors of data segments are 0 for all */
		return index < DS ? *slot(frame, index) : 0;
	}
}

/* -1 as the call's number: no call, and no restart. */
static void set_number(struct frame *frame, uint64_t number)
{
	frame->vector = (int64_t)number < 0 ? 0 : FRAME_SYSCALL;
	frame->error = number;
	take_result(frame);
}

static int set_base(uint64_t *base, uint64_t value)
{
	if (value >= USER_END)
		return -EIO;
	*base = value;
	return 0;
}

int register_set(struct task *task, unsigned index, uint64_t value)
{
	struct frame *frame = task_user_frame(task);

	switch (index) {
	case RAX:
		frame->rax = value;
		take_result(frame);
		return 0;
	case ORIG_RAX:
		set_number(frame, value);
		return 0;
	case CS:
	case SS:
		if (value > UINT16_MAX || (value & 3) != 3)
			return -EIO;
		break;
	case EFLAGS:
		value = (frame->rflags & ~FLAGS_WRITABLE) | (value & FLAGS_WRITABLE);
		break;
	case FS_BASE:
		return set_base(&task->fs_base, value);
	case GS_BASE:
		return set_base(&task->gs_base, value);
	default:
		if (index >= DS)
			return value ? -EIO : 0;
	}
	*slot(frame, index) = value;
	return 0;
}

static void general_read(struct task *task, void *image)
{
	for (unsigned i = 0; i < USER_REGISTERS; i++)
		((uint64_t *)image)[i] = register_get(task, i);
}

static int general_write(struct task *task, const void *image, uint64_t bytes)
{
	int err = 0;

	for (unsigned i = 0; i < bytes / sizeof(uint64_t) && !err; i++)
		err = register_set(task, i, ((const uint64_t *)image)[i]);
	return err;
}

static void vector_read(struct task *task, void *image)
{
	fpu_image_read(task->fpu, image);
}

static int legacy_write(struct task *task, const void *image, uint64_t bytes)
{
	(void)bytes;
	return fpu_legacy_write(task->fpu, image) ? 0 : -EINVAL;
}

static int vector_write(struct task *task, const void *image, uint64_t bytes)
{
	return bytes == fpu_size() && fpu_image_write(task->fpu, image) ? 0 : -EINVAL;
}

struct regset {
	uint32_t type, unit; /* NT_*; lengths are multiples of */
	uint32_t bytes;      /* 0: fpu_size() */
	void (*read)(struct task *task, void *image);
	int (*write)(struct task *task, const void *image, uint64_t bytes);
};

static const struct regset regsets[] = {
    {NT_PRSTATUS, 8, USER_REGISTERS * 8, general_read, general_write},
    {NT_PRFPREG, 8, FXSAVE_BYTES, vector_read, legacy_write},
    {NT_X86_XSTATE, 8, 0, vector_read, vector_write},
};

static const struct regset *find(uint32_t type)
{
	for (unsigned i = 0; i < sizeof(regsets) / sizeof(regsets[0]); i++)
		if (regsets[i].type == type && (type != NT_X86_XSTATE || fpu_components()))
			return &regsets[i];
	return NULL;
}

/* Allocates a buffer for any set, filled with the tracee's registers; *bytes is cut to its size.
 * NULL with *err set. */
static void *prepare(struct task *task, const struct regset *set, uint64_t *bytes, int *err)
{
	uint64_t whole = set && set->bytes ? set->bytes : fpu_size();
	void *image = NULL;

	*err = -EINVAL;
	if (!set || *bytes % set->unit)
		return NULL;
	*err = -ENOMEM;
	image = kalloc(fpu_size() > whole ? fpu_size() : whole);
	if (!image)
		return NULL;
	set->read(task, image);
	*bytes = *bytes < whole ? *bytes : whole;
	*err = 0;
	return image;
}

int regset_get(struct task *task, uint32_t type, uint64_t user, uint64_t *bytes)
{
	int err;
	void *image = prepare(task, find(type), bytes, &err);

	if (!image)
		return err;
	err = copy_to_user(user, image, *bytes);
	kfree(image);
	return err;
}

int regset_set(struct task *task, uint32_t type, uint64_t user, uint64_t *bytes)
{
	const struct regset *set = find(type);
	int err;
	void *image = prepare(task, set, bytes, &err);

	if (!image)
		return err;
	err = copy_from_user(image, user, *bytes);
	if (!err)
		err = set->write(task, image, *bytes);
	kfree(image);
	return err;
}
