/* SPDX-License-Identifier: BSD-2-Clause */
/* bpffs, at /sys/fs/bpf: folders, links, and the names of what BPF_OBJ_PIN puts there. */
#include "bpf/bpffs.h"
#include <linux/errno.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include "bpf/bpf.h"
#include "bpf/files.h"
#include "bpf/links.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"

static void map_gone(struct inode *inode)
{
	map_unuse((struct bpf_map *)inode->priv, NULL);
}

static void program_gone(struct inode *inode)
{
	program_put((struct bpf_program *)inode->priv);
}

static void link_gone(struct inode *inode)
{
	link_put((struct bpf_link *)inode->priv);
}

/* Only bpf(2) opens them. */
static int refuse_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return -EIO;
}

static const struct inode_ops pin_ops[] = {
    [PIN_MAP] = {.open = refuse_open, .gone = map_gone},
    [PIN_PROGRAM] = {.open = refuse_open, .gone = program_gone},
    [PIN_LINK] = {.open = refuse_open, .gone = link_gone},
};

enum pin_kind pin_of(const struct inode *inode, void **object)
{
	*object = (void *)inode->priv;
	for (unsigned kind = PIN_MAP; kind <= PIN_LINK; kind++)
		if (inode->ops == &pin_ops[kind])
			return kind;
	return PIN_NONE;
}

struct inode *pin_new(enum pin_kind kind, void *object)
{
	struct inode *inode = inode_new(S_IFREG | 0600);
	struct inode none = {.priv = (uint64_t)object};

	if (kind == PIN_MAP)
		((struct bpf_map *)object)->files++;
	if (!inode) {
		pin_ops[kind].gone(&none);
		return NULL;
	}
	inode->ops = &pin_ops[kind];
	inode->priv = (uint64_t)object;
	inode->magic = BPF_FS_MAGIC;
	return inode;
}

/* Names with dots are reserved, as on Linux. */
static int adopt(struct inode *dir, const char *name, struct inode *inode)
{
	void *object;

	if (strchr(name, '.'))
		return -EPERM;
	if (S_ISDIR(inode->mode)) {
		inode->ops = dir->ops;
		inode->magic = BPF_FS_MAGIC;
		return 0;
	}
	return S_ISLNK(inode->mode) || pin_of(inode, &object) ? 0 : -EPERM;
}

static int leave(struct inode *dir)
{
	return list_empty(&dir->entries) ? 0 : -ENOTEMPTY;
}

const struct inode_ops bpffs_ops = {.adopt = adopt, .leave = leave};

void bpffs_init(void)
{
	static const struct synthetic_folder root = {
	    .mode = S_ISVTX | 0700, .magic = BPF_FS_MAGIC, .ops = &bpffs_ops};

	synthetic_folder("/sys/fs/bpf", &root);
}
