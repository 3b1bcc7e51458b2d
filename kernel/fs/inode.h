/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file tree: everything is in memory. Regular files start as a view of the cpio archive; pages
 * are copied out of it when they are mapped or written. Context of all: task, unless noted.
 */
#ifndef KERNEL_INODE_H
#define KERNEL_INODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/base/tree.h"

#define NAME_LONGEST 255
#define PATH_SIZE    4096

struct dirent;
struct file;
struct file_ops;
struct inode;
struct text;
struct watch;

/* Operations of special directories, links and files; ordinary ones have none. Context: task. */
struct inode_ops {
	/* Loads the contents from elsewhere; afterwards these operations are gone. Returns 0 or a
	 * negative errno. */
	int (*fetch)(struct inode *inode);
	/* Directory with fetch(): loads enough of it to find `name`, or to know that it does not
	 * exist. Returns 0 or a negative errno. */
	int (*fetch_name)(struct inode *dir, const char *name, size_t length);
	/* Directory: finds `name` and returns it with a reference, or NULL. Called after the search
	 * of the ordinary entries. */
	struct inode *(*lookup)(struct inode *dir, const char *name, size_t length);
	/* Directory: the first extra name at or after `cookie`; sets the next cookie. Returns false
	 * at the end. */
	bool (*list)(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		     uint32_t *mode);
	/* Symbolic link: writes its target; other files: their names. */
	void (*readlink)(struct inode *link, struct text *out);
	/* Symbolic link to an object: returns it with a reference, and *name with a reference
	 * (NULL: none). */
	struct inode *(*follow)(struct inode *link, struct dirent **name);
	/* Any: replaces the check of the mode. Returns 0 or -EACCES for MAY_* accesses; for a link
	 * it decides who may follow and read it. */
	int (*permission)(const struct inode *inode, unsigned ways);
	/* Regular file: the size to report, in place of inode->size. Task; may sleep. */
	uint64_t (*size)(const struct inode *inode);
	/* Any: the last step of opening the new file. Returns 0 or a negative errno. */
	int (*open)(struct inode *inode, struct file *file);
	/* Directory: an inode is about to get the name in it; the operation may attach it to the
	 * object that the directory stands for. Returns 0 or a negative errno. NULL: no entry can
	 * be made or removed (EPERM). */
	int (*adopt)(struct inode *dir, const char *name, struct inode *inode);
	/* Directory: it is about to be removed: 0 or a negative errno. NULL: ENOTEMPTY. */
	int (*leave)(struct inode *dir);
	/* Any: the last reference is gone; releases the object in `priv`. */
	void (*gone)(struct inode *inode);
};

/* A name in a directory. An open file keeps the name that it was opened by: the name follows
 * renames and outlives its removal. */
struct dirent {
	uint32_t refs;
	struct list link;      /* in the directory, by cookie */
	struct tree_node node; /* among those whose hash begins alike */
	struct inode *dir;     /* referenced */
	struct inode
	    *inode; /* referenced; NULL: the name was removed, or is of no ordinary entry */
	bool removed;
	bool moved;      /* renamed, or moved from another directory */
	uint64_t cookie; /* getdents64 position; grows */
	uint32_t hash;
	uint16_t length;
	char *name;
};

struct inode {
	uint32_t refs; /* users, plus one for each name */
	uint32_t mode; /* S_IF* and permissions */
	uint32_t nlink, uid, gid;
	uint32_t major, minor; /* device number of a device node */
	uint64_t ino, size;
	int64_t atime_ns, mtime_ns, ctime_ns; /* real time */
	int64_t host_ns;     /* ctime_ns while it is as the host has it; 0: it is not the host's */
	struct dirent *name; /* the one it got last, referenced; NULL: it never had one */
	const struct inode_ops *ops;
	const struct file_ops *fops; /* of files opened on it; NULL: by type */
	uint64_t priv;               /* the ops owner's (a pid, an index) */
	uint32_t magic; /* statfs(2): the file system's that begins here; 0: as above */

	struct watch *watches; /* of inotify; NULL: none */

	/* Regular file; symbolic link: `archive` is the target. */
	const uint8_t *archive; /* first contents: bytes of the cpio archive */
	uint64_t archive_bytes;
	void *fetched; /* memory of its own that `archive` points to; NULL: none */
	void **pages;  /* direct-map pages that took the archive's or a hole's place; NULL entries:
			  not yet */
	uint64_t nr_pages; /* entries of pages[] */
	uint32_t writers;  /* open for writing: not executable (ETXTBSY) */
	struct file_lock *locks;
	const struct append *append; /* that other ones wait for; NULL: none */
	/* the name that maps shows for unnamed memory, allocated; NULL: the file's own name */
	char *label;
	uint32_t seals;     /* F_SEAL_* */
	bool mapped;        /* it was, ever */
	uint32_t executors; /* address spaces that run it: not writable (ETXTBSY) */

	/* Directory. */
	struct list entries; /* of struct dirent */
	uint64_t next_cookie;
	bool closed;    /* nothing comes into it any more: it was mounted */
	bool read_only; /* root of a file system that is mounted read-only */
};

#define FILE_SYSTEM_MINOR 1 /* device 0:1 is the tree in memory */

extern struct inode *root_inode;

/* Makes the tree's root and the directories that programs expect. Context: start, once. */
void inodes_init(void);

/* A new inode with one reference and no name, or NULL. */
struct inode *inode_new(uint32_t mode);
void inode_get(struct inode *inode);
/* Drops a reference; the last one frees the inode. NULL: does nothing. */
void inode_put(struct inode *inode);

/* Loads the contents if necessary: 0 or a negative errno. */
static inline int inode_fetch(struct inode *inode)
{
	return inode->ops && inode->ops->fetch ? inode->ops->fetch(inode) : 0;
}

/* Returns the inode of files without a place in the tree (perf events); it is never freed. */
struct inode *anonymous_inode(void);

/* True if the name still leads to its file. */
static inline bool name_is_there(const struct dirent *name)
{
	return name && !name->removed;
}
/* References a name, which may be NULL. */
void name_get(struct dirent *name);
void name_put(struct dirent *name);
/* Returns a name with one reference that is in no directory's list; NULL: no memory. */
struct dirent *name_new(struct inode *dir, const char *name, size_t length);

/* Entries of a directory. dir_find() takes no reference. dir_look() does not either, and does not
 * load the directory's other names: for callers that need one name and change nothing. dir_link()
 * returns 0, -EEXIST, -ENOMEM, -ENAMETOOLONG, or -ENOENT (the directory was removed). */
struct dirent *dir_find(struct inode *dir, const char *name, size_t length);
struct dirent *dir_look(struct inode *dir, const char *name, size_t length);
/* As dir_find(), but looks only at entries that are loaded. */
struct dirent *dir_here(struct inode *dir, const char *name, size_t length);
int dir_link(struct inode *dir, const char *name, size_t length, struct inode *inode);
void dir_unlink(struct dirent *entry);
/* True if the directory, or the mount that contains it, was removed: nothing can be added. */
static inline bool dir_is_gone(const struct inode *dir)
{
	return !dir->nlink || dir->closed;
}

/* Moves the entry to another directory and name, replacing `there` (NULL: nothing): 0, or -ENOMEM
 * with nothing changed. */
int dir_rename(struct dirent *old, struct dirent *there, struct inode *dir, const char *name,
	       size_t length);
/* Exchanges the places of two entries. */
void dir_exchange(struct dirent *one, struct dirent *other);
/* Returns the parent directory; the root is its own. */
struct inode *dir_parent(struct inode *dir);

#endif
