/* SPDX-License-Identifier: BSD-2-Clause */
/* Current folders and file mode masks. */
#include <linux/errno.h>
#include "kernel/fs/cwd.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"

struct cwd *cwd_new(struct inode *folder, uint32_t umask)
{
	struct cwd *cwd = kalloc(sizeof(*cwd));

	if (!cwd)
		return NULL;
	cwd->refs = 1;
	cwd->umask = umask;
	cwd->folder = folder;
	inode_get(folder);
	return cwd;
}

void cwd_put(struct cwd *cwd)
{
	if (--cwd->refs)
		return;
	inode_put(cwd->folder);
	kfree(cwd);
}

void cwd_go_to(struct cwd *cwd, struct inode *folder)
{
	inode_get(folder);
	inode_put(cwd->folder);
	cwd->folder = folder;
}

int cwd_unshare(struct cwd **cwd)
{
	struct cwd *own;

	if ((*cwd)->refs == 1)
		return 0;
	own = cwd_new((*cwd)->folder, (*cwd)->umask);
	if (!own)
		return -ENOMEM;
	(*cwd)->refs--;
	*cwd = own;
	return 0;
}
