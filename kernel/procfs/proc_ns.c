/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/ns: links that lead to a task's namespaces. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/nsfs.h>
#include <linux/stat.h>
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/task.h"

/* The links; two kinds have a second one, for future children. */
static const struct {
	const char *name;
	uint8_t of; /* number in `namespaces` */
} links[] = {
    {"cgroup", 6}, {"ipc", 2},
    {"mnt", 5},    {"net", 0},
    {"pid", 3},    {"pid_for_children", 3},
    {"time", 7},   {"time_for_children", 7},
    {"user", 4},   {"uts", NAMESPACE_UTS},
};

#define NR_LINKS (sizeof(links) / sizeof(links[0]))

/* Inodes that the links lead to, for kinds with one namespace. Constant after start. */
static struct inode *inodes[NR_ALL_NAMESPACES];

/* UTS namespaces have an inode each, whose private value is the namespace, referenced. */
static const struct inode_ops uts_ops;

static const struct namespace *kind_of(const struct inode *inode)
{
	return &namespaces[inode->ops == &uts_ops ? NAMESPACE_UTS : inode->priv];
}

static void inode_read_name(struct inode *inode, struct text *out)
{
	text_print(out, "%s:[%u]", kind_of(inode)->name, (unsigned)inode->ino);
}

static long ioctl(struct file *file, unsigned command, uint64_t argument)
{
	(void)argument;
	return command == NS_GET_NSTYPE ? (long)kind_of(file->inode)->kind : -ENOTTY;
}

/* As an immutable file. */
static int opened(struct inode *inode, struct file *file)
{
	(void)inode;
	return (file->flags & O_ACCMODE) == O_RDONLY ? 0 : -EPERM;
}

static const struct file_ops file_ops = {.ioctl = ioctl};
static const struct inode_ops ops = {.readlink = inode_read_name, .open = opened};

const struct namespace *namespace_of_file(const struct file *file)
{
	return file->ops == &file_ops ? kind_of(file->inode) : NULL;
}

struct uts *uts_of_file(const struct file *file)
{
	return file->inode->ops == &uts_ops ? (struct uts *)file->inode->priv : NULL;
}

static void uts_gone(struct inode *inode)
{
	uts_put((struct uts *)inode->priv);
}

static const struct inode_ops uts_ops = {
    .readlink = inode_read_name, .open = opened, .gone = uts_gone};

static struct inode *inode_make(const struct inode_ops *operations, uint64_t priv, uint32_t number)
{
	struct inode *inode = inode_new(S_IFREG | 0444);

	if (inode) {
		inode->ops = operations;
		inode->fops = &file_ops;
		inode->priv = priv;
		inode->ino = number;
		inode->nlink = 1;
	}
	return inode;
}

static struct inode *uts_inode(struct uts *uts)
{
	struct inode *inode = inode_make(&uts_ops, (uint64_t)uts, uts->number);

	if (inode)
		uts_get(uts);
	return inode;
}

/* A link's private value: the task's number, and above it the index of the namespace. */
#define NUMBER_SHIFT 56

static uint64_t task_of_link(const struct inode *link)
{
	return link->priv & ((1ul << NUMBER_SHIFT) - 1);
}

static struct inode *link_follow(struct inode *link, struct dirent **name)
{
	unsigned place = link->priv >> NUMBER_SHIFT;
	struct inode *inode = inodes[place];
	struct task *task;

	*name = NULL;
	if (place != NAMESPACE_UTS) {
		inode_get(inode);
		return inode;
	}
	task = proc_task(task_of_link(link));
	if (!task)
		return NULL;
	inode = uts_inode(uts_of(task));
	task_put(task);
	return inode;
}

static void link_read(struct inode *link, struct text *out)
{
	unsigned place = link->priv >> NUMBER_SHIFT;
	struct task *task = proc_task(task_of_link(link));

	if (!task)
		return;
	text_print(out, "%s:[%u]", namespaces[place].name, namespace_number(task, place));
	task_put(task);
}

static int link_permission(const struct inode *link, unsigned ways)
{
	(void)ways;
	return proc_inspect(task_of_link(link));
}

static const struct inode_ops link_ops = {
    .follow = link_follow, .readlink = link_read, .permission = link_permission};

static struct inode *ns_lookup(struct inode *dir, const char *name, size_t length)
{
	struct inode *inode;
	unsigned i = 0;

	while (i < NR_LINKS && !string_is(name, length, links[i].name))
		i++;
	inode = i < NR_LINKS ? inode_new(S_IFLNK | 0777) : NULL;
	if (inode) {
		inode->nlink = 1;
		inode->ops = &link_ops;
		inode->priv = dir->priv | (uint64_t)links[i].of << NUMBER_SHIFT;
	}
	return inode;
}

static bool ns_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino, uint32_t *mode)
{
	if (*cookie >= NR_LINKS)
		return false;
	strlcpy(name, links[*cookie].name, NAME_LONGEST);
	*ino = dir->ino + 1 + *cookie;
	*mode = S_IFLNK;
	(*cookie)++;
	return true;
}

static const struct inode_ops directory_ops = {.lookup = ns_lookup, .list = ns_list};

struct inode *proc_ns_directory(uint64_t id)
{
	struct inode *inode = inode_new(S_IFDIR | 0511);

	if (inode) {
		inode->ops = &directory_ops;
		inode->priv = id;
		inode->nlink = 2;
	}
	return inode;
}

void proc_namespaces_init(void)
{
	for (unsigned i = 0; i < NR_ALL_NAMESPACES; i++) {
		inodes[i] = inode_make(&ops, i, namespaces[i].number);
		if (!inodes[i])
			panic("no memory for /proc: give the machine more");
	}
}
