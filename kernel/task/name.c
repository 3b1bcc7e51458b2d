/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of tasks. Of its own, so that each caller calls it: trace/functions.c probes it. */
#include "kernel/base/patched.h"
#include "kernel/base/string.h"
#include "kernel/task/task.h"

PATCHED_FUNCTION void task_rename(struct task *task, const char *name)
{
	memset(task->comm, 0, sizeof(task->comm));
	strlcpy(task->comm, name, sizeof(task->comm));
}
