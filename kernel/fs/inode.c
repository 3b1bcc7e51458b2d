/* SPDX-License-Identifier: BSD-2-Clause */
/* Inodes and directories. */
#include <linux/errno.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/base/tree.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/memory.h"
#include "kernel/time/clock.h"

#define HASH_BITS 10
#define FREED_MAX 64 /* directories of a chain that go at once */

struct inode *root_inode;

static struct tree names[1u << HASH_BITS];      /* all entries of all directories, by their hash */
static struct list chains = {&chains, &chains}; /* removed directories to be freed, by `entries` */
static uint64_t last_ino;
static struct inode *anonymous; /* constant after start */

struct inode *inode_new(uint32_t mode)
{
	struct inode *inode = kalloc(sizeof(*inode));

	if (!inode)
		return NULL;
	inode->refs = 1;
	inode->mode = mode;
	inode->ino = ++last_ino;
	inode->nlink = 0;
	inode->atime_ns = inode->mtime_ns = inode->ctime_ns = clock_real_ns();
	list_init(&inode->entries);
	return inode;
}

void inode_get(struct inode *inode)
{
	inode->refs++;
}

/* Drops a reference. If that frees a removed name, returns its directory, whose reference passes to
 * the caller. */
static struct inode *name_drop(struct dirent *name)
{
	struct inode *dir;

	KASSERT(!name || name->refs > 0);
	if (!name || --name->refs)
		return NULL;
	dir = name->dir;
	kfree(name->name);
	kfree(name);
	return dir;
}

/* Frees up to FREED_MAX inodes of a chain of unreferenced inodes, with the data they own. Returns
 * the next of the chain, or NULL. */
static struct inode *chain_free(struct inode *inode)
{
	for (unsigned i = 0; inode && i < FREED_MAX; i++) {
		struct dirent *name = inode->name;

		if (inode->watches)
			inotify_gone(inode);
		if (inode->ops && inode->ops->gone)
			inode->ops->gone(inode);
		inode_free_data(inode);
		kfree(inode->label);
		kfree(inode);
		inode = name_drop(name);
		if (inode && --inode->refs)
			return NULL;
	}
	return inode;
}

/* Removed directories may form an arbitrarily long chain: the rest of it is freed piecewise, with
 * later inodes. */
void inode_put(struct inode *inode)
{
	struct inode *rest;

	KASSERT(!inode || inode->refs > 0);
	if (!inode || --inode->refs)
		return;
	rest = chain_free(inode);
	if (!rest && !list_empty(&chains)) {
		rest = list_first(&chains, struct inode, entries);
		list_remove(&rest->entries);
		rest = chain_free(rest);
	}
	if (rest)
		list_add_tail(&chains, &rest->entries);
}

/* FNV-1a over the directory's number and the name. */
static uint32_t name_hash(const struct inode *dir, const char *name, size_t length)
{
	uint32_t hash = 2166136261u ^ (uint32_t)dir->ino;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619u;
	return hash;
}

static struct tree *names_like(uint32_t hash)
{
	return &names[hash >> (32 - HASH_BITS)];
}

static struct dirent *entry_of(const struct tree_node *node)
{
	return container_of(node, struct dirent, node);
}

/* Orders names by hash, then by directory and name. Negative: the name sorts before the entry; 0:
 * it is the entry's name. Equal hashes are chance, or a user's choice. */
static int name_compare(const struct inode *dir, uint32_t hash, const char *name, size_t length,
			const struct dirent *entry)
{
	if (hash != entry->hash)
		return hash < entry->hash ? -1 : 1;
	if (dir != entry->dir)
		return (uintptr_t)dir < (uintptr_t)entry->dir ? -1 : 1;
	if (length != entry->length)
		return length < entry->length ? -1 : 1;
	return memcmp(name, entry->name, length);
}

static bool name_before(const struct tree_node *a, const struct tree_node *b)
{
	const struct dirent *entry = entry_of(a);

	return name_compare(entry->dir, entry->hash, entry->name, entry->length, entry_of(b)) < 0;
}

struct dirent *dir_here(struct inode *dir, const char *name, size_t length)
{
	uint32_t hash = name_hash(dir, name, length);
	struct tree_node *node;
	int way;

	for (node = names_like(hash)->root; node; node = way < 0 ? node->left : node->right) {
		way = name_compare(dir, hash, name, length, entry_of(node));
		if (!way)
			return entry_of(node);
	}
	return NULL;
}

struct dirent *dir_find(struct inode *dir, const char *name, size_t length)
{
	return inode_fetch(dir) ? NULL : dir_here(dir, name, length);
}

struct dirent *dir_look(struct inode *dir, const char *name, size_t length)
{
	if (!dir->ops || !dir->ops->fetch_name)
		return dir_find(dir, name, length);
	return dir->ops->fetch_name(dir, name, length) ? NULL : dir_here(dir, name, length);
}

void name_get(struct dirent *name)
{
	if (name)
		name->refs++;
}

void name_put(struct dirent *name)
{
	struct inode *dir = name_drop(name);

	if (dir)
		inode_put(dir);
}

static char *copy_name(const char *name, size_t length)
{
	char *copy = kalloc(length + 1);

	if (copy)
		memcpy(copy, name, length);
	return copy;
}

struct dirent *name_new(struct inode *dir, const char *name, size_t length)
{
	struct dirent *entry = kalloc(sizeof(*entry));

	if (!entry)
		return NULL;
	entry->name = copy_name(name, length);
	if (!entry->name) {
		kfree(entry);
		return NULL;
	}
	entry->refs = 1;
	entry->length = (uint16_t)length;
	entry->dir = dir;
	inode_get(dir);
	return entry;
}

static void set_name(struct inode *inode, struct dirent *name)
{
	name_get(name);
	name_put(inode->name);
	inode->name = name;
}

/* Links the entry into its directory; takes over the caller's reference to the name. */
static void entry_insert(struct dirent *entry, struct inode *inode)
{
	struct inode *dir = entry->dir;

	entry->hash = name_hash(dir, entry->name, entry->length);
	entry->inode = inode;
	entry->cookie = ++dir->next_cookie;
	list_add_tail(&dir->entries, &entry->link);
	tree_insert(names_like(entry->hash), &entry->node);
	inode_get(inode);
	set_name(inode, entry);
	inode->nlink++;
	if (S_ISDIR(inode->mode)) {
		inode->nlink++;
		dir->nlink++;
	}
	dir->size += 20; /* as tmpfs counts */
	dir->mtime_ns = dir->ctime_ns = inode->ctime_ns = clock_real_ns();
}

/* The references that entry_insert() took pass to the caller. */
static void entry_take_out(struct dirent *entry)
{
	struct inode *dir = entry->dir, *inode = entry->inode;

	tree_remove(names_like(entry->hash), &entry->node);
	list_remove(&entry->link);
	inode->nlink--;
	if (S_ISDIR(inode->mode)) {
		inode->nlink--;
		dir->nlink--;
	}
	dir->size -= 20;
	dir->mtime_ns = dir->ctime_ns = inode->ctime_ns = clock_real_ns();
}

int dir_link(struct inode *dir, const char *name, size_t length, struct inode *inode)
{
	struct dirent *entry;

	if (length > NAME_LONGEST)
		return -ENAMETOOLONG;
	if (dir_is_gone(dir)) /* entries added to a removed directory would never be freed */
		return -ENOENT;
	if (dir_find(dir, name, length))
		return -EEXIST;
	entry = name_new(dir, name, length);
	if (!entry)
		return -ENOMEM;
	entry_insert(entry, inode);
	return 0;
}

void dir_unlink(struct dirent *entry)
{
	struct inode *inode = entry->inode;

	entry_take_out(entry);
	entry->removed = true;
	entry->inode = NULL;
	inode_put(inode);
	name_put(entry);
}

int dir_rename(struct dirent *old, struct dirent *there, struct inode *dir, const char *name,
	       size_t length)
{
	char *copy = copy_name(name, length); /* first: nothing else can fail */
	struct inode *inode = old->inode, *from = old->dir;

	if (!copy)
		return -ENOMEM;
	if (there)
		dir_unlink(there);
	entry_take_out(old);
	kfree(old->name);
	old->name = copy;
	old->length = (uint16_t)length;
	old->dir = dir;
	old->moved = true;
	inode_get(dir);
	entry_insert(old, inode);
	inode_put(inode);
	inode_put(from);
	return 0;
}

void dir_exchange(struct dirent *one, struct dirent *other)
{
	struct inode *inode = one->inode, *other_inode = other->inode;
	struct dirent was = *one;

	entry_take_out(one);
	entry_take_out(other);
	one->name = other->name;
	one->length = other->length;
	one->dir = other->dir;
	other->name = was.name;
	other->length = was.length;
	other->dir = was.dir;
	one->moved = other->moved = true;
	entry_insert(one, inode);
	entry_insert(other, other_inode);
	inode_put(inode);
	inode_put(other_inode);
}

struct inode *dir_parent(struct inode *dir)
{
	return dir->name ? dir->name->dir : root_inode;
}

static int make_directory(const char *name, uint32_t mode, uint32_t magic)
{
	struct inode *inode = inode_new(S_IFDIR | mode);
	int err = inode ? dir_link(root_inode, name, strlen(name), inode) : -ENOMEM;

	if (inode) {
		inode->magic = magic;
		inode_put(inode);
	}
	return err;
}

struct inode *anonymous_inode(void)
{
	return anonymous;
}

void inodes_init(void)
{
	for (unsigned i = 0; i < 1u << HASH_BITS; i++)
		names[i].before = name_before;
	anonymous = inode_new(0600);
	anonymous->nlink = 1;
	root_inode = inode_new(S_IFDIR | 0755);
	root_inode->nlink = 2;
	make_directory("dev", 0755, 0);
	make_directory("out", 0755, 0);
	make_directory("proc", 0555, PROC_SUPER_MAGIC);
	make_directory("sys", 0555, SYSFS_MAGIC);
	make_directory("tmp", 01777, 0);
}
