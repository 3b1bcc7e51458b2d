/* SPDX-License-Identifier: BSD-2-Clause */
/* The initial archive with any bytes: the tree that it makes hangs together, and none of it is
 * lost. */
#include <linux/stat.h>
#include <stdlib.h>
#include "kernel/base/list.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/process/cpio.h"
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"

/* Nothing here writes to files. */
void inode_free_data(struct inode *inode)
{
	(void)inode;
}

/* No file is watched. */
void inotify_gone(struct inode *inode)
{
	(void)inode;
}

/* Checks that every file's bytes are in the archive. */
static void check_file(const struct inode *inode, const uint8_t *archive, size_t bytes)
{
	if (inode->archive && (inode->archive < archive || inode->archive_bytes > bytes ||
			       (size_t)(inode->archive - archive) > bytes - inode->archive_bytes))
		abort();
}

/* Looks at everything below a directory, and removes it. */
static void empty(struct inode *dir, const uint8_t *archive, size_t bytes)
{
	while (dir->entries.next != &dir->entries) {
		struct dirent *entry = container_of(dir->entries.next, struct dirent, link);

		if (entry->dir != dir || strlen(entry->name) != entry->length ||
		    strchr(entry->name, '/'))
			abort();
		if (S_ISDIR(entry->inode->mode))
			empty(entry->inode, archive, bytes);
		else
			check_file(entry->inode, archive, bytes);
		dir_unlink(entry);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned held;

	if (!root_inode)
		inodes_init();
	empty(root_inode, data, size);
	held = fake_open_objects;
	cpio_unpack(data, size);
	empty(root_inode, data, size);
	if (fake_open_objects != held)
		abort();
	return 0;
}
