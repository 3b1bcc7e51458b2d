/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk through a directory and those below it, without recursion: programs choose how deep they
 * are. The directories must not change. Context of all: task. */
#ifndef KERNEL_TREE_WALK_H
#define KERNEL_TREE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include "kernel/fs/inode.h"

enum tree_step {
	TREE_ENTRY, /* at `entry`, whose path is set; tree_walk_enter() goes into it next */
	TREE_LEFT,  /* all entries of `dir`, whose path is set, were visited */
	TREE_END,   /* the last step: the top was left */
};

struct tree_walk {
	struct inode *top, *dir;
	struct dirent *entry;
	struct list *at;       /* the last one visited among the entries of `dir`, or its head */
	char *path;            /* PATH_SIZE bytes */
	size_t length, end;    /* of the directory's path; of the entry's */
	unsigned depth, moved; /* of `dir`; 1 + that of the moved entry that it is below, or 0 */
	unsigned long skipped; /* entries whose paths are too long: they are not visited */
	bool leaves;
};

/* Begins at a directory. `path` (PATH_SIZE bytes) has its path, which may be empty. */
void tree_walk_begin(struct tree_walk *walk, struct inode *top, char *path);
enum tree_step tree_walk_next(struct tree_walk *walk);
/* The current entry is a directory: its entries come next. */
void tree_walk_enter(struct tree_walk *walk);
/* Whether the current entry, or a directory that it is in, was moved or renamed (dirent.moved). */
bool tree_walk_moved(const struct tree_walk *walk);

#endif
