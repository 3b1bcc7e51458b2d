/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/fdinfo: position, flags and kind of the open files of a process. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"
#include "kernel/ipc/pidfd.h"
#include "kernel/procfs/proc.h"
#include "kernel/procfs/proc_fd.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"

#define ROOT_MOUNT 1 /* as /proc/PID/mountinfo numbers it */

/* A pidfd's process; -1: it has ended. */
static void add_process(struct text *out, const struct task *task)
{
	int pid = task->state >= TASK_ZOMBIE && !task->process->live ? -1 : task->tgid;

	text_print(out, "Pid:\t%d\nNSpid:\t%d\n", pid, pid);
}

#define OCTAL_DIGITS 11 /* of 32 bits */

/* Adds a number as "%#o" does, but 0 as "00". */
static void add_octal(struct text *out, uint32_t number)
{
	unsigned digits = OCTAL_DIGITS;

	while (digits > 1 && !(number >> 3 * (digits - 1)))
		digits--;
	text_char(out, '0');
	while (digits--)
		text_char(out, (char)('0' + (number >> 3 * digits & 7)));
}

static void make_info(struct text *out, uint64_t id)
{
	uint64_t fd = id & PROC_FD_MASK;
	struct task *task = task_find((int)(id >> PROC_FD_BITS));
	struct files *files = task ? task->files : NULL;
	struct file *file = files ? files_get(files, (int)fd) : NULL;
	bool cloexec;

	if (file) {
		cloexec = files->cloexec[fd / 64] >> fd % 64 & 1;
		text_print(out, "pos:\t%lu\nflags:\t", file->offset);
		add_octal(out, file->flags | (cloexec ? O_CLOEXEC : 0));
		text_print(out, "\nmnt_id:\t%u\nino:\t%lu\n", ROOT_MOUNT,
			   (file->inode ? file->inode : anonymous_inode())->ino);
		if (pidfd_task(file))
			add_process(out, pidfd_task(file));
		file_put(file);
	}
	if (task)
		task_put(task);
}

static int permit(uint64_t id)
{
	return proc_inspect(id >> PROC_FD_BITS);
}

static const struct synthetic info_file = {.make = make_info, .permit = permit, .mode = 0444};

static struct inode *info_lookup(struct inode *dir, const char *name, size_t length)
{
	uint64_t fd = (uint64_t)proc_number(name, length);

	if (fd > PROC_FD_MASK || !proc_fd_file(dir->priv, &fd, false))
		return NULL;
	return synthetic_inode(&info_file, dir->priv << PROC_FD_BITS | fd);
}

static bool info_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	if (!proc_fd_next(dir, cookie, name, ino))
		return false;
	*mode = S_IFREG;
	return true;
}

static const struct inode_ops info_ops = {
    .lookup = info_lookup, .list = info_list, .permission = proc_fd_permission};

struct inode *proc_fdinfo_directory(uint64_t pid)
{
	struct inode *inode = inode_new(S_IFDIR | 0555);

	if (inode) {
		inode->ops = &info_ops;
		inode->priv = pid;
	}
	return inode;
}
