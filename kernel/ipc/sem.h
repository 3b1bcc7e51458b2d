/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of System V semaphores, as sem.c and sem_control.c know it. Context of all: task. */
#ifndef KERNEL_SEM_H
#define KERNEL_SEM_H

#include <linux/sem.h>
#include "kernel/base/list.h"
#include "kernel/ipc/sysv.h"

struct semaphore {
	uint16_t value;
	int pid; /* who changed it last */
};

struct sem_set {
	struct sysv_object object;
	struct list sleepers, undos;
	int64_t operated_s;
	unsigned count;
	struct semaphore semaphores[];
};

extern struct sysv_table sem_sets;

/* Values changed: does what others wait for, if it is possible now. */
void sem_changed(struct sem_set *set);
/* How many wait for a semaphore: to be 0, or to grow. */
unsigned sem_waiting(const struct sem_set *set, unsigned number, bool for_zero);
/* Nobody undoes anything with the semaphore (-1: with any) any more. */
void sem_forget(struct sem_set *set, int number);
/* The set is gone, and who waits learns of it. */
void sem_remove(struct sem_set *set);

#endif
