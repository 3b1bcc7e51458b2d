/* SPDX-License-Identifier: BSD-2-Clause */
/* Permission to use a file, to signal a task, and to inspect it: path_resolution(7), kill(2),
 * ptrace(2). */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/fs/inode.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/space.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"

static bool overrides(const struct inode *inode, unsigned ways)
{
	if (S_ISDIR(inode->mode)) {
		if (!(ways & MAY_WRITE) && capable(CAP_DAC_READ_SEARCH))
			return true;
		return capable(CAP_DAC_OVERRIDE);
	}
	if (ways == MAY_READ && capable(CAP_DAC_READ_SEARCH))
		return true;
	return (!(ways & MAY_EXECUTE) || inode->mode & 0111) && capable(CAP_DAC_OVERRIDE);
}

int mode_permission(const struct inode *inode, unsigned ways)
{
	const struct cred *cred = &current_task()->cred;
	uint32_t bits = inode->mode;

	if (cred->uid.fs == inode->uid)
		bits >>= 6;
	else if ((bits >> 3 & 7) != (bits & 7) && cred_in_group(inode->gid))
		bits >>= 3;
	return !(ways & ~bits) || overrides(inode, ways) ? 0 : -EACCES;
}

unsigned mounts_read_only;

bool inode_reads_only(const struct inode *inode)
{
	if (!mounts_read_only)
		return false;
	while (!inode->magic && inode->name)
		inode = inode->name->dir;
	return inode->read_only;
}

int inode_permission(const struct inode *inode, unsigned ways)
{
	bool stored = S_ISREG(inode->mode) || S_ISDIR(inode->mode) || S_ISLNK(inode->mode);

	if (ways & MAY_WRITE && stored && inode_reads_only(inode))
		return -EROFS;
	if (inode->ops && inode->ops->permission)
		return inode->ops->permission(inode, ways);
	return mode_permission(inode, ways);
}

bool inode_owned(const struct inode *inode)
{
	return current_task()->cred.uid.fs == inode->uid || capable(CAP_FOWNER);
}

void inode_take(struct inode *inode, const struct inode *dir)
{
	inode->uid = current_task()->cred.uid.fs;
	inode->gid = current_task()->cred.gid.fs;
	if (!dir || !(dir->mode & S_ISGID))
		return;
	inode->gid = dir->gid;
	if (S_ISDIR(inode->mode))
		inode->mode |= S_ISGID;
}

int dir_permission(const struct inode *dir, const struct inode *inode)
{
	uint32_t self = current_task()->cred.uid.fs;
	int err = inode_permission(dir, MAY_WRITE | MAY_EXECUTE);

	if (err || !inode || !(dir->mode & S_ISVTX) || inode->uid == self || dir->uid == self)
		return err;
	return capable(CAP_FOWNER) ? 0 : -EPERM;
}

void inode_drop_set_ids(struct inode *inode)
{
	inode->mode &= ~(uint32_t)S_ISUID;
	if (inode->mode & S_IXGRP)
		inode->mode &= ~(uint32_t)S_ISGID;
}

bool may_signal(const struct task *task, int signo)
{
	const struct task *self = current_task();
	const struct ids *own = &self->cred.uid, *other = &task->cred.uid;

	if (task->process == self->process || own->effective == other->saved ||
	    own->effective == other->real || own->real == other->saved ||
	    own->real == other->real || capable(CAP_KILL))
		return true;
	return signo == SIGCONT && task->process->sid == self->process->sid;
}

static bool all_are(const struct ids *ids, uint32_t id)
{
	return ids->real == id && ids->effective == id && ids->saved == id;
}

bool may_inspect(const struct task *task, bool fs)
{
	const struct task *self = current_task();
	const struct cred *own = &self->cred, *other = &task->cred;
	uint64_t rights = fs ? own->effective : own->permitted;

	if (task->process == self->process || capable(CAP_SYS_PTRACE))
		return true;
	return all_are(&other->uid, fs ? own->uid.fs : own->uid.real) &&
	       all_are(&other->gid, fs ? own->gid.fs : own->gid.real) &&
	       (!task->mm || task->mm->dumpable == DUMPABLE_USER) && !(other->permitted & ~rights);
}
