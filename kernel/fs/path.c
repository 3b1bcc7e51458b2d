/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks from names to inodes: path_resolution(7). */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/fs/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/base/string.h"
#include "kernel/task/task.h"
#include "kernel/base/text.h"

#define LINKS_MOST 40 /* symbolic links followed in one walk, as Linux */

struct walk {
	struct inode *at; /* referenced: the folder reached so far */
	const char *rest; /* what is left of the path */
	char *scratch;    /* page that holds the path once a link was followed, or NULL */
	unsigned links;   /* followed so far */
};

static int walk_start(struct walk *walk, struct inode *base, const char *path)
{
	if (!*path)
		return -ENOENT;
	walk->at = *path == '/' ? root_inode : base ? base : current_task()->files->cwd;
	inode_get(walk->at);
	walk->rest = path;
	walk->scratch = NULL;
	walk->links = 0;
	return 0;
}

static void walk_end(struct walk *walk)
{
	inode_put(walk->at);
	if (walk->scratch)
		page_put(walk->scratch);
}

static void walk_to(struct walk *walk, struct inode *inode)
{
	inode_put(walk->at);
	walk->at = inode;
}

/* Cuts the next name off the path; returns its length, 0 at the end. Sets whether it is the path's
 * last. */
static size_t next_name(struct walk *walk, const char **name, bool *last)
{
	const char *end;

	while (*walk->rest == '/')
		walk->rest++;
	*name = walk->rest;
	end = walk->rest;
	while (*end && *end != '/')
		end++;
	walk->rest = end;
	while (*end == '/')
		end++;
	*last = !*end;
	return walk->rest - *name;
}

/* The entry `name` of the folder that the walk is at, with a reference. */
static int step(struct walk *walk, const char *name, size_t length, struct inode **found)
{
	struct dirent *entry;

	if (!S_ISDIR(walk->at->mode))
		return -ENOTDIR;
	if (inode_permission(walk->at, MAY_EXECUTE))
		return -EACCES;
	if (length > NAME_LONGEST)
		return -ENAMETOOLONG;
	if (length == 1 && name[0] == '.') {
		*found = walk->at;
	} else if (length == 2 && name[0] == '.' && name[1] == '.') {
		*found = dir_parent(walk->at);
	} else {
		entry = dir_find(walk->at, name, length);
		if (!entry) {
			*found = walk->at->ops && walk->at->ops->lookup
				     ? walk->at->ops->lookup(walk->at, name, length)
				     : NULL;
			return *found ? 0 : -ENOENT;
		}
		*found = entry->inode;
	}
	inode_get(*found);
	return 0;
}

void link_target(struct inode *link, struct text *out)
{
	if (link->ops && link->ops->readlink)
		link->ops->readlink(link, out);
	else
		text_add(out, (const char *)link->archive, link->archive_bytes);
}

/* Writes the target of `link` before what is left of the path. */
static int link_expand(struct walk *walk, struct inode *link)
{
	size_t rest = strlen(walk->rest);
	struct text out;
	char *page = page_alloc_dirty();

	if (!page)
		return -ENOMEM;
	text_init(&out, page, PATH_SIZE);
	link_target(link, &out);
	text_add(&out, walk->rest, rest);
	if (walk->scratch)
		page_put(walk->scratch);
	walk->scratch = page;
	walk->rest = page;
	if (out.length >= PATH_SIZE)
		return -ENAMETOOLONG;
	return out.length ? 0 : -ENOENT;
}

/* Goes on through a symbolic link; consumes the reference to it. */
static int follow(struct walk *walk, struct inode *link)
{
	struct inode *direct = NULL;
	int err = 0;

	if (++walk->links > LINKS_MOST) {
		err = -ELOOP;
	} else if (link->ops && link->ops->permission && link->ops->permission(link, MAY_READ)) {
		err = -EACCES;
	} else if (link->ops && link->ops->follow) {
		direct = link->ops->follow(link);
		if (direct)
			walk_to(walk, direct);
		else
			err = -ENOENT;
	} else {
		err = link_expand(walk, link);
		if (!err && *walk->rest == '/') {
			inode_get(root_inode);
			walk_to(walk, root_inode);
		}
	}
	inode_put(link);
	return err;
}

int path_lookup(struct inode *base, const char *path, unsigned flags, struct inode **inode)
{
	struct walk walk;
	struct inode *found;
	const char *name;
	size_t length;
	bool last, slash;
	int err = walk_start(&walk, base, path);

	if (err)
		return err;
	for (;;) {
		length = next_name(&walk, &name, &last);
		if (!length)
			break;
		slash = *walk.rest == '/';
		err = step(&walk, name, length, &found);
		if (err)
			break;
		if (S_ISLNK(found->mode) && (!last || slash || !(flags & LOOKUP_NOFOLLOW))) {
			err = follow(&walk, found);
			if (err)
				break;
			continue;
		}
		walk_to(&walk, found);
		if (slash && !S_ISDIR(found->mode)) {
			err = -ENOTDIR;
			break;
		}
	}
	if (!err) {
		*inode = walk.at;
		inode_get(*inode);
	}
	walk_end(&walk);
	return err;
}

int path_parent(struct inode *base, const char *path, struct path_end *end)
{
	struct walk walk;
	struct inode *found;
	const char *name;
	size_t length;
	bool last;
	int err = walk_start(&walk, base, path);

	if (err)
		return err;
	for (;;) {
		length = next_name(&walk, &name, &last);
		if (last || !length)
			break;
		err = step(&walk, name, length, &found);
		if (err)
			break;
		if (S_ISLNK(found->mode))
			err = follow(&walk, found);
		else
			walk_to(&walk, found);
		if (err)
			break;
	}
	if (!err && !S_ISDIR(walk.at->mode))
		err = -ENOTDIR;
	if (!err && length > NAME_LONGEST)
		err = -ENAMETOOLONG;
	if (!err) {
		memcpy(end->name, name, length);
		end->name[length] = 0;
		end->length = length;
		end->must_be_dir = *walk.rest == '/';
		end->dir = walk.at;
		inode_get(end->dir);
	}
	walk_end(&walk);
	return err;
}

void path_end_put(struct path_end *end)
{
	inode_put(end->dir);
}

char *inode_path(struct inode *inode, char *buffer, size_t size)
{
	static const char deleted[] = " (deleted)";
	char *at = buffer + size - 1;

	*at = 0;
	if (inode != root_inode && !inode->name && size > sizeof(deleted)) {
		at -= sizeof(deleted) - 1;
		memcpy(at, deleted, sizeof(deleted));
	}
	if (inode->label && (size_t)(at - buffer) > strlen(inode->label)) {
		at -= strlen(inode->label);
		memcpy(at, inode->label, strlen(inode->label));
		*--at = '/';
	}
	if (inode == root_inode && at > buffer)
		*--at = '/';
	for (; inode->name; inode = inode->name->dir) {
		size_t length = inode->name->length;

		if ((size_t)(at - buffer) < length + 1)
			break;
		at -= length;
		memcpy(at, inode->name->name, length);
		*--at = '/';
	}
	return at;
}
