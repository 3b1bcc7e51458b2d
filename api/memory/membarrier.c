/* SPDX-License-Identifier: BSD-2-Clause */
/* Barriers on all processors that run a process, and restartable sequences: membarrier(2),
 * rseq(2). */
#include <linux/errno.h>
#include <linux/membarrier.h>
#include <linux/rseq.h>
#include "api/calls.h"
#include "arch/x86/trap/remote.h"
#include "kernel/process/rseq.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

#define EXPEDITED                                                             \
	(MEMBARRIER_CMD_GLOBAL_EXPEDITED | MEMBARRIER_CMD_PRIVATE_EXPEDITED | \
	 MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE | MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ)
#define REGISTER(command) ((command) << 1)
#define KNOWN             (MEMBARRIER_CMD_GLOBAL | EXPEDITED | REGISTER(EXPEDITED))

/* The interrupt and its IRET are the barrier. */
static void interrupted(void *argument)
{
	(void)argument;
}

/* Synchronises, and aborts a restartable sequence (rseq(2)) of a thread of the process. */
static void restarted(void *mm)
{
	struct task *task = current_task();

	if (task->mm != mm || !task->rseq)
		return;
	rseq_force(task);
	this_cpu()->return_work = 1;
}

long sys_membarrier(uint64_t command64, uint64_t flags)
{
	int command = (int)command64;
	struct mm *mm = current_task()->mm;

	if ((flags && (flags != MEMBARRIER_CMD_FLAG_CPU ||
		       command != MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ)) ||
	    (command & ~KNOWN) || (command & (command - 1)))
		return -EINVAL;
	if (command == MEMBARRIER_CMD_QUERY)
		return KNOWN;
	if (command & REGISTER(EXPEDITED)) {
		mm->barriers |= (uint32_t)command;
		return 0;
	}
	if (command &
		(MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE |
		 MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ) &&
	    !(mm->barriers & (uint32_t)REGISTER(command)))
		return -EPERM;
	if (nr_cpus > 1)
		remote_call_all(
		    command == MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ ? restarted : interrupted, mm);
	return 0;
}

long sys_rseq(uint64_t area, uint64_t bytes, uint64_t flags, uint64_t signature)
{
	if ((int)flags & ~RSEQ_FLAG_UNREGISTER)
		return -EINVAL;
	return ((int)flags ? rseq_unregister : rseq_register)(area, (uint32_t)bytes,
							      (uint32_t)signature);
}
