/* SPDX-License-Identifier: BSD-2-Clause */
/* The system call by which tests drive the debug kernel. */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/frame.h"
#include "kernel/base/log.h"
#include "kernel/debug/audit.h"
#include "kernel/debug/break.h"
#include "kernel/debug/checks/context.h"
#include "kernel/debug/checks/fail.h"
#include "kernel/debug/checks/heap.h"
#include "kernel/debug/checks/pages.h"
#include "kernel/debug/control.h"
#include "kernel/debug/place.h"
#include "kernel/debug/replace.h"
#include "kernel/debug/victims.h"
#include "kernel/mem/account.h"
#include "kernel/mem/user.h"
#include "kernel/signal/syscall.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

static long control_count(uint64_t user)
{
	const struct task *task = current_task(), *other;
	struct heap_count heap = heap_count();
	struct debug_count counted = {
	    .small = heap.small,
	    .large = heap.large,
	    .pages = pages_count(),
	    .stacks = pages_of_stacks(),
	    .slabs = pages_of_slabs(),
	    .locked_pages = task->mm->locked_pages,
	};

	for (unsigned kind = 0; kind < NR_ACCOUNTS; kind++)
		counted.accounts += account_held(task->cred.uid.real, kind);
	list_for_each(other, &all_tasks, task_link)
		counted.tasks++;
	return copy_to_user(user, &counted, sizeof(counted));
}

static long disarm(void)
{
	const void *where;
	bool failed = fail_disarm(&where);

	if (failed)
		log_debug("check: failed for %s", place(where));
	return failed;
}

static long check_all(void)
{
	uint64_t flags;

	heap_check();
	mappings_check();
	flags = irq_save();
	events_check();
	irq_restore(flags);
	return 0;
}

static long control(uint64_t what, uint64_t first, uint64_t second)
{
	switch (what) {
	case DEBUG_THERE:
		return 1;
	case DEBUG_COUNT:
		return control_count(first);
	case DEBUG_ARM:
		fail_arm(first, second);
		return 0;
	case DEBUG_DISARM:
		return disarm();
	case DEBUG_SERIAL:
		return (long)heap_serial();
	case DEBUG_BLAME:
		heap_print_since(first);
		return 0;
	case DEBUG_CHECK:
		return check_all();
	case DEBUG_VICTIM:
		return (long)victim_address(first);
	case DEBUG_CHECKSUM:
		return victims_checksum();
	case DEBUG_BREAK:
		return break_something(first);
	case DEBUG_CONSTANT:
		return constants_checksum();
	default:
		return -EINVAL;
	}
}

REPLACE(long, syscall_unknown, uint32_t number)
{
	const struct frame *frame = task_user_frame(current_task());

	long result;

	if (number != DEBUG_CALL)
		return __real_syscall_unknown(number);
	check_call_begins("control");
	result = control(frame->rdi, frame->rsi, frame->rdx);
	check_call_ended("control");
	return result;
}
