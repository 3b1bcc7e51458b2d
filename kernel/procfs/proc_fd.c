/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/fd: links to the open files of a process. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/procfs/proc.h"
#include "kernel/procfs/proc_fd.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"

struct file *proc_fd_file(uint64_t pid, uint64_t *fd, bool next)
{
	struct task *task = task_find((int)pid);
	struct files *files = task ? task->files : NULL;
	struct file *file = NULL;

	while (files && *fd < files->size && !(file = files->table[*fd]) && next)
		(*fd)++;
	if (task)
		task_put(task);
	return file;
}

static struct inode *link_follow(struct inode *link, struct dirent **name)
{
	uint64_t fd = link->priv & PROC_FD_MASK;
	struct file *file = proc_fd_file(link->priv >> PROC_FD_BITS, &fd, false);
	struct inode *inode;

	if (!file)
		return NULL;
	inode = file->inode ? file->inode : anonymous_inode();
	inode_get(inode);
	*name = file->name;
	name_get(*name);
	return inode;
}

static void link_read(struct inode *link, struct text *out)
{
	uint64_t fd = link->priv & PROC_FD_MASK;
	struct file *file = proc_fd_file(link->priv >> PROC_FD_BITS, &fd, false);
	char *buffer = page_alloc_dirty();
	const char *path;

	if (file && !file->inode) {
		text_print(out, "anon_inode:%s", file->ops->name);
	} else if (file && S_ISFIFO(file->inode->mode) && !file->name) {
		text_print(out, "pipe:[%lu]", file->inode->ino);
	} else if (file && S_ISSOCK(file->inode->mode)) {
		text_print(out, "socket:[%lu]", file->inode->ino);
	} else if (file && file->inode->ops && file->inode->ops->readlink) {
		file->inode->ops->readlink(file->inode, out);
	} else if (file && buffer) {
		path = inode_path(file->inode, file->name, buffer, PATH_SIZE);
		text_add(out, path, strlen(path));
	}
	if (buffer)
		page_put(buffer);
}

static int link_permission(const struct inode *link, unsigned ways)
{
	(void)ways;
	return proc_inspect(link->priv >> PROC_FD_BITS);
}

static const struct inode_ops link_ops = {
    .follow = link_follow, .readlink = link_read, .permission = link_permission};

/* The link's mode shows the file's access mode. */
static uint32_t link_mode(uint32_t flags)
{
	static const uint32_t modes[] = {
	    [O_RDONLY] = 0500, [O_WRONLY] = 0300, [O_RDWR] = 0700, [O_ACCMODE] = 0};

	return S_IFLNK | (flags & O_PATH ? 0 : modes[flags & O_ACCMODE]);
}

static struct inode *fd_lookup(struct inode *dir, const char *name, size_t length)
{
	struct inode *inode;
	struct file *file;
	uint64_t fd = (uint64_t)proc_number(name, length);

	file = fd > PROC_FD_MASK ? NULL : proc_fd_file(dir->priv, &fd, false);
	if (!file)
		return NULL;
	inode = inode_new(link_mode(file->flags));
	if (!inode)
		return NULL;
	inode->nlink = 1;
	inode->ops = &link_ops;
	inode->priv = dir->priv << PROC_FD_BITS | fd;
	return inode;
}

bool proc_fd_next(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino)
{
	struct text text;

	if (!proc_fd_file(dir->priv, cookie, true))
		return false;
	text_init(&text, name, NAME_LONGEST);
	text_print(&text, "%lu", *cookie);
	*ino = dir->ino + 1 + *cookie;
	(*cookie)++;
	return true;
}

static bool fd_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino, uint32_t *mode)
{
	if (!proc_fd_next(dir, cookie, name, ino))
		return false;
	*mode = S_IFLNK;
	return true;
}

/* Besides the owner every thread of the process has access. */
int proc_fd_permission(const struct inode *dir, unsigned ways)
{
	struct task *task;
	bool own;

	if (!mode_permission(dir, ways))
		return 0;
	task = proc_task(dir->priv);
	own = task && task->process == current_task()->process;
	if (task)
		task_put(task);
	return own ? 0 : -EACCES;
}

static const struct inode_ops fd_ops = {
    .lookup = fd_lookup, .list = fd_list, .permission = proc_fd_permission};

struct inode *proc_fd_directory(uint64_t pid)
{
	struct inode *inode = inode_new(S_IFDIR | 0500);

	if (inode) {
		inode->ops = &fd_ops;
		inode->priv = pid;
	}
	return inode;
}
