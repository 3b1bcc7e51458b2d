/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through directories by their entries and the names by which they are in other ones. */
#include "kernel/base/assert.h"
#include "kernel/fs/tree_walk.h"

#include "kernel/base/string.h"

void tree_walk_begin(struct tree_walk *walk, struct inode *top, char *path)
{
	*walk = (struct tree_walk){
	    .top = top, .dir = top, .at = &top->entries, .path = path, .length = strlen(path)};
}

/* Back to the directory that the current one is in. */
static void leave(struct tree_walk *walk)
{
	struct dirent *name = walk->dir->name;

	walk->length -= name->length;
	walk->length -= walk->length != 0; /* the slash */
	walk->path[walk->length] = '\0';
	walk->dir = name->dir;
	walk->at = &name->link;
	walk->leaves = false;
	KASSERT(walk->depth > 0);
	walk->depth--;
	if (walk->moved > walk->depth)
		walk->moved = 0;
}

/* Sets the path of the entry: false if it is too long. */
static bool name_entry(struct tree_walk *walk)
{
	size_t start = walk->length + (walk->length != 0);

	walk->end = start + walk->entry->length;
	if (walk->end + 1 > PATH_SIZE)
		return false;
	walk->path[walk->length] = '/';
	memcpy(walk->path + start, walk->entry->name, walk->entry->length + 1u);
	return true;
}

enum tree_step tree_walk_next(struct tree_walk *walk)
{
	if (walk->leaves && walk->dir == walk->top)
		return TREE_END;
	if (walk->leaves)
		leave(walk);
	while ((walk->at = walk->at->next) != &walk->dir->entries) {
		walk->entry = container_of(walk->at, struct dirent, link);
		if (name_entry(walk))
			return TREE_ENTRY;
		walk->skipped++;
	}
	walk->path[walk->length] = '\0';
	walk->leaves = true;
	return TREE_LEFT;
}

void tree_walk_enter(struct tree_walk *walk)
{
	if (!walk->moved && walk->entry->moved)
		walk->moved = walk->depth + 1;
	walk->dir = walk->entry->inode;
	walk->at = &walk->dir->entries;
	walk->length = walk->end;
	walk->depth++;
}

bool tree_walk_moved(const struct tree_walk *walk)
{
	return walk->moved || (!walk->leaves && walk->entry->moved);
}
