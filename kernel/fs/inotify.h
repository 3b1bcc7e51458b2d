/* SPDX-License-Identifier: BSD-2-Clause */
/* inotify(7): who watches files and folders, and is told what is done. Context of all: task. */
#ifndef KERNEL_INOTIFY_H
#define KERNEL_INOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dirent;
struct file;
struct inode;

#define INOTIFY_INSTANCES_MOST 128 /* of a user; as on Linux */
#define INOTIFY_WATCHES_MOST   8192
#define INOTIFY_EVENTS_MOST    16384 /* unread, of an instance */

extern uint32_t inotify_watches; /* of all: most of the time there is none */

/* Tells watches of `events`, IN_* of inotify(7); the caller holds a reference to the inode. This
 * one: those of the inode, and of the folder where it is known by `name` (NULL: by none). */
void inotify_tell(const struct inode *inode, const struct dirent *name, uint32_t events);
/* The same, those of the inode alone. */
void inotify_tell_self(const struct inode *inode, uint32_t events);
/* The same, those of a folder, of a name that it got or lost. `cookie`: what both ends of a move
 * share, a new inotify_cookie(); 0: no move. */
void inotify_tell_entry(const struct inode *dir, const char *name, size_t length, uint32_t events,
			uint32_t cookie);
uint32_t inotify_cookie(void);
/* The inode is about to be freed; nobody else holds it. */
void inotify_gone(struct inode *inode);

/* What was done with an open file. */
#define file_tell(file, events)                                            \
	do {                                                               \
		if (inotify_watches && (file)->inode)                      \
			inotify_tell((file)->inode, (file)->name, events); \
	} while (0)

/* A new instance with one reference: 0, -EMFILE or -ENOMEM. `flags`: O_NONBLOCK or 0. */
int inotify_open(uint32_t flags, struct file **file);
/* Whether the open file is an instance: the functions below take no other. */
bool inotify_is(const struct file *file);
/* Its watch of the inode, with a mask of IN_* that was checked: a number from 1 on, -EEXIST,
 * -ENOSPC or -ENOMEM. */
int inotify_add(struct file *file, struct inode *inode, uint32_t mask);
/* 0 or -EINVAL. */
int inotify_remove(struct file *file, int wd);

#endif
