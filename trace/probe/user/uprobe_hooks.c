/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks of traps and of changes of address spaces, while there are probes in programs. */
#include "arch/x86/trap/traps.h"
#include "kernel/base/hooks.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"
#include "trace/base/event.h"
#include "trace/probe/user/area.h"
#include "trace/probe/user/returns.h"
#include "trace/probe/user/uprobe_hooks.h"

static uint32_t reasons;
static struct trap_hooks plain_traps;
static struct perf_hooks plain;

/* An instruction in a slot has faulted: report its original address. */
static void show_origin(struct frame *frame)
{
	uint64_t origin = area_origin(current_task()->mm, frame->rip);

	if (origin)
		frame->rip = origin;
}

static void probed_exception(struct frame *frame, unsigned vector, uint64_t address)
{
	if (vector == EXCEPTION_BP && uprobe_breakpoint(frame))
		return;
	if (vector != EXCEPTION_BP && vector != EXCEPTION_DB)
		show_origin(frame);
	plain_traps.exception(frame, vector, address);
}

static int probed_fault(struct frame *frame, uint64_t address)
{
	int err = plain_traps.page_fault(frame, address);

	if (frame_is_user(frame) &&
	    current_task()->pending & (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS)))
		show_origin(frame);
	return err;
}

static void probed_mmap(struct vma *vma)
{
	if (plain.mmap)
		plain.mmap(vma);
	uprobe_mapped(vma);
}

/* A new thread starts elsewhere: it has no pending returns. */
static int probed_fork(struct task *child, bool thread)
{
	int err = plain.fork ? plain.fork(child, thread) : 0;

	if (!err && !thread)
		err = returns_copy(child);
	if (err)
		returns_free(child);
	return err;
}

void uprobe_hooks_use(void)
{
	if (reasons++)
		return;
	if (!plain_traps.exception)
		plain_traps = trap_hooks;
	plain = perf_hooks;
	trap_hooks.exception = probed_exception;
	trap_hooks.page_fault = probed_fault;
	perf_hooks.mmap = probed_mmap;
	perf_hooks.fork = probed_fork;
	trace_at_exit = returns_free;
	place_use(PLACE_EXIT, true);
}

/* Another processor may have hit a breakpoint that is removed now and wait for the kernel lock: the
 * trap handler stays installed for it. */
void uprobe_hooks_drop(void)
{
	if (--reasons)
		return;
	trap_hooks.page_fault = plain_traps.page_fault;
	perf_hooks.mmap = plain.mmap;
	perf_hooks.fork = plain.fork;
	place_use(PLACE_EXIT, false);
}
