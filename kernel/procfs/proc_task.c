/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID and /proc/PID/task/TID: directories and links that exist only while they are in use. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/process/process.h"
#include "kernel/procfs/proc.h"
#include "kernel/procfs/proc_fd.h"
#include "kernel/task/pids.h"
#include "kernel/vm/vm.h"

#define INO_TASKS 0x10000ul /* inode numbers from here on: 256 for each task */

struct task *proc_task(uint64_t id)
{
	return task_find((int)id);
}

int proc_inspect(uint64_t id)
{
	struct task *task = proc_task(id);
	bool allowed;

	if (!task)
		return -ESRCH;
	allowed = may_inspect(task, true);
	task_put(task);
	return allowed ? 0 : -EACCES;
}

/* Sets the owner of the task's inode: the user that may inspect the task. */
static void proc_own(struct inode *inode, const struct task *task)
{
	if (task->mm && task->mm->dumpable != DUMPABLE_USER)
		return;
	inode->uid = task->cred.uid.effective;
	inode->gid = task->cred.gid.effective;
}

long proc_number(const char *name, size_t length)
{
	long number = 0;

	if (!length || length > 9 || (name[0] == '0' && length > 1))
		return -1;
	for (size_t i = 0; i < length; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		number = number * 10 + (name[i] - '0');
	}
	return number;
}

/* Links: exe, cwd and root lead to inodes. Their `priv` is the id and, above it, the kind. */

#define LINK_SHIFT 56

static const char *const links[] = {"exe", "cwd", "root"};

#define NR_LINKS (sizeof(links) / sizeof(links[0]))

/* Returns the link's target, with a reference, or NULL; and the name by which it was found. */
static struct inode *link_follow(struct inode *link, struct dirent **name)
{
	struct task *task = proc_task(link->priv);
	uint64_t index = link->priv >> LINK_SHIFT;
	struct inode *inode = NULL;

	if (!task)
		return NULL;
	*name = NULL;
	if (index == 0 && task->mm) {
		inode = task->mm->exe_inode;
		*name = task->mm->exe_name;
	} else if (index == 1 && task->cwd) {
		inode = task->cwd->directory;
	} else if (index == 2) {
		inode = root_inode;
	}
	if (inode)
		inode_get(inode);
	name_get(*name);
	task_put(task);
	return inode;
}

static void link_read(struct inode *link, struct text *out)
{
	struct dirent *name = NULL;
	struct inode *inode = link_follow(link, &name);
	char *buffer = page_alloc_dirty();
	const char *path;

	if (inode && buffer) {
		path = inode_path(inode, name, buffer, PATH_SIZE);
		text_add(out, path, strlen(path));
	}
	inode_put(inode);
	name_put(name);
	if (buffer)
		page_put(buffer);
}

static int link_permission(const struct inode *link, unsigned ways)
{
	(void)ways;
	return proc_inspect(link->priv);
}

static const struct inode_ops link_ops = {
    .follow = link_follow, .readlink = link_read, .permission = link_permission};

static struct inode *link_inode(uint64_t id, unsigned index)
{
	struct inode *inode = inode_new(S_IFLNK | 0777);

	if (inode) {
		inode->ops = &link_ops;
		inode->priv = id | (uint64_t)index << LINK_SHIFT;
	}
	return inode;
}

static struct inode *directory_inode(uint64_t id, const struct inode_ops *ops)
{
	struct inode *inode = inode_new(S_IFDIR | 0555);

	if (inode) {
		inode->ops = ops;
		inode->priv = id;
		inode->nlink = 2;
	}
	return inode;
}

/* The directory of threads, /proc/PID/task. */

static const struct inode_ops task_ops;

static struct inode *threads_lookup(struct inode *dir, const char *name, size_t length)
{
	struct task *task = proc_task((uint64_t)proc_number(name, length));
	struct inode *inode = NULL;

	if (!task)
		return NULL;
	if ((uint64_t)task->tgid == dir->priv)
		inode = directory_inode((uint64_t)task->pid | PROC_THREAD, &task_ops);
	if (inode) {
		proc_own(inode, task);
		inode->ino = INO_TASKS + (uint64_t)task->pid * 256 + 255;
	}
	task_put(task);
	return inode;
}

static const struct task *process_after(int pid)
{
	const struct task *next = task_after(pid);

	while (next && next->pid != next->tgid)
		next = task_after(next->pid);
	return next;
}

/* Usually it is the task with the next number. */
static const struct task *thread_after(int tgid, int pid)
{
	const struct task *next = task_after(pid), *task;
	struct task *leader;

	if (next && next->tgid == tgid)
		return next;
	leader = task_find(tgid);
	if (!leader)
		return NULL;
	next = NULL;
	list_for_each(task, &leader->process->threads, thread_link)
		if (task->pid > pid && (!next || task->pid < next->pid))
			next = task;
	task_put(leader);
	return next;
}

/* Finds the task with the lowest number above *cookie: a thread of the process, or (tgid 0) a
 * process. */
static bool next_task(uint64_t tgid, uint64_t *cookie, char *name, uint32_t *mode)
{
	const struct task *next = NULL;
	struct text text;

	if (*cookie < INT32_MAX)
		next = tgid ? thread_after((int)tgid, (int)*cookie) : process_after((int)*cookie);
	if (!next)
		return false;
	*cookie = (uint64_t)next->pid;
	text_init(&text, name, NAME_LONGEST);
	text_print(&text, "%d", next->pid);
	*mode = S_IFDIR;
	return true;
}

static bool threads_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
			 uint32_t *mode)
{
	if (!next_task(dir->priv, cookie, name, mode))
		return false;
	*ino = INO_TASKS + *cookie * 256 + 255;
	return true;
}

static const struct inode_ops threads_ops = {.lookup = threads_lookup, .list = threads_list};

/* Returns the directory of one task. */

static struct inode *task_entry(uint64_t id, const char *name, size_t length)
{
	for (const struct synthetic *file = proc_task_files; file->path; file++)
		if (string_is(name, length, file->path))
			return synthetic_inode(file, id);
	for (unsigned i = 0; i < NR_LINKS; i++)
		if (string_is(name, length, links[i]))
			return link_inode(id, i);
	if (string_is(name, length, "mem") || string_is(name, length, "pagemap"))
		return proc_mem_inode(id, length != 3);
	if (string_is(name, length, "fd"))
		return proc_fd_directory(id & ~PROC_THREAD);
	if (string_is(name, length, "fdinfo"))
		return proc_fdinfo_directory(id & ~PROC_THREAD);
	if (string_is(name, length, "ns"))
		return proc_ns_directory(id);
	if (string_is(name, length, "task") && !(id & PROC_THREAD))
		return directory_inode(id, &threads_ops);
	return NULL;
}

static struct inode *task_lookup(struct inode *dir, const char *name, size_t length)
{
	struct task *task = proc_task(dir->priv);
	struct inode *inode;

	if (!task)
		return NULL;
	inode = task_entry(dir->priv, name, length);
	if (inode) {
		proc_own(inode, task);
		if (!S_ISDIR(inode->mode))
			inode->nlink = 1;
	}
	task_put(task);
	return inode;
}

static bool task_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	static const char *const directories[] = {"fd", "fdinfo", "ns", "task"};
	uint64_t index = (*cookie)++, nr_files = 0,
		 nr_directories = dir->priv & PROC_THREAD ? 3 : 4;

	while (proc_task_files[nr_files].path)
		nr_files++;
	if (index < nr_files) {
		strlcpy(name, proc_task_files[index].path, NAME_LONGEST);
		*mode = S_IFREG;
	} else if (index < nr_files + NR_LINKS) {
		strlcpy(name, links[index - nr_files], NAME_LONGEST);
		*mode = S_IFLNK;
	} else if (index < nr_files + NR_LINKS + nr_directories) {
		strlcpy(name, directories[index - nr_files - NR_LINKS], NAME_LONGEST);
		*mode = S_IFDIR;
	} else if (index - nr_files - NR_LINKS - nr_directories < 2) {
		strlcpy(name, index == nr_files + NR_LINKS + nr_directories ? "mem" : "pagemap",
			NAME_LONGEST);
		*mode = S_IFREG;
	} else {
		return false;
	}
	*ino = dir->ino + 1 + index;
	return true;
}

static const struct inode_ops task_ops = {.lookup = task_lookup, .list = task_list};

struct task *proc_process_of(const struct inode *inode)
{
	return inode->ops == &task_ops && !(inode->priv & PROC_THREAD) ? proc_task(inode->priv)
								       : NULL;
}

/* /proc itself: its directories of processes. */

static struct inode *proc_lookup(struct inode *dir, const char *name, size_t length)
{
	struct task *task = proc_task((uint64_t)proc_number(name, length));
	struct inode *inode;

	(void)dir;
	if (!task)
		return NULL;
	inode = directory_inode((uint64_t)task->pid, &task_ops);
	if (inode) {
		inode->uid = task->cred.uid.effective;
		inode->gid = task->cred.gid.effective;
		inode->ino = INO_TASKS + (uint64_t)task->pid * 256;
	}
	task_put(task);
	return inode;
}

static bool proc_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	(void)dir;
	if (!next_task(0, cookie, name, mode))
		return false;
	*ino = INO_TASKS + *cookie * 256;
	return true;
}

static const struct inode_ops proc_ops = {.lookup = proc_lookup, .list = proc_list};

static void self_read(struct inode *link, struct text *out)
{
	(void)link;
	text_print(out, "%d", current_task()->tgid);
}

static void thread_self_read(struct inode *link, struct text *out)
{
	(void)link;
	text_print(out, "%d/task/%d", current_task()->tgid, current_task()->pid);
}

static const struct inode_ops self_ops = {.readlink = self_read};
static const struct inode_ops thread_self_ops = {.readlink = thread_self_read};

static void add(struct inode *proc, const char *name, struct inode *inode)
{
	if (!inode || dir_link(proc, name, strlen(name), inode))
		panic("no memory for /proc: give the machine more");
	inode_put(inode);
}

static void add_link(struct inode *proc, const char *name, const struct inode_ops *ops)
{
	struct inode *link = inode_new(S_IFLNK | 0777);

	add(proc, name, link);
	link->ops = ops;
}

void proc_tasks_init(void)
{
	struct inode *proc = dir_find(root_inode, "proc", 4)->inode;

	add_link(proc, "self", &self_ops);
	add_link(proc, "thread-self", &thread_self_ops);
	add(proc, "kcore", proc_kcore_inode());
	proc->ops = &proc_ops;
}
