/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts: the name in the parent directory gets another inode, so path walks need no special
 * case. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/mount.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/task/sched.h"

#define FIRST_NUMBER 100 /* first id in mountinfo, after the permanent mounts */
#define AT_ONCE      64  /* names that are removed without a pause */

struct mount {
	struct list link; /* the last at the end */
	struct dirent *name;
	struct inode *root, *covered; /* referenced */
	bool owned;
	unsigned number;
	const struct mount_kind *kind;
	char source[64];
};

static struct list mounts = {&mounts, &mounts};
static unsigned count, last_number = FIRST_NUMBER;

static struct mount *find(const struct dirent *name)
{
	struct mount *mount, *last = NULL;

	list_for_each(mount, &mounts, link)
		if (mount->name == name)
			last = mount;
	return last;
}

bool mount_is_at(const struct dirent *name)
{
	return find(name);
}

/* Returns the root of the mount that contains the directory. */
static const struct inode *mount_root(const struct inode *inode)
{
	while (!inode->magic && inode->name && !mount_is_at(inode->name))
		inode = inode->name->dir;
	return inode;
}

bool mount_is_same(const struct inode *one, const struct inode *other)
{
	return mount_root(one) == mount_root(other);
}

int mount_add(struct dirent *name, struct inode *root, const struct mount_kind *kind,
	      const char *source)
{
	struct mount *mount = kalloc(sizeof(*mount));
	int err = !mount ? -ENOMEM : count == MOUNTS_MAX ? -ENOSPC : 0;

	if (!err && (!name || !name->inode))
		err = -EINVAL;
	if (err) {
		inode_put(root);
		kfree(mount);
		return err;
	}
	*mount = (struct mount){.name = name,
				.root = root,
				.covered = name->inode,
				.owned = kind->owned && !root->name,
				.number = ++last_number,
				.kind = kind};
	strlcpy(mount->source, source, sizeof(mount->source));
	name_get(name);
	/* for the name; the mount now has the name's reference to the covered inode */
	inode_get(root);
	name->inode = root;
	if (mount->owned) {
		name_get(name);
		root->name = name;
	}
	count++;
	list_add_tail(&mounts, &mount->link);
	return 0;
}

/* ---- what is in a tree ---- */

static struct dirent *first_of(struct inode *dir)
{
	return container_of(dir->entries.next, struct dirent, link);
}

static bool is_full(const struct inode *inode)
{
	return S_ISDIR(inode->mode) && !list_empty(&inode->entries);
}

/* Returns the entry after this one, in depth-first order; NULL: it was the last below `root`. */
static struct dirent *next_of(struct inode *root, struct dirent *entry)
{
	if (is_full(entry->inode))
		return first_of(entry->inode);
	while (entry->link.next == &entry->dir->entries) {
		if (entry->dir == root)
			return NULL;
		entry = entry->dir->name;
	}
	return container_of(entry->link.next, struct dirent, link);
}

/* True if the inode has more references than its names and entries account for. */
static bool is_held(struct inode *inode, uint32_t names)
{
	const struct dirent *entry;

	if (S_ISDIR(inode->mode)) {
		list_for_each(entry, &inode->entries, link)
			names++;
	}
	return inode->refs > names;
}

/* True if the root has more than `names` references, or anything below it is in use. */
static bool is_used(struct inode *root, uint32_t names)
{
	struct dirent *entry = is_full(root) ? first_of(root) : NULL;

	if (is_held(root, names))
		return true;
	for (; entry; entry = next_of(root, entry))
		if (is_held(entry->inode, S_ISDIR(entry->inode->mode) ? 1 : entry->inode->nlink))
			return true;
	return false;
}

/* True if a file below the root is open for writing. */
static bool has_writers(struct inode *root)
{
	struct dirent *entry = is_full(root) ? first_of(root) : NULL;

	for (; entry; entry = next_of(root, entry))
		if (entry->inode->writers)
			return true;
	return false;
}

int mount_set_read_only(const struct dirent *name, bool read_only)
{
	struct mount *mount = find(name);

	if (!mount)
		return -EINVAL;
	if (!mount->owned || mount->root->read_only == read_only)
		return 0;
	if (read_only && has_writers(mount->root))
		return -EBUSY;
	mount->root->read_only = read_only;
	mounts_read_only += read_only ? 1 : -1u;
	return 0;
}

static bool has_mounts(const struct inode *root)
{
	const struct mount *mount;

	list_for_each(mount, &mounts, link)
		for (struct inode *dir = mount->name->dir;; dir = dir_parent(dir)) {
			if (dir == root)
				return true;
			if (dir == root_inode)
				break;
		}
	return false;
}

/* Returns a directory whose first entry is not a non-empty directory. */
static struct inode *deepest(struct inode *dir)
{
	while (is_full(first_of(dir)->inode))
		dir = first_of(dir)->inode;
	return dir;
}

/* Removes the tree from the deepest directories upwards; open files live on without a name. Other
 * tasks run in between and may remove or move entries, so each round searches from the root
 * again. */
static void empty(struct inode *root)
{
	root->closed = true;
	while (is_full(root)) {
		struct inode *dir = deepest(root);

		dir->closed = true;
		for (unsigned i = 0; i < AT_ONCE && is_full(dir); i++) {
			if (is_full(first_of(dir)->inode))
				break;
			dir_unlink(first_of(dir));
		}
		sched_pause();
	}
}

static bool is_busy(const struct mount *mount, bool detach)
{
	if (!mount->owned)
		return false;
	/* References to the root: the mount, its name, and a mount kind that keeps it. */
	return has_mounts(mount->root) || (!detach && is_used(mount->root, 2 + mount->kind->kept));
}

int mount_remove(struct dirent *name, bool detach)
{
	struct mount *mount = find(name);

	if (!mount)
		return -EINVAL;
	if (is_busy(mount, detach))
		return -EBUSY;
	mount_set_read_only(name, false); /* open files outlive the mount */
	list_remove(&mount->link);
	KASSERT(count > 0);
	count--;
	name->inode = mount->covered;
	inode_put(mount->root);
	if (mount->owned) {
		mount->root->name = NULL;
		name_put(name);
	}
	if (mount->owned && !mount->kind->kept)
		empty(mount->root);
	inode_put(mount->root);
	name_put(name);
	kfree(mount);
	return 0;
}

/* ---- lists ---- */

static void print(const struct mount *mount, struct text *out, bool info)
{
	char *buffer = page_alloc_dirty();
	const char *type = mount->kind->type, *path;
	const char *options = mount->kind->options ? mount->kind->options : "";
	const char *mode = mount->root->read_only ? "ro" : "rw";

	if (!buffer)
		return;
	path = inode_path(mount->root, mount->name, buffer, PAGE_SIZE);
	if (info)
		text_print(out, "%u 1 0:%u / %s %s - %s %s %s%s\n", mount->number, mount->number,
			   path, mode, type, mount->source, mode, options);
	else
		text_print(out, "%s %s %s %s%s 0 0\n", mount->source, path, type, mode, options);
	page_put(buffer);
}

void mounts_print(struct text *out, bool info)
{
	const struct mount *mount;

	list_for_each(mount, &mounts, link)
		print(mount, out, info);
}
