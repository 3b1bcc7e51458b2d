/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of System V semaphores, for sem.c, sem_wait.c and sem_control.c. Context of all: task. */
#ifndef KERNEL_SEM_H
#define KERNEL_SEM_H

#include <linux/sem.h>
#include "kernel/base/list.h"
#include "kernel/base/tree.h"
#include "kernel/ipc/sysv.h"
#include "kernel/task/waitq.h"

struct sem_sleeper;

struct semaphore {
	uint16_t value;
	int pid; /* pid of the last operation */
	/* the first sleeper that its value lets try, in the set's `ready` */
	struct sem_sleeper *first;
};

struct sem_set {
	struct sysv_object object;
	struct tree waiting; /* all sleepers, by the condition that they wait for */
	struct tree ready; /* sleepers to try again, by turn: empty but while sem_changed() runs */
	uint64_t turns;
	struct list undos;
	int64_t operated_s;
	unsigned count;
	struct semaphore semaphores[];
};

/* The condition of a sleeper: the first of its operations that was not possible. */
struct sem_wait {
	uint16_t number;
	bool exact;    /* the semaphore has to have this value; else this value or more */
	int value;     /* as it is before any of the operations */
	uint64_t turn; /* sleepers that change nothing first, then by waiting time */
};

/* A sleeper until its operations are possible. Other tasks perform them for it, in the order of
 * turns. */
struct sem_sleeper {
	struct tree_node waiting, ready;
	int least; /* of the values that it and those below it wait to have at least */
	struct sem_wait wait;
	struct waitq queue; /* of the one task */
	const struct sembuf *operations;
	unsigned count;
	struct sem_undo *undo;
	int pid;
	bool done;
	int result;
};

extern struct sysv_table sem_sets;

/* sem_wait.c: initialises a set without sleepers. */
void sem_wait_init(struct sem_set *set);
/* Adds a sleeper with the condition who->wait; removes it. */
void sem_wait_add(struct sem_set *set, struct sem_sleeper *who);
void sem_wait_remove(struct sem_set *set, struct sem_sleeper *who);
/* The semaphore's value changed: marks sleepers whose condition is true as ready. */
void sem_wait_check(struct sem_set *set, unsigned number);
/* Returns the next ready sleeper, or NULL. */
struct sem_sleeper *sem_wait_next(const struct sem_set *set);

/* Runs sleepers after the values of `count` semaphores from `first` on changed. The set may be
 * removed during the call. */
void sem_changed(struct sem_set *set, unsigned first, unsigned count);
/* Returns how many wait for a semaphore: to be 0, or to grow. */
unsigned sem_waiting(struct sem_set *set, unsigned number, bool for_zero);
/* Drops all undo entries for the semaphore (-1: for every one). */
void sem_forget(struct sem_set *set, int number);
/* Removes the set and wakes its sleepers with an error. */
void sem_remove(struct sem_set *set);

#endif
