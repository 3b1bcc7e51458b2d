/* SPDX-License-Identifier: BSD-2-Clause */
/* Credentials: their lifetime, and the effect of user ids and execve(2) on capabilities(7). */
#include <linux/securebits.h>
#include <linux/stat.h>
#include "kernel/base/string.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/space.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"

#define CAPABILITY(name) (1ul << (name))

/* The capabilities that setfsuid(2) gives and takes. */
#define FS_CAPABILITIES                                                                           \
	(CAPABILITY(CAP_CHOWN) | CAPABILITY(CAP_DAC_OVERRIDE) | CAPABILITY(CAP_DAC_READ_SEARCH) | \
	 CAPABILITY(CAP_FOWNER) | CAPABILITY(CAP_FSETID) | CAPABILITY(CAP_MKNOD) |                \
	 CAPABILITY(CAP_MAC_OVERRIDE) | CAPABILITY(CAP_LINUX_IMMUTABLE))

void cred_init_root(struct cred *cred)
{
	*cred = (struct cred){.permitted = CAPABILITIES_ALL,
			      .effective = CAPABILITIES_ALL,
			      .bounding = CAPABILITIES_ALL};
}

static void groups_get(struct groups *groups)
{
	if (groups)
		__atomic_fetch_add(&groups->refs, 1, __ATOMIC_RELAXED);
}

void cred_copy(struct cred *to, const struct cred *from)
{
	*to = *from;
	groups_get(to->groups);
}

void cred_free(struct cred *cred)
{
	if (cred->groups && !__atomic_sub_fetch(&cred->groups->refs, 1, __ATOMIC_ACQ_REL))
		kfree(cred->groups);
	cred->groups = NULL;
}

bool capable(unsigned capability)
{
	return current_task()->cred.effective >> capability & 1;
}

static bool same_rights(const struct cred *new, const struct cred *old)
{
	return new->uid.effective == old->uid.effective &&new->uid.fs ==
		   old->uid.fs &&new->gid.effective == old->gid.effective &&new->gid.fs ==
		   old->gid.fs &&
	       !(new->permitted & ~old->permitted);
}

void cred_commit(const struct cred *new)
{
	struct task *task = current_task();
	struct groups *groups = task->cred.groups;
	uint32_t uid = new->uid.real;

	if (uid != task->charged_uid && account_take(uid, ACCOUNT_TASKS, 1, ACCOUNT_FREE)) {
		account_give(task->charged_uid, ACCOUNT_TASKS, 1);
		task->charged_uid = uid;
	}
	if (!same_rights(new, &task->cred) && task->mm)
		task->mm->dumpable = DUMPABLE_NOBODY;
	task->cred = *new;
	if (groups != new->groups)
		cred_free(&(struct cred){.groups = groups});
}

static bool is_root(const struct ids *uid)
{
	return !uid->real || !uid->effective || !uid->saved;
}

void cred_fix_capabilities(struct cred *new, const struct cred *old)
{
	if (new->securebits & SECBIT_NO_SETUID_FIXUP)
		return;
	if (is_root(&old->uid) && !is_root(&new->uid)) {
		if (!(new->securebits &SECBIT_KEEP_CAPS))
			new->permitted = new->effective = 0;
		new->ambient = 0;
	}
	if (!old->uid.effective && new->uid.effective)
		new->effective = 0;
	if (old->uid.effective && !new->uid.effective)
		new->effective = new->permitted;
}

void cred_fix_fs_capabilities(struct cred *new, const struct cred *old)
{
	if (new->securebits & SECBIT_NO_SETUID_FIXUP)
		return;
	if (!old->uid.fs && new->uid.fs)
		new->effective &= ~FS_CAPABILITIES;
	if (old->uid.fs && !new->uid.fs)
		new->effective |= new->permitted &FS_CAPABILITIES;
}

void cred_for_exec(struct cred *new, const struct program_owner *owner, bool *secure)
{
	const struct cred *old = &current_task()->cred;
	bool changed, root = false;

	*new = *old;
	if (!old->no_new_privs && owner->mode & S_ISUID)
		new->uid.effective = owner->uid;
	if (!old->no_new_privs && (owner->mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		new->gid.effective = owner->gid;
	changed = new->uid.effective != new->uid.real || new->gid.effective != new->gid.real;
	if (!(new->securebits &SECBIT_NOROOT))
		root = !new->uid.effective || !new->uid.real;
	if (changed)
		new->ambient = 0;
	new->permitted = (root ? new->bounding | new->inheritable : 0) | new->ambient;
	new->effective = root && !new->uid.effective ? new->permitted : new->ambient;
	new->uid.saved = new->uid.fs = new->uid.effective;
	new->gid.saved = new->gid.fs = new->gid.effective;
	new->securebits &= ~(uint32_t)SECBIT_KEEP_CAPS;
	*secure = changed || (new->uid.real &&new->permitted & ~new->ambient);
}

bool cred_in_group(uint32_t gid)
{
	const struct cred *cred = &current_task()->cred;

	if (gid == cred->gid.fs)
		return true;
	for (uint32_t i = 0; cred->groups && i < cred->groups->count; i++)
		if (cred->groups->id[i] == gid)
			return true;
	return false;
}

struct groups *groups_new(const uint32_t *id, uint32_t count)
{
	struct groups *groups = kalloc(sizeof(*groups) + count * sizeof(*id));

	if (!groups)
		return NULL;
	groups->refs = 1;
	groups->count = count;
	memcpy(groups->id, id, count * sizeof(*id));
	return groups;
}
