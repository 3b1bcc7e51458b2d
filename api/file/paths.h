/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths from ring 3. */
#ifndef API_PATHS_H
#define API_PATHS_H

#include <stdint.h>
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"

/* A user's path with its starting directory. */
struct user_path {
	char *path;         /* NUL-terminated, PATH_SIZE bytes */
	struct inode *base; /* referenced; NULL: the current directory */
};

/* Copies it in. `rooted`: absolute paths also start at the descriptor. Returns 0, -EFAULT,
 * -ENAMETOOLONG, -EBADF, -ENOTDIR, -ENOMEM. Context: task, as all here. */
int user_path_get(struct user_path *user, uint64_t dirfd, uint64_t path, bool rooted);
void user_path_put(struct user_path *user);

/* Finds the inode of a user's path, with a reference. `flags`: LOOKUP_*. */
int user_lookup(uint64_t dirfd, uint64_t path, unsigned flags, struct inode **inode);
/* As user_lookup(), with AT_EMPTY_PATH and AT_SYMLINK_NOFOLLOW from `at_flags`. */
int user_lookup_at(uint64_t dirfd, uint64_t path, unsigned at_flags, struct inode **inode);
/* As user_lookup_at(), and returns the name by which it was found, referenced; NULL: none. */
int user_lookup_name(uint64_t dirfd, uint64_t path, unsigned at_flags, struct inode **inode,
		     struct dirent **name);
/* Finds the directory for the last name of a user's path; release it with path_end_put(). */
int user_parent(uint64_t dirfd, uint64_t path, struct path_end *end);

/* Adds an entry for the inode at the path's end, with a reference of its own; a new inode gets the
 * caller's owner: 0, -EEXIST or another negative errno. */
int entry_add(const struct path_end *end, struct inode *inode, bool is_new);
/* Makes a file at a path of the kernel's own, with the mode and the caller's owner: *inode has one
 * reference; and removes one. Return 0 or a negative errno (-EEXIST). */
int file_make(const char *path, uint32_t mode, struct inode **inode);
int file_remove(const char *path);
/* Returns a new file's mode, masked by the current task's umask. */
uint32_t mode_masked(uint64_t mode);

#endif
