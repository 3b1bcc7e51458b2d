/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks from names to inodes: path_resolution(7). */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/mount.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

#define LINKS_MAX 40 /* symbolic links followed in one walk, as Linux */
/* Flags with which a walk does not follow a link to an object. */
#define NO_JUMPS (LOOKUP_NO_MAGIC | LOOKUP_BENEATH | LOOKUP_IN_ROOT | LOOKUP_NO_XDEV)

struct walk {
	struct inode *at;    /* referenced: what was reached so far */
	struct dirent *name; /* by which it was found, referenced; NULL: the root, or none */
	const char *rest;    /* remaining path */
	char *scratch;       /* page that holds the path once a link was followed, or NULL */
	unsigned links;      /* followed so far */
	unsigned flags;      /* LOOKUP_* */
	/* Referenced; NULL: the walk has no limit. Where LOOKUP_BENEATH and LOOKUP_IN_ROOT end. */
	struct inode *limit;
};

static int walk_start(struct walk *walk, struct inode *base, const char *path, unsigned flags)
{
	if (!*path)
		return -ENOENT;
	if (*path == '/' && flags & LOOKUP_BENEATH)
		return -EXDEV;
	walk->flags = flags;
	walk->at = base ? base : current_task()->cwd->directory;
	walk->limit = flags & (LOOKUP_BENEATH | LOOKUP_IN_ROOT) ? walk->at : NULL;
	if (walk->limit)
		inode_get(walk->limit);
	else if (*path == '/')
		walk->at = root_inode;
	inode_get(walk->at);
	walk->name = walk->at->name;
	name_get(walk->name);
	walk->rest = path;
	walk->scratch = NULL;
	walk->links = 0;
	return 0;
}

static void walk_end(struct walk *walk)
{
	inode_put(walk->at);
	inode_put(walk->limit);
	name_put(walk->name);
	if (walk->scratch)
		page_put(walk->scratch);
}

/* Consumes both references. */
static void walk_to(struct walk *walk, struct inode *inode, struct dirent *name)
{
	inode_put(walk->at);
	name_put(walk->name);
	walk->at = inode;
	walk->name = name;
}

/* Goes to the root for an absolute link: 0 or -EXDEV. */
static int walk_to_root(struct walk *walk)
{
	struct inode *root = walk->limit ? walk->limit : root_inode;

	if (walk->flags & LOOKUP_BENEATH)
		return -EXDEV;
	if (walk->flags & LOOKUP_NO_XDEV && !mount_is_same(walk->at, root))
		return -EXDEV;
	inode_get(root);
	name_get(walk->limit ? root->name : NULL);
	walk_to(walk, root, walk->limit ? root->name : NULL);
	return 0;
}

/* Returns the directory above in *found: 0 or -EXDEV. */
static int step_up(const struct walk *walk, struct inode **found)
{
	*found = dir_parent(walk->at);
	if (walk->at == walk->limit) {
		if (walk->flags & LOOKUP_BENEATH)
			return -EXDEV;
		*found = walk->at;
	}
	return walk->flags & LOOKUP_NO_XDEV && !mount_is_same(walk->at, *found) ? -EXDEV : 0;
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

/* Steps into an entry of a special directory; the entry gets its name at each lookup. */
static int step_special(struct inode *dir, const char *text, size_t length, struct inode **found,
			struct dirent **name)
{
	*found = dir->ops && dir->ops->lookup ? dir->ops->lookup(dir, text, length) : NULL;
	if (!*found)
		return -ENOENT;
	if (!(*found)->name)
		(*found)->name = name_new(dir, text, length);
	*name = (*found)->name;
	name_get(*name);
	if (*name)
		return 0;
	inode_put(*found);
	return -ENOMEM;
}

/* Looks up an entry of the walk's directory: inode and name, each with a reference. */
static int step(struct walk *walk, const char *text, size_t length, struct inode **found,
		struct dirent **name)
{
	struct dirent *entry = NULL;

	if (!S_ISDIR(walk->at->mode))
		return -ENOTDIR;
	if (inode_permission(walk->at, MAY_EXECUTE))
		return -EACCES;
	if (length > NAME_LONGEST)
		return -ENAMETOOLONG;
	if (length == 1 && text[0] == '.') {
		*found = walk->at;
	} else if (length == 2 && text[0] == '.' && text[1] == '.') {
		int err = step_up(walk, found);

		if (err)
			return err;
	} else {
		entry = dir_look(walk->at, text, length);
		if (!entry)
			return step_special(walk->at, text, length, found, name);
		*found = entry->inode;
		if (walk->flags & LOOKUP_NO_XDEV && (mount_is_at(entry) || (*found)->magic))
			return -EXDEV;
	}
	inode_get(*found);
	*name = entry ? entry : (*found)->name;
	name_get(*name);
	return 0;
}

void link_target(struct inode *link, struct text *out)
{
	if (link->ops && link->ops->readlink)
		link->ops->readlink(link, out);
	else
		text_add(out, (const char *)link->archive, link->archive_bytes);
}

/* Inserts the target of `link` before the remaining path. */
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

/* Continues through a symbolic link; consumes the references to it. Other tasks run in between: 40
 * links of 4,095 bytes each are 80,000 steps. */
static int follow(struct walk *walk, struct inode *link, struct dirent *link_name)
{
	struct inode *direct = NULL;
	struct dirent *name = NULL;
	int err = 0;

	if (++walk->links > LINKS_MAX || walk->flags & LOOKUP_NO_LINKS) {
		err = -ELOOP;
	} else if (link->ops && link->ops->follow && walk->flags & NO_JUMPS) {
		err = walk->flags & LOOKUP_NO_MAGIC ? -ELOOP : -EXDEV;
	} else if (link->ops && link->ops->permission && link->ops->permission(link, MAY_READ)) {
		err = -EACCES;
	} else if (link->ops && link->ops->follow) {
		direct = link->ops->follow(link, &name);
		if (!direct)
			err = -ENOENT;
		else if (*walk->rest == '/' && !S_ISDIR(direct->mode))
			err = -ENOTDIR;
		if (err) {
			inode_put(direct);
			name_put(name);
		} else {
			walk_to(walk, direct, name);
		}
	} else {
		err = link_expand(walk, link);
		if (!err && *walk->rest == '/')
			err = walk_to_root(walk);
	}
	inode_put(link);
	name_put(link_name);
	sched_pause();
	return err;
}

int path_lookup_name(struct inode *base, const char *path, unsigned flags, struct inode **inode,
		     struct dirent **found_name)
{
	struct walk walk;
	struct inode *found;
	struct dirent *entry;
	const char *name;
	size_t length;
	bool last, slash;
	int err = walk_start(&walk, base, path, flags);

	if (err)
		return err;
	for (;;) {
		length = next_name(&walk, &name, &last);
		if (!length)
			break;
		slash = *walk.rest == '/';
		err = step(&walk, name, length, &found, &entry);
		if (err)
			break;
		if (S_ISLNK(found->mode) && (!last || slash || !(flags & LOOKUP_NOFOLLOW))) {
			err = follow(&walk, found, entry);
			if (err)
				break;
			continue;
		}
		walk_to(&walk, found, entry);
		if (slash && !S_ISDIR(found->mode)) {
			err = -ENOTDIR;
			break;
		}
	}
	if (!err) {
		*inode = walk.at;
		inode_get(*inode);
		*found_name = walk.name;
		name_get(walk.name);
	}
	walk_end(&walk);
	return err;
}

int path_lookup(struct inode *base, const char *path, unsigned flags, struct inode **inode)
{
	struct dirent *name;
	int err = path_lookup_name(base, path, flags, inode, &name);

	if (!err)
		name_put(name);
	return err;
}

int path_parent(struct inode *base, const char *path, unsigned flags, struct path_end *end)
{
	struct walk walk;
	struct inode *found;
	struct dirent *entry;
	const char *name;
	size_t length;
	bool last;
	int err = walk_start(&walk, base, path, flags);

	if (err)
		return err;
	for (;;) {
		length = next_name(&walk, &name, &last);
		if (last || !length)
			break;
		err = step(&walk, name, length, &found, &entry);
		if (err)
			break;
		if (S_ISLNK(found->mode))
			err = follow(&walk, found, entry);
		else
			walk_to(&walk, found, entry);
		if (err)
			break;
	}
	if (!err)
		err = S_ISDIR(walk.at->mode) ? inode_fetch(walk.at) : -ENOTDIR;
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

/* Inserts the text before `at`; false if there is no room. */
static bool prepend(char **at, const char *buffer, const char *text, size_t length)
{
	if ((size_t)(*at - buffer) < length)
		return false;
	*at -= length;
	memcpy(*at, text, length);
	return true;
}

char *inode_path(const struct inode *inode, const struct dirent *name, char *buffer, size_t size)
{
	static const char deleted[] = " (deleted)";
	char *at = buffer + size - 1;

	if (!name)
		name = inode->name;
	*at = 0;
	if (inode == root_inode)
		prepend(&at, buffer, "/", 1);
	else if (!name_is_there(name))
		prepend(&at, buffer, deleted, sizeof(deleted) - 1);
	if (inode->label && prepend(&at, buffer, inode->label, strlen(inode->label)))
		prepend(&at, buffer, "/", 1);
	for (; name; name = name->dir->name)
		if (!prepend(&at, buffer, name->name, name->length) ||
		    !prepend(&at, buffer, "/", 1))
			break;
	return at;
}

struct cwd *cwd_new(struct inode *directory, uint32_t umask)
{
	struct cwd *cwd = kalloc(sizeof(*cwd));

	if (!cwd)
		return NULL;
	cwd->refs = 1;
	cwd->umask = umask;
	cwd->directory = directory;
	inode_get(directory);
	return cwd;
}

void cwd_put(struct cwd *cwd)
{
	KASSERT(cwd->refs > 0);
	if (--cwd->refs)
		return;
	inode_put(cwd->directory);
	kfree(cwd);
}

void cwd_go_to(struct cwd *cwd, struct inode *directory)
{
	inode_get(directory);
	inode_put(cwd->directory);
	cwd->directory = directory;
}

int cwd_unshare(struct cwd **cwd)
{
	struct cwd *own;

	if ((*cwd)->refs == 1)
		return 0;
	own = cwd_new((*cwd)->directory, (*cwd)->umask);
	if (!own)
		return -ENOMEM;
	KASSERT((*cwd)->refs > 1);
	(*cwd)->refs--;
	*cwd = own;
	return 0;
}
