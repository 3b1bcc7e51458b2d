/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Return probes of ring 3: functions return to a trampoline, a breakpoint in an area of the address
 * space. Each task has a stack of pending returns; entries that longjmp(3) or execve(2) skipped are
 * dropped when they are found.
 */
#include <linux/errno.h>
#include <linux/signal.h>
#include "arch/x86/trap/traps.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"
#include "trace/probe/user/area.h"
#include "trace/probe/user/returns.h"
#include "trace/probe/user/uprobe_hooks.h"

#define DEPTH_MAX 64 /* as on Linux: deeper calls are not reported */

/* One call. */
struct pending_return {
	struct pending_return *outer;
	struct uprobe *probe;           /* referenced */
	uint64_t function, back, stack; /* location of its return address */
	uint64_t mm;                    /* its serial */
};

static void pop(struct task *task)
{
	struct pending_return *top = task->returns;

	task->returns = top->outer;
	uprobe_put(top->probe);
	kfree(top);
	uprobe_hooks_drop();
}

static bool is_left(const struct task *task, uint64_t stack)
{
	return task->returns->mm != task->mm->serial || task->returns->stack < stack;
}

static unsigned depth(const struct task *task)
{
	unsigned nr = 0;

	for (const struct pending_return *at = task->returns; at; at = at->outer)
		nr++;
	return nr;
}

static int push(struct task *task, const struct pending_return *call)
{
	struct pending_return *top = kalloc(sizeof(*top));

	if (!top)
		return -ENOMEM;
	*top = *call;
	top->outer = task->returns;
	task->returns = top;
	uprobe_get(top->probe);
	uprobe_hooks_use();
	return 0;
}

void returns_push(struct uprobe *probe, const struct frame *frame, uint64_t function,
		  uint64_t trampoline)
{
	struct task *task = current_task();
	struct pending_return call = {
	    .probe = probe, .function = function, .stack = frame->rsp, .mm = task->mm->serial};
	bool jumped;

	if (copy_from_user(&call.back, frame->rsp, sizeof(call.back)))
		return;
	/* A function entered by a jump returns where its caller does: to the trampoline. */
	jumped = area_is_trampoline(task->mm, call.back);
	while (task->returns && is_left(task, frame->rsp + !jumped))
		pop(task);
	if (depth(task) >= DEPTH_MAX || push(task, &call))
		return;
	if (copy_to_user(frame->rsp, &trampoline, sizeof(trampoline)))
		pop(task);
}

/* Returns the outermost of the functions that return together: one may have tail-called the
 * next. */
static const struct pending_return *last_of(const struct pending_return *top)
{
	while (top->outer && top->outer->stack == top->stack && top->outer->mm == top->mm)
		top = top->outer;
	return top;
}

void returns_hit(struct frame *frame, uint64_t address)
{
	struct task *task = current_task();
	uint64_t stack = frame->rsp - sizeof(uint64_t);

	while (task->returns && is_left(task, stack))
		pop(task);
	if (!task->returns || task->returns->stack != stack) {
		signal_fault(SIGILL, ILL_ILLOPN, address, frame->vector);
		return;
	}
	frame->rip = last_of(task->returns)->back;
	while (task->returns && task->returns->stack == stack) {
		struct pending_return *top = task->returns;

		uprobe_emit(top->probe, frame, top->function, true);
		pop(task);
	}
}

/* Outermost first. */
static int copy_calls(struct task *child, const struct pending_return *call)
{
	struct pending_return copy;
	int err = call->outer ? copy_calls(child, call->outer) : 0;

	if (err || call->mm != current_task()->mm->serial)
		return err;
	copy = *call;
	copy.mm = child->mm->serial;
	return push(child, &copy);
}

int returns_copy(struct task *child)
{
	return current_task()->returns ? copy_calls(child, current_task()->returns) : 0;
}

void returns_free(struct task *task)
{
	while (task->returns)
		pop(task);
}
