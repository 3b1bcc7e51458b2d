/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of tasks. Context of all: task. */
#ifndef KERNEL_PIDS_H
#define KERNEL_PIDS_H

struct task;

/* A number that no task has. */
int pid_new(void);
/* The task is found by its number from now on (task_find()). */
void pid_insert(struct task *task);

#endif
