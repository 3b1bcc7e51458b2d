/* SPDX-License-Identifier: BSD-2-Clause */
/* System V semaphores: operations that happen atomically or wait, and are undone when their process
 * ends: semop(2), semget(2). sem_control.c has semctl(2). */
#include <linux/errno.h>
#include "kernel/base/text.h"
#include "kernel/ipc/sem.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

/* The negated sum of a process's SEM_UNDO operations on a set. */
struct sem_undo {
	struct list in_set;
	struct sem_undo *next; /* of the process */
	struct process *process;
	struct sem_set *set;
	int16_t adjust[];
};

#define TRIES_AT_ONCE 16           /* of up to 500 operations each, then others may run */
#define ALTERS        (1ull << 63) /* in turns */

static void set_free(struct sysv_object *object)
{
	(void)object; /* sem_remove() has freed everything that the set owned */
}

struct sysv_table sem_sets = {
    .keys = {.before = sysv_key_before}, .most = SEM_SETS_MAX, .free = set_free};

/* ---- semget ---- */

static int count_fits(const struct sysv_object *object, uint64_t count)
{
	return ((const struct sem_set *)object)->count < count ? -EINVAL : 0;
}

static long set_new(int key, unsigned count, uint32_t flags)
{
	struct sem_set *set;
	int id;

	if (!count)
		return -EINVAL;
	set = (struct sem_set *)sysv_new(sizeof(*set) + count * sizeof(set->semaphores[0]), key,
					 flags);
	if (!set)
		return -ENOMEM;
	sem_wait_init(set);
	list_init(&set->undos);
	set->count = count;
	id = sysv_add(&sem_sets, &set->object);
	if (id < 0)
		sysv_put(&sem_sets, &set->object);
	return id;
}

long sem_get(int key, int count, uint32_t flags)
{
	int id;

	if (count < 0 || count > SEM_IN_SET_MAX)
		return -EINVAL;
	id = sysv_get(&sem_sets, key, flags, count_fits, (uint64_t)count);
	return id == -ENODATA ? set_new(key, (unsigned)count, flags) : id;
}

/* ---- operations ---- */

/* Performs one operation: 0, 1 (must wait) or -ERANGE. */
static int operate(struct sem_set *set, const struct sembuf *operation, struct sem_undo *undo)
{
	struct semaphore *semaphore = &set->semaphores[operation->sem_num];
	int value = semaphore->value + operation->sem_op, adjust;

	if ((!operation->sem_op && value) || value < 0)
		return 1;
	if (value > SEMVMX)
		return -ERANGE;
	if (operation->sem_flg & SEM_UNDO) {
		adjust = undo->adjust[operation->sem_num] - operation->sem_op;
		if (adjust < -SEMVMX - 1 || adjust > SEMVMX)
			return -ERANGE;
		undo->adjust[operation->sem_num] = (int16_t)adjust;
	}
	semaphore->value = (uint16_t)value;
	return 0;
}

/* Reverts operate(). */
static void revert(struct sem_set *set, const struct sembuf *operation, struct sem_undo *undo)
{
	struct semaphore *semaphore = &set->semaphores[operation->sem_num];

	semaphore->value = (uint16_t)(semaphore->value - operation->sem_op);
	if (operation->sem_flg & SEM_UNDO)
		undo->adjust[operation->sem_num] =
		    (int16_t)(undo->adjust[operation->sem_num] + operation->sem_op);
}

/* Reverts the first `count` operations. */
static void revert_first(struct sem_set *set, const struct sem_sleeper *who, unsigned count)
{
	while (count--)
		revert(set, &who->operations[count], who->undo);
}

/* Sets the condition that the sleeper waits for: `operation` blocks after earlier operations of the
 * call have changed the value by `seen`. */
static void wait_for(struct sem_set *set, struct sem_sleeper *who, const struct sembuf *operation,
		     int seen)
{
	who->wait.number = operation->sem_num;
	who->wait.exact = !operation->sem_op;
	who->wait.value = set->semaphores[operation->sem_num].value - seen - operation->sem_op;
}

/* Performs all operations or none, without the side effects of a success. Returns 0, 1 (must wait),
 * -EAGAIN or -ERANGE. */
static int try_all(struct sem_set *set, struct sem_sleeper *who)
{
	const struct sembuf *blocking;
	unsigned i;
	int result = 0, seen;

	for (i = 0; i < who->count && !result; i++)
		result = operate(set, &who->operations[i], who->undo);
	if (!result)
		return 0;
	blocking = &who->operations[--i];
	seen = set->semaphores[blocking->sem_num].value;
	revert_first(set, who, i);
	wait_for(set, who, blocking, seen);
	return result == 1 && blocking->sem_flg & IPC_NOWAIT ? -EAGAIN : result;
}

/* As try_all(), and on success marks the sleepers that wait for the new values as ready. */
static int operate_all(struct sem_set *set, struct sem_sleeper *who)
{
	int result = try_all(set, who);

	if (result)
		return result;
	for (unsigned i = 0; i < who->count; i++) {
		set->semaphores[who->operations[i].sem_num].pid = who->pid;
		if (set->waiting.root && who->operations[i].sem_op)
			sem_wait_check(set, who->operations[i].sem_num);
	}
	set->operated_s = sysv_now();
	return 0;
}

static bool alters(const struct sem_sleeper *who)
{
	for (unsigned i = 0; i < who->count; i++)
		if (who->operations[i].sem_op)
			return true;
	return false;
}

static void finish(struct sem_sleeper *who, int result)
{
	who->result = result;
	who->done = true;
	waitq_wake(&who->queue);
}

/* Retries a sleeper's operations after its condition became true. Another operation may still
 * block, or fail with IPC_NOWAIT. */
static void try_again(struct sem_set *set, struct sem_sleeper *who)
{
	int result;

	sem_wait_remove(set, who);
	result = operate_all(set, who);
	if (result == 1)
		sem_wait_add(set, who);
	else
		finish(who, result);
}

/* Runs the ready sleepers, including the ones that they make ready. `pauses`: other tasks run in
 * between, and the set may be removed. */
static void go_on(struct sem_set *set, bool pauses)
{
	struct sem_sleeper *who;

	if (!sem_wait_next(set))
		return;
	sysv_hold(&set->object);
	for (unsigned tries = 1; (who = sem_wait_next(set)); tries++) {
		try_again(set, who);
		if (pauses && tries % TRIES_AT_ONCE == 0)
			sched_pause();
	}
	sysv_put(&sem_sets, &set->object);
}

static void check_values(struct sem_set *set, unsigned first, unsigned count)
{
	if (set->waiting.root)
		while (count--)
			sem_wait_check(set, first + count);
}

void sem_changed(struct sem_set *set, unsigned first, unsigned count)
{
	check_values(set, first, count);
	go_on(set, true);
}

/* Evaluates each sleeper again: it may now block on another of its operations than when it was
 * tried. */
unsigned sem_waiting(struct sem_set *set, unsigned number, bool for_zero)
{
	struct tree_node *node = set->waiting.first;
	unsigned count = 0;

	for (; node; node = tree_next(node)) {
		struct sem_sleeper *who = container_of(node, struct sem_sleeper, waiting);
		struct sem_wait kept = who->wait;

		if (try_all(set, who)) {
			count += who->wait.number == number && who->wait.exact == for_zero;
			who->wait = kept;
		} else {
			revert_first(set, who, who->count);
			count += kept.number == number && kept.exact == for_zero;
		}
	}
	return count;
}

/* ---- undoing ---- */

static uint64_t undo_bytes(const struct sem_set *set)
{
	return sizeof(struct sem_undo) + set->count * sizeof(int16_t);
}

/* Returns the current process's undo entry in the set; NULL: no memory. */
static struct sem_undo *undo_of(struct sem_set *set)
{
	struct process *process = current_task()->process;
	struct sem_undo *undo;

	for (undo = process->undos; undo; undo = undo->next)
		if (undo->set == set)
			return undo;
	if (!sysv_charge(&set->object, undo_bytes(set)))
		return NULL;
	undo = kalloc(undo_bytes(set));
	if (!undo) {
		sysv_discharge(&set->object, undo_bytes(set));
		return NULL;
	}
	undo->set = set;
	undo->process = process;
	undo->next = process->undos;
	process->undos = undo;
	list_add_tail(&set->undos, &undo->in_set);
	return undo;
}

static void undo_free(struct sem_undo *undo)
{
	struct sem_undo **place = &undo->process->undos;

	while (*place != undo)
		place = &(*place)->next;
	*place = undo->next;
	list_remove(&undo->in_set);
	sysv_discharge(&undo->set->object, undo_bytes(undo->set));
	kfree(undo);
}

void sem_forget(struct sem_set *set, int number)
{
	struct sem_undo *undo;

	list_for_each(undo, &set->undos, in_set)
		for (unsigned i = 0; i < set->count; i++)
			if (number < 0 || i == (unsigned)number)
				undo->adjust[i] = 0;
}

void sem_remove(struct sem_set *set)
{
	struct sem_undo *undo, *next;

	list_for_each_safe(undo, next, &set->undos, in_set)
		undo_free(undo);
	while (set->waiting.first) {
		struct sem_sleeper *who =
		    container_of(set->waiting.first, struct sem_sleeper, waiting);

		sem_wait_remove(set, who);
		finish(who, -EIDRM);
	}
	sysv_remove(&sem_sets, &set->object);
}

void sem_process_exit(struct process *process)
{
	while (process->undos) {
		struct sem_undo *undo = process->undos;
		struct sem_set *set = undo->set;

		for (unsigned i = 0; i < set->count; i++) {
			int value = set->semaphores[i].value + undo->adjust[i];

			if (!undo->adjust[i])
				continue;
			value = value < 0 ? 0 : value > SEMVMX ? SEMVMX : value;
			set->semaphores[i].value = (uint16_t)value;
			set->semaphores[i].pid = process->leader->pid;
		}
		undo_free(undo);
		check_values(set, 0, set->count);
		go_on(set, false); /* the task is a zombie already */
	}
}

/* ---- semop ---- */

static int check(struct sem_set *set, struct sem_sleeper *who)
{
	bool undoes = false;

	for (unsigned i = 0; i < who->count; i++) {
		if (who->operations[i].sem_num >= set->count)
			return -EFBIG;
		undoes |= who->operations[i].sem_flg & SEM_UNDO;
	}
	if (sysv_permission(&set->object, alters(who) ? SYSV_WRITE : SYSV_READ))
		return -EACCES;
	if (undoes)
		who->undo = undo_of(set);
	return undoes && !who->undo ? -ENOMEM : 0;
}

/* Sleeps until another task has performed the operations, or the set is removed. */
static int sleep(struct sem_set *set, struct sem_sleeper *who, uint64_t deadline_ns)
{
	struct waiter waiter;
	int err = 0;

	waitq_init(&who->queue);
	who->wait.turn = ++set->turns | (alters(who) ? ALTERS : 0);
	waitq_add(&who->queue, &waiter);
	sem_wait_add(set, who);
	while (!who->done && !err)
		err = waitq_sleep(deadline_ns);
	waitq_remove(&waiter);
	if (who->done)
		return who->result;
	sem_wait_remove(set, who);
	return err == -ETIMEDOUT ? -EAGAIN : err;
}

static int operate_or_wait(int id, struct sem_sleeper *who, uint64_t deadline_ns)
{
	struct sem_set *set;
	int result = sysv_find(&sem_sets, id, (struct sysv_object **)&set);

	if (!result)
		result = check(set, who);
	if (result)
		return result;
	if (sem_wait_next(set)) {
		/* Ready sleepers are being run: this call must wait behind them, whatever the
		 * values are. */
		who->wait.number = who->operations->sem_num;
		who->wait.value = INT32_MIN;
		return sleep(set, who, deadline_ns);
	}
	result = operate_all(set, who);
	if (!result)
		go_on(set, true);
	return result == 1 ? sleep(set, who, deadline_ns) : result;
}

long sem_operate(int id, uint64_t user, uint64_t count, uint64_t deadline_ns)
{
	struct sembuf inside[4], *operations = inside;
	struct sem_sleeper who = {.pid = current_task()->tgid};
	long result;

	if (count > SEM_AT_ONCE_MAX)
		return -E2BIG;
	if (!count || id < 0)
		return -EINVAL;
	if (count > sizeof(inside) / sizeof(inside[0]))
		operations = kalloc(count * sizeof(*operations));
	if (!operations)
		return -ENOMEM;
	who.operations = operations;
	who.count = (unsigned)count;
	result = copy_from_user(operations, user, count * sizeof(*operations));
	if (!result)
		result = operate_or_wait(id, &who, deadline_ns);
	if (operations != inside)
		kfree(operations);
	return result;
}
