/* SPDX-License-Identifier: BSD-2-Clause */
/* References to files in host tests that have no file tree. */
#include <stdint.h>
#include "kernel/fs/inode.h"

void inode_get(struct inode *inode)
{
	inode->refs++;
}

void inode_put(struct inode *inode)
{
	if (inode)
		inode->refs--;
}
