/* SPDX-License-Identifier: BSD-2-Clause */
/* Each task has a queue of objects that end. */
#include "kernel/task/ending.h"
#include "kernel/task/task.h"

void ending_run(struct ending *ending, void (*end)(struct ending *ending))
{
	struct task *task = current_task();

	ending->next = NULL;
	ending->end = end;
	if (!task) { /* at start */
		end(ending);
		return;
	}
	if (task->last_ending) {
		task->last_ending->next = ending;
		task->last_ending = ending;
		return;
	}
	task->last_ending = ending;
	while (ending) {
		struct ending head = {.next = NULL};

		/* The object goes with its member: what comes after it is queued at `head`. */
		if (task->last_ending == ending)
			task->last_ending = &head;
		else
			head.next = ending->next;
		ending->end(ending);
		ending = head.next;
	}
	task->last_ending = NULL;
}
