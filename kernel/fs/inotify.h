/* SPDX-License-Identifier: BSD-2-Clause */
/* inotify(7): notifies the watches of files and directories. Context of all: task. */
#ifndef KERNEL_INOTIFY_H
#define KERNEL_INOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dirent;
struct file;
struct inode;

#define INOTIFY_INSTANCES_MAX 128 /* of a user; as on Linux */
#define INOTIFY_WATCHES_MAX   8192
#define INOTIFY_EVENTS_MAX    16384 /* unread, of an instance */

extern uint32_t inotify_watches; /* of all: most of the time there is none */

/* Reports `events` (IN_* of inotify(7)) to the watches of the inode and of the directory that holds
 * `name` (NULL: no name). The caller holds a reference to the inode. */
void inotify_notify(const struct inode *inode, const struct dirent *name, uint32_t events);
/* As inotify_notify(), but only to the watches of the inode itself. */
void inotify_notify_self(const struct inode *inode, uint32_t events);
/* Reports to the watches of a directory that it got or lost a name. `cookie` links both ends of a
 * move: a new inotify_cookie(), or 0 if it is no move. */
void inotify_notify_entry(const struct inode *dir, const char *name, size_t length, uint32_t events,
			  uint32_t cookie);
uint32_t inotify_cookie(void);
/* Ends the watches of an inode that is about to be freed; there are no other references. */
void inotify_gone(struct inode *inode);

/* Reports `events` for an open file. */
#define file_notify(file, events)                                            \
	do {                                                                 \
		if (inotify_watches && (file)->inode)                        \
			inotify_notify((file)->inode, (file)->name, events); \
	} while (0)

/* A new instance with one reference: 0, -EMFILE or -ENOMEM. `flags`: O_NONBLOCK or 0. */
int inotify_open(uint32_t flags, struct file **file);
/* True if the open file is an instance; the functions below accept only instances. */
bool inotify_is(const struct file *file);
/* Adds or changes the instance's watch of the inode, with a checked mask of IN_*: returns a number
 * from 1 on, -EEXIST, -ENOSPC or -ENOMEM. */
int inotify_add(struct file *file, struct inode *inode, uint32_t mask);
/* 0 or -EINVAL. */
int inotify_remove(struct file *file, int wd);

#endif
