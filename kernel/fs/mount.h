/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts: a name in the tree leads to another directory or file, until it is unmounted. All
 * processes see the same mounts. Context of all: task. */
#ifndef KERNEL_MOUNT_H
#define KERNEL_MOUNT_H

#include <stdbool.h>

struct dirent;
struct inode;
struct text;

#define MOUNTS_MAX 1024

struct mount_kind {
	const char *type, *options; /* as `mounts` shows them; NULL: no options */
	bool owned;                 /* the root has no place but this one */
	bool kept;                  /* owned, but its contents outlive the mount */
};

/* Mounts `root` at the name. `kind` must stay valid, `source` is copied. Takes the reference to
 * root: 0, -ENOMEM, -ENOSPC: too many; -EINVAL: the name does not exist. */
int mount_add(struct dirent *name, struct inode *root, const struct mount_kind *kind,
	      const char *source);
/* Removes the last mount there: 0, -EINVAL: there is none; -EBUSY: it is in use (with `detach`: it
 * contains mounts). */
int mount_remove(struct dirent *name, bool detach);
/* True if a mount is there. */
bool mount_is_at(const struct dirent *name);
/* True if both directories are in one mount. */
bool mount_is_same(const struct inode *one, const struct inode *other);
/* Makes the last file system mounted there read-only or writable; one whose root has other places,
 * too, stays as it is. 0, -EINVAL: no mount is there; -EBUSY: a file is open for writing. */
int mount_set_read_only(const struct dirent *name, bool read_only);
/* Adds the lines of /proc/PID/mounts, or (`info`) of mountinfo. */
void mounts_print(struct text *out, bool info);

#endif
