/* SPDX-License-Identifier: BSD-2-Clause */
/* bpffs, at /sys/fs/bpf: directories, links, and the names of pinned objects (BPF_OBJ_PIN). */
#include <linux/errno.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include "bpf/object/bpffs.h"
#include "bpf/object/files.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"

static void gone(struct inode *inode)
{
	bpf_unuse((struct bpf_object *)inode->priv, NULL);
}

/* Only bpf(2) can open them. */
static int refuse_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return -EIO;
}

static const struct inode_ops pin_ops = {.open = refuse_open, .gone = gone};

struct bpf_object *pin_of(const struct inode *inode)
{
	return inode->ops == &pin_ops ? (struct bpf_object *)inode->priv : NULL;
}

struct inode *pin_new(struct bpf_object *object)
{
	struct inode *inode = inode_new(S_IFREG | 0600);

	bpf_use(object);
	if (!inode) {
		bpf_unuse(object, NULL);
		return NULL;
	}
	inode->ops = &pin_ops;
	inode->priv = (uint64_t)object;
	inode->magic = BPF_FS_MAGIC;
	return inode;
}

/* Names with dots are reserved, as on Linux. */
static int adopt(struct inode *dir, const char *name, struct inode *inode)
{
	if (strchr(name, '.'))
		return -EPERM;
	if (S_ISDIR(inode->mode)) {
		inode->ops = dir->ops;
		inode->magic = BPF_FS_MAGIC;
		return 0;
	}
	return S_ISLNK(inode->mode) || pin_of(inode) ? 0 : -EPERM;
}

static int leave(struct inode *dir)
{
	return list_empty(&dir->entries) ? 0 : -ENOTEMPTY;
}

const struct inode_ops bpffs_ops = {.adopt = adopt, .leave = leave};

void bpffs_init(void)
{
	static const struct synthetic_directory root = {
	    .mode = S_ISVTX | 0700, .magic = BPF_FS_MAGIC, .ops = &bpffs_ops};

	synthetic_directory("/sys/fs/bpf", &root);
}
