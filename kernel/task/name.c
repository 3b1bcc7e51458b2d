/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets names of tasks. A separate file, so that calls are not inlined: trace/functions.c probes the
 * function. */
#include "kernel/base/patched.h"
#include "kernel/base/string.h"
#include "kernel/task/task.h"

void task_name(char name[TASK_NAME], const char *text)
{
	memset(name, 0, TASK_NAME);
	strlcpy(name, text, TASK_NAME);
}

PATCHED_FUNCTION void task_rename(struct task *task, const char name[TASK_NAME])
{
	__builtin_memcpy(task->comm, name, TASK_NAME);
}
