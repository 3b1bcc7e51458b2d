/* SPDX-License-Identifier: BSD-2-Clause */
/* Path lookup, path_resolution(7), and the starting point of a task: its current directory and its
 * umask. Context of all: task. */
#ifndef KERNEL_PATH_H
#define KERNEL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/fs/inode.h"

/* Flags of path_lookup(). */
#define LOOKUP_NOFOLLOW 1u  /* a symbolic link at the end is the answer */
#define LOOKUP_NO_XDEV  2u  /* stays within the mount: -EXDEV */
#define LOOKUP_NO_MAGIC 4u  /* follows no link to an object, as /proc/self/fd/0: -ELOOP */
#define LOOKUP_NO_LINKS 8u  /* follows no symbolic link: -ELOOP */
#define LOOKUP_BENEATH  16u /* never leaves the tree below the base: -EXDEV */
#define LOOKUP_IN_ROOT  32u /* the base is the root of the walk */

struct path_end {
	struct inode *dir; /* referenced */
	char name[NAME_LONGEST + 1];
	size_t length;
	bool must_be_dir; /* the path ended in a slash */
};

/* Finds `path` from `base` (NULL: the current directory): 0 and *inode referenced, or a negative
 * errno. */
int path_lookup(struct inode *base, const char *path, unsigned flags, struct inode **inode);
/* As path_lookup(), and returns the name by which it was found, referenced; NULL: the root, or no
 * name. */
int path_lookup_name(struct inode *base, const char *path, unsigned flags, struct inode **inode,
		     struct dirent **name);
/* Finds the directory for the path's last name, which need not exist, and loads its contents,
 * because it is about to change. Returns 0 or a negative errno. */
int path_parent(struct inode *base, const char *path, unsigned flags, struct path_end *end);
void path_end_put(struct path_end *end);

/* Writes the target of a symbolic link. */
void link_target(struct inode *link, struct text *out);

/* Writes the absolute path of `name` (NULL: the inode's last name) to `buffer`; adds " (deleted)"
 * if the name was removed. Returns the path's start within the buffer. */
char *inode_path(const struct inode *inode, const struct dirent *name, char *buffer, size_t size);

struct cwd {
	uint32_t refs; /* tasks that share it (CLONE_FS) */
	uint32_t umask;
	struct inode *directory; /* referenced */
};

/* Returns a new one for a task; NULL: no memory. */
struct cwd *cwd_new(struct inode *directory, uint32_t umask);
void cwd_put(struct cwd *cwd);
/* Another current directory. */
void cwd_go_to(struct cwd *cwd, struct inode *directory);
/* Makes *cwd the task's own, with equal directory and mask: 0 or -ENOMEM. */
int cwd_unshare(struct cwd **cwd);

#endif
