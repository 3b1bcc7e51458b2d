/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts: a name in the tree leads to another folder or file than its own, until it is unmounted.
 * All processes see the same. Context of all: task. */
#ifndef KERNEL_MOUNT_H
#define KERNEL_MOUNT_H

#include <stdbool.h>

struct dirent;
struct inode;
struct text;

#define MOUNTS_MOST 1024

struct mount_kind {
	const char *type, *options; /* as `mounts` shows them; NULL: no options */
	bool owned;                 /* the root has no place but this one */
	bool kept;                  /* owned, but its contents outlive the mount */
};

/* The name leads to `root`. `kind` stays, `source` is copied. Takes the reference to root: 0,
 * -ENOMEM, -ENOSPC: there are too many; -EINVAL: there is no such name. */
int mount_add(struct dirent *name, struct inode *root, const struct mount_kind *kind,
	      const char *source);
/* Takes away what was mounted there last: 0, -EINVAL: nothing was; -EBUSY: it is in use, which
 * with `detach` only mounts in it are. */
int mount_remove(struct dirent *name, bool detach);
/* Whether something is mounted there. */
bool mount_is_at(const struct dirent *name);
/* Lines as of /proc/PID/mounts, or (`info`) mountinfo. */
void mounts_print(struct text *out, bool info);

#endif
