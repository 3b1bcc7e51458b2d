/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of tasks. Of its own, so that each caller calls it: trace/functions.c probes it. */
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
