/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID: what tells about one process. Its folder and files exist while somebody looks. */
#include <linux/mman.h>
#include <linux/stat.h>
#include "arch/x86/paging.h"
#include "kernel/files.h"
#include "kernel/inode.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/proc.h"
#include "kernel/process.h"
#include "kernel/string.h"
#include "kernel/synthetic.h"
#include "kernel/vm.h"

#define NS_PER_TICK 10000000ul
#define INO_TASKS   0x10000ul /* inode numbers from here on: 256 for each process */

static void make_comm(struct text *out, uint64_t pid)
{
	struct task *task = task_find((int)pid);

	if (!task)
		return;
	text_print(out, "%s\n", task->comm);
	task_put(task);
}

/* Adds bytes of another address space, as far as they are there. */
static void add_memory(struct text *out, struct mm *mm, uint64_t start, uint64_t end)
{
	struct paging_entry entry;

	while (start < end && paging_query(mm->root_phys, start & -PAGE_SIZE, &entry)) {
		uint64_t room = PAGE_SIZE - start % PAGE_SIZE,
			 piece = room < end - start ? room : end - start;

		text_add(out, (const char *)phys_virt(entry.phys) + start % PAGE_SIZE, piece);
		start += piece;
	}
}

static void make_cmdline(struct text *out, uint64_t pid)
{
	struct task *task = task_find((int)pid);

	if (!task)
		return;
	if (task->mm)
		add_memory(out, task->mm, task->mm->arg_start, task->mm->arg_end);
	task_put(task);
}

static void make_environ(struct text *out, uint64_t pid)
{
	struct task *task = task_find((int)pid);

	if (!task)
		return;
	if (task->mm)
		add_memory(out, task->mm, task->mm->env_start, task->mm->env_end);
	task_put(task);
}

static void add_area(struct text *out, const struct vma *vma, char *buffer)
{
	uint32_t major, minor;
	uint64_t ino, generation;
	size_t start = out->length;
	const char *name = vma_name(vma, buffer, PATH_SIZE);

	vma_inode(vma, &major, &minor, &ino, &generation);
	text_print(out, "%lx-%lx %c%c%c%c %08lx %02x:%02x %lu ", vma->start, vma->end,
		   vma->prot & PROT_READ ? 'r' : '-', vma->prot & PROT_WRITE ? 'w' : '-',
		   vma->prot & PROT_EXEC ? 'x' : '-', vma->flags & MAP_SHARED ? 's' : 'p',
		   vma->file ? vma->pgoff * PAGE_SIZE : 0, major, minor, ino);
	if (strcmp(name, "//anon") != 0) {
		while (out->length - start < 73)
			text_char(out, ' ');
		text_print(out, "%s", name);
	}
	text_char(out, '\n');
}

static void make_maps(struct text *out, uint64_t pid)
{
	struct task *task = task_find((int)pid);
	char *buffer = page_alloc_dirty();
	struct vma *vma;

	if (task && task->mm && buffer)
		list_for_each(vma, &task->mm->vmas, link)
			add_area(out, vma, buffer);
	if (buffer)
		page_put(buffer);
	if (task)
		task_put(task);
}

static char state_letter(const struct task *task)
{
	if (task->process->stopped)
		return 'T';
	return task->state == TASK_RUNNABLE ? 'R' : task->state == TASK_SLEEPING ? 'S' : 'Z';
}

/* Bytes that all areas span. */
static uint64_t total_bytes(const struct mm *mm)
{
	const struct vma *vma;
	uint64_t bytes = 0;

	list_for_each(vma, &mm->vmas, link)
		bytes += vma->end - vma->start;
	return bytes;
}

static void make_stat(struct text *out, uint64_t pid)
{
	struct task *task = task_find((int)pid);
	struct usage usage;

	if (!task)
		return;
	process_usage(task->process, &usage);
	text_print(out,
		   "%d (%s) %c %d %d %d 0 -1 0 %lu 0 %lu 0 %lu 0 %lu 0 20 0 %u 0 %lu %lu %lu "
		   "18446744073709551615",
		   task->pid, task->comm, state_letter(task), task->parent ? task->parent->tgid : 0,
		   task->process->pgid, task->process->sid, usage.min_faults, usage.maj_faults,
		   usage.runtime_ns / NS_PER_TICK, task->process->children.runtime_ns / NS_PER_TICK,
		   task->process->live, task->start_ns / NS_PER_TICK,
		   task->mm ? total_bytes(task->mm) : 0, task->mm ? task->mm->rss : 0);
	for (unsigned i = 0; i < 27; i++)
		text_print(out, " 0");
	text_char(out, '\n');
	task_put(task);
}

static void make_status(struct text *out, uint64_t pid)
{
	struct task *task = task_find((int)pid);

	if (!task)
		return;
	text_print(out,
		   "Name:\t%s\nState:\t%c\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nUid:\t0\t0\t0\t0\nGid:"
		   "\t0\t0\t0\t0\n",
		   task->comm, state_letter(task), task->tgid, task->pid,
		   task->parent ? task->parent->tgid : 0);
	if (task->mm)
		text_print(out, "VmSize:\t%8lu kB\nVmHWM:\t%8lu kB\nVmRSS:\t%8lu kB\n",
			   total_bytes(task->mm) / 1024, task->mm->max_rss * 4, task->mm->rss * 4);
	text_print(out,
		   "Threads:\t%u\nSigBlk:\t%016lx\nvoluntary_ctxt_switches:\t%lu\nnonvoluntary_"
		   "ctxt_switches:\t%lu\n",
		   task->process->live, task->blocked, task->nvcsw, task->nivcsw);
	task_put(task);
}

static const struct synthetic files[] = {
    {"cmdline", make_cmdline, NULL}, {"comm", make_comm, NULL}, {"environ", make_environ, NULL},
    {"maps", make_maps, NULL},       {"stat", make_stat, NULL}, {"status", make_status, NULL},
};

#define NR_FILES (sizeof(files) / sizeof(files[0]))

/* Links: exe, cwd and root lead to inodes. */

static const char *const links[] = {"exe", "cwd", "root"};

#define NR_LINKS (sizeof(links) / sizeof(links[0]))

/* The inode that link `index` of process `pid` leads to, with a reference, or NULL. */
static struct inode *link_end(uint64_t pid, uint64_t index)
{
	struct task *task = task_find((int)pid);
	struct inode *inode = NULL;

	if (!task)
		return NULL;
	if (index == 0 && task->mm)
		inode = task->mm->exe_inode;
	else if (index == 1 && task->files)
		inode = task->files->cwd;
	else if (index == 2)
		inode = root_inode;
	if (inode)
		inode_get(inode);
	task_put(task);
	return inode;
}

static struct inode *link_follow(struct inode *link)
{
	return link_end(link->priv >> 8, link->priv & 0xff);
}

static void link_read(struct inode *link, struct text *out)
{
	struct inode *inode = link_follow(link);
	char *buffer = page_alloc_dirty();
	const char *path;

	if (inode && buffer) {
		path = inode_path(inode, buffer, PATH_SIZE);
		text_add(out, path, strlen(path));
	}
	if (inode)
		inode_put(inode);
	if (buffer)
		page_put(buffer);
}

static const struct inode_ops link_ops = {.follow = link_follow, .readlink = link_read};

/* The folder of one process. */

static bool name_is(const char *name, size_t length, const char *wanted)
{
	return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

static struct inode *task_lookup(struct inode *dir, const char *name, size_t length)
{
	struct inode *inode = NULL;
	uint64_t pid = dir->priv;

	for (unsigned i = 0; i < NR_FILES; i++)
		if (name_is(name, length, files[i].path))
			inode = synthetic_inode(&files[i], pid);
	for (unsigned i = 0; i < NR_LINKS; i++) {
		if (!name_is(name, length, links[i]))
			continue;
		inode = inode_new(S_IFLNK | 0777);
		if (inode) {
			inode->ops = &link_ops;
			inode->priv = pid << 8 | i;
		}
	}
	if (name_is(name, length, "fd"))
		inode = proc_fd_folder(pid);
	if (inode)
		inode->nlink = 1;
	return inode;
}

static bool task_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	uint64_t index = (*cookie)++;

	if (index > NR_FILES + NR_LINKS)
		return false;
	if (index == NR_FILES + NR_LINKS) {
		strlcpy(name, "fd", NAME_LONGEST);
		*mode = S_IFDIR;
	} else {
		strlcpy(name, index < NR_FILES ? files[index].path : links[index - NR_FILES],
			NAME_LONGEST);
		*mode = index < NR_FILES ? S_IFREG : S_IFLNK;
	}
	*ino = INO_TASKS + dir->priv * 256 + 1 + index;
	return true;
}

static const struct inode_ops task_ops = {.lookup = task_lookup, .list = task_list};

/* /proc itself: its folders of processes. */

static struct inode *proc_lookup(struct inode *dir, const char *name, size_t length)
{
	struct inode *inode;
	struct task *task;
	int pid = 0;

	(void)dir;
	if (length > 9 || !length)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if (name[i] < '0' || name[i] > '9')
			return NULL;
		pid = pid * 10 + (name[i] - '0');
	}
	task = task_find(pid);
	if (!task)
		return NULL;
	task_put(task);
	inode = inode_new(S_IFDIR | 0555);
	if (!inode)
		return NULL;
	inode->nlink = 2;
	inode->ops = &task_ops;
	inode->priv = (uint64_t)pid;
	inode->ino = INO_TASKS + (uint64_t)pid * 256;
	return inode;
}

static bool proc_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	struct task *task, *next = NULL;
	struct text text;

	(void)dir;
	list_for_each(task, &all_tasks, task_link)
		if (task->pid == task->tgid && (uint64_t)task->pid > *cookie &&
		    (!next || task->pid < next->pid))
			next = task;
	if (!next)
		return false;
	*cookie = (uint64_t)next->pid;
	text_init(&text, name, NAME_LONGEST);
	text_print(&text, "%d", next->pid);
	*ino = INO_TASKS + *cookie * 256;
	*mode = S_IFDIR;
	return true;
}

static const struct inode_ops proc_ops = {.lookup = proc_lookup, .list = proc_list};

static void self_read(struct inode *link, struct text *out)
{
	(void)link;
	text_print(out, "%d", current_task()->tgid);
}

static const struct inode_ops self_ops = {.readlink = self_read};

void proc_tasks_init(void)
{
	struct inode *proc = dir_find(root_inode, "proc", 4)->inode;
	struct inode *self = inode_new(S_IFLNK | 0777);

	if (!self || dir_link(proc, "self", 4, self))
		panic("no memory for /proc: give the machine more");
	inode_put(self);
	self->ops = &self_ops;
	proc->ops = &proc_ops;
}
