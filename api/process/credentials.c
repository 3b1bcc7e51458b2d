/* SPDX-License-Identifier: BSD-2-Clause */
/* User and group numbers: getuid(2), setuid(2), setreuid(2), setresuid(2), setfsuid(2),
 * getgroups(2), setgroups(2). */
#include <linux/errno.h>
#include <linux/limits.h>
#include "api/calls.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

#define SORT_AT_ONCE 1024 /* groups, without a pause */

#define UNCHANGED UINT32_MAX

/* A change in progress: a copy of the current task's credentials, and the user or group ids in
 * it. */
struct change {
	struct cred new;
	const struct ids *old;
	struct ids *ids;
	bool group, privileged;
};

static void begin(struct change *change, bool group)
{
	struct cred *own = &current_task()->cred;

	change->new = *own;
	change->group = group;
	change->old = group ? &own->gid : &own->uid;
	change->ids = group ? &change->new.gid : &change->new.uid;
	change->privileged = capable(group ? CAP_SETGID : CAP_SETUID);
}

static long commit(struct change *change)
{
	change->ids->fs = change->ids->effective;
	if (!change->group)
		cred_fix_capabilities(&change->new, &current_task()->cred);
	cred_commit(&change->new);
	return 0;
}

static long set_id(bool group, uint32_t id)
{
	struct change change;

	if (id == UNCHANGED)
		return -EINVAL;
	begin(&change, group);
	if (change.privileged)
		change.ids->real = change.ids->saved = id;
	else if (id != change.old->real && id != change.old->saved)
		return -EPERM;
	change.ids->effective = id;
	return commit(&change);
}

static long set_re(bool group, uint32_t real, uint32_t effective)
{
	struct change change;
	const struct ids *old;

	begin(&change, group);
	old = change.old;
	if (real != UNCHANGED) {
		if (real != old->real && real != old->effective && !change.privileged)
			return -EPERM;
		change.ids->real = real;
	}
	if (effective != UNCHANGED) {
		if (effective != old->real && effective != old->effective &&
		    effective != old->saved && !change.privileged)
			return -EPERM;
		change.ids->effective = effective;
	}
	if (real != UNCHANGED || (effective != UNCHANGED && effective != old->real))
		change.ids->saved = change.ids->effective;
	return commit(&change);
}

/* Sets one of setresuid's three ids. */
static bool set_one(const struct change *change, uint32_t *to, uint32_t id)
{
	const struct ids *old = change->old;

	if (id == UNCHANGED)
		return true;
	if (id != old->real && id != old->effective && id != old->saved && !change->privileged)
		return false;
	*to = id;
	return true;
}

static long set_res(bool group, uint32_t real, uint32_t effective, uint32_t saved)
{
	struct change change;

	begin(&change, group);
	if (!set_one(&change, &change.ids->real, real) ||
	    !set_one(&change, &change.ids->effective, effective) ||
	    !set_one(&change, &change.ids->saved, saved))
		return -EPERM;
	return commit(&change);
}

/* Returns the old id, whether it changes or not. */
static long set_fs(bool group, uint32_t id)
{
	struct change change;
	uint32_t was;

	begin(&change, group);
	was = change.old->fs;
	if (id == UNCHANGED || (id != change.old->real && id != change.old->effective &&
				id != change.old->saved && id != was && !change.privileged))
		return was;
	change.ids->fs = id;
	if (!group)
		cred_fix_fs_capabilities(&change.new, &current_task()->cred);
	cred_commit(&change.new);
	return was;
}

static long get_res(const struct ids *ids, uint64_t real, uint64_t effective, uint64_t saved)
{
	if (copy_to_user(real, &ids->real, sizeof(ids->real)) ||
	    copy_to_user(effective, &ids->effective, sizeof(ids->effective)))
		return -EFAULT;
	return copy_to_user(saved, &ids->saved, sizeof(ids->saved));
}

long sys_getuid(void)
{
	return current_task()->cred.uid.real;
}

long sys_getgid(void)
{
	return current_task()->cred.gid.real;
}

long sys_geteuid(void)
{
	return current_task()->cred.uid.effective;
}

long sys_getegid(void)
{
	return current_task()->cred.gid.effective;
}

long sys_setuid(uint64_t id)
{
	return set_id(false, (uint32_t)id);
}

long sys_setgid(uint64_t id)
{
	return set_id(true, (uint32_t)id);
}

long sys_setreuid(uint64_t real, uint64_t effective)
{
	return set_re(false, (uint32_t)real, (uint32_t)effective);
}

long sys_setregid(uint64_t real, uint64_t effective)
{
	return set_re(true, (uint32_t)real, (uint32_t)effective);
}

long sys_setresuid(uint64_t real, uint64_t effective, uint64_t saved)
{
	return set_res(false, (uint32_t)real, (uint32_t)effective, (uint32_t)saved);
}

long sys_setresgid(uint64_t real, uint64_t effective, uint64_t saved)
{
	return set_res(true, (uint32_t)real, (uint32_t)effective, (uint32_t)saved);
}

long sys_getresuid(uint64_t real, uint64_t effective, uint64_t saved)
{
	return get_res(&current_task()->cred.uid, real, effective, saved);
}

long sys_getresgid(uint64_t real, uint64_t effective, uint64_t saved)
{
	return get_res(&current_task()->cred.gid, real, effective, saved);
}

long sys_setfsuid(uint64_t id)
{
	return set_fs(false, (uint32_t)id);
}

long sys_setfsgid(uint64_t id)
{
	return set_fs(true, (uint32_t)id);
}

long sys_getgroups(uint64_t size, uint64_t user)
{
	const struct groups *groups = current_task()->cred.groups;
	uint32_t count = groups ? groups->count : 0;

	if ((int)size < 0 || ((int)size && count > (uint32_t)size))
		return -EINVAL;
	if ((int)size && count && copy_to_user(user, groups->id, count * sizeof(groups->id[0])))
		return -EFAULT;
	return count;
}

/* Moves id[at] down in a heap of `count` numbers whose largest is the first. */
static void heap_sink(uint32_t *id, uint32_t at, uint32_t count)
{
	for (uint32_t below; (below = 2 * at + 1) < count; at = below) {
		uint32_t moved = id[at];

		if (below + 1 < count && id[below + 1] > id[below])
			below++;
		if (moved >= id[below])
			return;
		id[at] = id[below];
		id[below] = moved;
	}
}

/* Sorts by heap; other tasks run in between. */
static void sort_ids(uint32_t *id, uint32_t count)
{
	for (uint32_t at = count / 2; at--;) {
		heap_sink(id, at, count);
		if (at % SORT_AT_ONCE == 0)
			sched_pause();
	}
	for (uint32_t left = count; left > 1;) {
		uint32_t largest = id[0];

		id[0] = id[--left];
		id[left] = largest;
		heap_sink(id, 0, left);
		if (left % SORT_AT_ONCE == 0)
			sched_pause();
	}
}

long sys_setgroups(uint64_t size, uint64_t user)
{
	struct cred new = current_task()->cred;
	uint32_t count = (uint32_t)size, *id;
	int err = 0;

	if (!capable(CAP_SETGID))
		return -EPERM;
	if (count > NGROUPS_MAX)
		return -EINVAL;
	id = kalloc(count * sizeof(*id) + 1);
	if (!id)
		return -ENOMEM;
	if (copy_from_user(id, user, count * sizeof(*id)))
		err = -EFAULT;
	for (uint32_t i = 0; !err && i < count; i++)
		if (id[i] == UNCHANGED)
			err = -EINVAL;
	if (!err) {
		sort_ids(id, count);
		new.groups = groups_new(id, count);
		err = new.groups ? 0 : -ENOMEM;
	}
	if (!err)
		cred_commit(&new);
	kfree(id);
	return err;
}
