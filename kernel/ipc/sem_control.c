/* SPDX-License-Identifier: BSD-2-Clause */
/* Control and status of System V semaphores: semctl(2), /proc/sysvipc/sem. */
#include <linux/errno.h>
#include "kernel/base/text.h"
#include "kernel/ipc/sem.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"

static int find(int id, uint32_t mode, struct sem_set **set)
{
	return sysv_find_for(&sem_sets, id, mode, (struct sysv_object **)set);
}

static unsigned all_semaphores(void)
{
	unsigned count = 0;

	for (unsigned slot = 0; slot < sem_sets.nr_slots; slot++)
		if (sem_sets.slots[slot])
			count += ((struct sem_set *)sem_sets.slots[slot])->count;
	return count;
}

static long info_to_user(int command, uint64_t user)
{
	struct seminfo info = {
	    .semmni = SEM_SETS_MAX,
	    .semmsl = SEM_IN_SET_MAX,
	    .semmns = SEM_ALL_MAX,
	    .semopm = SEM_AT_ONCE_MAX,
	    .semvmx = SEMVMX,
	    .semmnu = SEMMNU,
	    .semmap = SEMMAP,
	    .semume = SEMUME,
	    .semusz = SEMUSZ,
	    .semaem = SEMAEM,
	};

	if (command == SEM_INFO) {
		info.semusz = (int)sem_sets.used;
		info.semaem = (int)all_semaphores();
	}
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : sysv_highest(&sem_sets);
}

static long status(int id, int command, uint64_t user)
{
	struct sysv_object *object = sysv_slot(&sem_sets, (unsigned)id);
	int err = command == IPC_STAT ? sysv_find(&sem_sets, id, &object) : object ? 0 : -EINVAL;
	struct semid64_ds status = {0};

	if (!err && command != SEM_STAT_ANY)
		err = sysv_permission(object, SYSV_READ);
	if (err)
		return err;
	sysv_describe(object, &status.sem_perm);
	status.sem_otime = ((struct sem_set *)object)->operated_s;
	status.sem_ctime = object->changed_s;
	status.sem_nsems = ((struct sem_set *)object)->count;
	if (copy_to_user(user, &status, sizeof(status)))
		return -EFAULT;
	return command == IPC_STAT ? 0 : object->id;
}

/* GETALL, SETALL: all values, through a copy, because access to user memory may sleep. */
static long get_values(int id, uint64_t user)
{
	struct sem_set *set;
	uint16_t *values;
	int err = find(id, SYSV_READ, &set);
	unsigned count;

	if (err)
		return err;
	count = set->count;
	values = kalloc(count * sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		values[i] = set->semaphores[i].value;
	err = copy_to_user(user, values, count * sizeof(*values));
	kfree(values);
	return err;
}

static int store_values(struct sem_set *set, const uint16_t *values)
{
	for (unsigned i = 0; i < set->count; i++)
		if (values[i] > SEMVMX)
			return -ERANGE;
	for (unsigned i = 0; i < set->count; i++) {
		set->semaphores[i].value = values[i];
		set->semaphores[i].pid = current_task()->tgid;
	}
	sem_forget(set, -1);
	set->object.changed_s = sysv_now();
	sem_changed(set, 0, set->count);
	return 0;
}

static long set_values(int id, uint64_t user)
{
	struct sem_set *set;
	uint16_t *values;
	int err = find(id, SYSV_WRITE, &set);

	if (err)
		return err;
	values = kalloc(set->count * sizeof(*values));
	if (!values)
		return -ENOMEM;
	sysv_hold(&set->object);
	err = copy_from_user(values, user, set->count * sizeof(*values));
	if (!err)
		err = set->object.removed ? -EIDRM : store_values(set, values);
	kfree(values);
	sysv_put(&sem_sets, &set->object);
	return err;
}

static long set_value(int id, int number, int value)
{
	struct sem_set *set;
	int err;

	if (value < 0 || value > SEMVMX)
		return -ERANGE;
	err = sysv_find(&sem_sets, id, (struct sysv_object **)&set);
	if (err)
		return err;
	if (number < 0 || (unsigned)number >= set->count)
		return -EINVAL;
	if (sysv_permission(&set->object, SYSV_WRITE))
		return -EACCES;
	sem_forget(set, number);
	set->semaphores[number].value = (uint16_t)value;
	set->semaphores[number].pid = current_task()->tgid;
	set->object.changed_s = sysv_now();
	sem_changed(set, (unsigned)number, 1);
	return 0;
}

/* GETVAL, GETPID, GETNCNT, GETZCNT. */
static long get_one(int id, int number, int command)
{
	struct sem_set *set;
	int err = find(id, SYSV_READ, &set);

	if (err)
		return err;
	if (number < 0 || (unsigned)number >= set->count)
		return -EINVAL;
	switch (command) {
	case GETVAL:
		return set->semaphores[number].value;
	case GETPID:
		return set->semaphores[number].pid;
	default:
		return sem_waiting(set, (unsigned)number, command == GETZCNT);
	}
}

/* IPC_SET, IPC_RMID. */
static long change(int id, int command, const struct ipc64_perm *perm)
{
	struct sem_set *set;
	int err = sysv_find_owned(&sem_sets, id, (struct sysv_object **)&set);

	if (err)
		return err;
	if (command == IPC_SET)
		return sysv_set(&set->object, perm);
	sem_remove(set);
	return 0;
}

long sem_control(int id, int number, int command, uint64_t argument)
{
	struct semid64_ds new = {0};

	if (id < 0)
		return -EINVAL;
	switch (command) {
	case IPC_INFO:
	case SEM_INFO:
		return info_to_user(command, argument);
	case IPC_STAT:
	case SEM_STAT:
	case SEM_STAT_ANY:
		return status(id, command, argument);
	case GETALL:
		return get_values(id, argument);
	case SETALL:
		return set_values(id, argument);
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
		return get_one(id, number, command);
	case SETVAL:
		return set_value(id, number, (int)argument);
	case IPC_SET:
		if (copy_from_user(&new, argument, sizeof(new)))
			return -EFAULT;
		return change(id, command, &new.sem_perm);
	case IPC_RMID:
		return change(id, command, NULL);
	default:
		return -EINVAL;
	}
}

void sem_text(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out,
		   "       key      semid perms      nsems   uid   gid  cuid  cgid      otime  "
		   "    ctime\n");
	for (unsigned slot = 0; slot < sem_sets.nr_slots; slot++) {
		const struct sem_set *set = (struct sem_set *)sem_sets.slots[slot];

		if (!set)
			continue;
		sysv_text_begin(out, &set->object);
		text_print(out, "%10u ", set->count);
		sysv_text_owners(out, &set->object);
		text_print(out, "%10lu %10lu\n", (uint64_t)set->operated_s,
			   (uint64_t)set->object.changed_s);
	}
}
