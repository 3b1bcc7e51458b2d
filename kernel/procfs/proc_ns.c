/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/ns: links that lead to a task's namespaces, of which there is one of each kind. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/nsfs.h>
#include <linux/stat.h>
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/fs/file.h"
#include "kernel/fs/inode.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/namespaces.h"

/* The links; two kinds have another one, of the children to come. */
static const struct {
	const char *name;
	uint8_t of; /* number in `namespaces` */
} links[] = {
    {"cgroup", 6}, {"ipc", 2},
    {"mnt", 5},    {"net", 0},
    {"pid", 3},    {"pid_for_children", 3},
    {"time", 7},   {"time_for_children", 7},
    {"user", 4},   {"uts", 1},
};

#define NR_LINKS (sizeof(links) / sizeof(links[0]))

/* What the links lead to. Constant after start. */
static struct inode *inodes[NR_ALL_NAMESPACES];

static void tell(uint64_t number, struct text *out)
{
	text_print(out, "%s:[%u]", namespaces[number].name, namespaces[number].number);
}

static void inode_read_name(struct inode *inode, struct text *out)
{
	tell(inode->priv, out);
}

static long ioctl(struct file *file, unsigned command, uint64_t argument)
{
	(void)argument;
	return command == NS_GET_NSTYPE ? (long)namespaces[file->inode->priv].kind : -ENOTTY;
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
	return file->ops == &file_ops ? &namespaces[file->inode->priv] : NULL;
}

/* Of a link: the task's number, and that of the namespace above it. */
#define NUMBER_SHIFT 56

static struct inode *link_follow(struct inode *link, struct dirent **name)
{
	struct inode *inode = inodes[link->priv >> NUMBER_SHIFT];

	*name = NULL;
	inode_get(inode);
	return inode;
}

static void link_read(struct inode *link, struct text *out)
{
	tell(link->priv >> NUMBER_SHIFT, out);
}

static int link_permission(const struct inode *link, unsigned ways)
{
	(void)ways;
	return proc_inspect(link->priv & ((1ul << NUMBER_SHIFT) - 1));
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

static const struct inode_ops folder_ops = {.lookup = ns_lookup, .list = ns_list};

struct inode *proc_ns_folder(uint64_t id)
{
	struct inode *inode = inode_new(S_IFDIR | 0511);

	if (inode) {
		inode->ops = &folder_ops;
		inode->priv = id;
		inode->nlink = 2;
	}
	return inode;
}

void proc_namespaces_init(void)
{
	for (unsigned i = 0; i < NR_ALL_NAMESPACES; i++) {
		struct inode *inode = inode_new(S_IFREG | 0444);

		if (!inode)
			panic("no memory for /proc: give the machine more");
		inode->ops = &ops;
		inode->fops = &file_ops;
		inode->priv = i;
		inode->ino = namespaces[i].number;
		inode->nlink = 1;
		inodes[i] = inode;
	}
}
