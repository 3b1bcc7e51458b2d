/* SPDX-License-Identifier: BSD-2-Clause */
/* Barriers on all processors that run a process: membarrier(2). */
#include <linux/errno.h>
#include <linux/membarrier.h>
#include "api/calls.h"
#include "arch/x86/trap/remote.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

#define EXPEDITED                                                             \
	(MEMBARRIER_CMD_GLOBAL_EXPEDITED | MEMBARRIER_CMD_PRIVATE_EXPEDITED | \
	 MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE)
#define REGISTER(command) ((command) << 1)
#define KNOWN             (MEMBARRIER_CMD_GLOBAL | EXPEDITED | REGISTER(EXPEDITED))

/* The interrupt that leads here, and its IRET, are the barrier. */
static void interrupted(void *argument)
{
	(void)argument;
}

long sys_membarrier(uint64_t command64, uint64_t flags)
{
	int command = (int)command64;
	struct mm *mm = current_task()->mm;

	if (flags || (command & ~KNOWN) || (command & (command - 1)))
		return -EINVAL;
	if (command == MEMBARRIER_CMD_QUERY)
		return KNOWN;
	if (command & REGISTER(EXPEDITED)) {
		mm->barriers |= (uint32_t)command;
		return 0;
	}
	if (command &
		(MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) &&
	    !(mm->barriers & (uint32_t)REGISTER(command)))
		return -EPERM;
	if (nr_cpus > 1)
		remote_call_mask(cpus_online(), interrupted, NULL);
	return 0;
}
