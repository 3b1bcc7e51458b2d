/* SPDX-License-Identifier: BSD-2-Clause */
/* Task numbers. Context of all: task. */
#ifndef KERNEL_PIDS_H
#define KERNEL_PIDS_H

#include <stdbool.h>

struct task;

/* Returns an unused number. */
int pid_new(void);
/* True if the number is a task's, a process group's or a session's. */
bool pid_in_use(int pid);
/* Returns the number that was given out last. */
int pid_newest(void);
/* Makes the task visible to task_find(); task_hide() hides it. */
void pid_insert(struct task *task);
void task_hide(struct task *task);
/* Finds a task by tid and returns it with a reference, or NULL. */
struct task *task_find(int pid);
/* Returns the task with the lowest tid above this one, or NULL; valid until the caller sleeps. */
const struct task *task_after(int pid);
/* Changes the number of a task, visible or not. */
void task_number(struct task *task, int pid);

#endif
