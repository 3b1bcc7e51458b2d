/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of tasks. Context of all: task. */
#ifndef KERNEL_PIDS_H
#define KERNEL_PIDS_H

struct task;

/* A number that no task has. */
int pid_new(void);
/* The task is found by its number from now on (task_find() of kernel/task/task.h); no more. */
void pid_insert(struct task *task);
void task_hide(struct task *task);
/* Another number for a task that can be found, or for one that cannot yet. */
void task_number(struct task *task, int pid);

#endif
