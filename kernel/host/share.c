/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared host directories. An inode stores its path on the host until it is first looked at; then
 * it is an ordinary inode whose contents are in guest memory. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "abi/host_link.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/host/link.h"
#include "kernel/host/share.h"
#include "kernel/mem/memory.h"

#define LIST_BYTES 65536 /* at first */
#define NAMES_MAX  16    /* of a directory asked for one by one; then all of them come */

static int fetch(struct inode *inode);
static int fetch_name(struct inode *dir, const char *name, size_t length);

static const struct inode_ops shared_ops = {.fetch = fetch, .fetch_name = fetch_name};

/* The host's side of an inode. */
struct place {
	unsigned lookups; /* names of a directory */
	char path[];
};

static struct place *place_of(const struct inode *inode)
{
	return (struct place *)inode->priv;
}

/* Sets the inode's host path: the directory's path, a slash, the name. 0 or -ENOMEM. */
static int set_path(struct inode *inode, const char *directory, const char *name, size_t length)
{
	size_t start = strlen(directory);
	struct place *place = kalloc(sizeof(*place) + start + length + 2);

	if (!place)
		return -ENOMEM;
	memcpy(place->path, directory, start);
	place->path[start] = '/';
	memcpy(place->path + start + 1, name, length);
	inode->priv = (uint64_t)place;
	inode->ops = &shared_ops;
	return 0;
}

static int set_target(struct inode *inode, const char *target, size_t length)
{
	inode->fetched = kalloc(length + 1);
	if (!inode->fetched)
		return -ENOMEM;
	memcpy(inode->fetched, target, length);
	inode->archive = inode->fetched;
	inode->size = inode->archive_bytes = length;
	return 0;
}

static struct inode *make_inode(const struct link_entry *entry, const char *directory)
{
	struct inode *inode = inode_new(entry->mode);
	int err;

	if (!inode)
		return NULL;
	if (S_ISLNK(entry->mode))
		err = set_target(inode, entry->text + entry->name_bytes, entry->target_bytes);
	else
		err = set_path(inode, directory, entry->text, entry->name_bytes);
	if (err) {
		inode_put(inode);
		return NULL;
	}
	if (S_ISREG(entry->mode))
		inode->size = entry->size;
	return inode;
}

/* True for a directory of the guest's tree that was never looked up on the host. */
static bool is_ours(const struct inode *inode)
{
	return S_ISDIR(inode->mode) && !inode->ops && !inode->host_ns;
}

/* Adds an entry from the host. Existing entries stay; an existing directory is merged with the
 * host's. */
static void add_entry(struct inode *dir, const struct link_entry *entry, const char *directory)
{
	struct dirent *there = dir_here(dir, entry->text, entry->name_bytes);
	struct inode *inode;

	if (there) {
		if (is_ours(there->inode) && !S_ISREG(entry->mode))
			set_path(there->inode, directory, entry->text, entry->name_bytes);
		return;
	}
	inode = make_inode(entry, directory);
	if (!inode)
		return;
	dir_link(dir, entry->text, entry->name_bytes, inode);
	inode->mtime_ns = inode->ctime_ns = inode->atime_ns = inode->host_ns = entry->mtime_ns;
	inode_put(inode);
}

static void add_entries(struct inode *dir, const char *list, size_t bytes, const char *directory)
{
	int64_t mtime_ns = dir->mtime_ns, ctime_ns = dir->ctime_ns;

	for (size_t at = 0; at + sizeof(struct link_entry) <= bytes;) {
		const struct link_entry *entry = (const struct link_entry *)(list + at);

		add_entry(dir, entry, directory);
		at += entry->bytes;
	}
	dir->mtime_ns = mtime_ns;
	dir->ctime_ns = ctime_ns;
}

static int fetch_directory(struct inode *dir, const char *path)
{
	size_t room = LIST_BYTES;
	int64_t there;
	char *list;

	for (;;) {
		list = kalloc(room);
		if (!list)
			return -ENOMEM;
		there = link_request_names(LINK_ASK_DIRECTORY, path, list, room);
		if (there <= (int64_t)room)
			break;
		kfree(list);
		room = (size_t)there;
	}
	if (there > 0)
		add_entries(dir, list, (size_t)there, path);
	kfree(list);
	return there < 0 ? (int)there : 0;
}

/* Fills `nr` pages of the file from page `index` on. Bytes that the host does not have, because the
 * file has shrunk, become zeros. */
static int fetch_pages(struct inode *inode, const char *path, uint64_t index, unsigned nr)
{
	struct link_pages to = {0};
	int64_t there;
	size_t filled;

	for (unsigned i = 0; i < nr; i++) {
		void *page = inode_page_dirty(inode, index + i);

		if (!page)
			return -ENOMEM;
		to.phys[i] = page_phys(page);
	}
	there = link_request_file(path, index * PAGE_SIZE, &to, nr);
	filled = there > 0 ? (size_t)there : 0;
	for (unsigned i = filled / PAGE_SIZE; i < nr; i++) {
		size_t from = i == filled / PAGE_SIZE ? filled % PAGE_SIZE : 0;

		memset((char *)phys_virt(to.phys[i]) + from, 0, PAGE_SIZE - from);
	}
	return there < 0 ? (int)there : 0;
}

static int fetch_file(struct inode *inode, const char *path)
{
	uint64_t pages = (inode->size + PAGE_SIZE - 1) / PAGE_SIZE;
	int err = 0;

	for (uint64_t at = 0; !err && at < pages; at += LINK_PAGES)
		err = fetch_pages(inode, path, at,
				  pages - at < LINK_PAGES ? (unsigned)(pages - at) : LINK_PAGES);
	return err;
}

/* Turns the inode into an ordinary one, into which the contents are loaded. */
static struct place *open_up(struct inode *inode)
{
	struct place *place = place_of(inode);

	inode->ops = NULL;
	inode->priv = 0;
	return place;
}

static void close_again(struct inode *inode, struct place *place)
{
	inode->ops = &shared_ops;
	inode->priv = (uint64_t)place;
}

static int fetch(struct inode *inode)
{
	struct place *place = open_up(inode);
	int err = S_ISDIR(inode->mode) ? fetch_directory(inode, place->path)
				       : fetch_file(inode, place->path);

	if (err) {
		close_again(inode, place);
		return err;
	}
	kfree(place);
	if (S_ISDIR(inode->mode))
		inode->host_ns = inode->mtime_ns;
	return 0;
}

/* Requests one name and adds it to the directory. Returns 0, even if the name does not exist, or a
 * negative errno. */
static int query_name(struct inode *dir, struct place *place, const char *name, size_t length)
{
	size_t start = strlen(place->path);
	char *path = page_alloc_dirty(), *answer = page_alloc_dirty();
	int64_t there = path && answer ? -ENAMETOOLONG : -ENOMEM;

	if (there == -ENAMETOOLONG && start + length + 2 <= PATH_SIZE) {
		memcpy(path, place->path, start);
		path[start] = '/';
		memcpy(path + start + 1, name, length);
		path[start + 1 + length] = '\0';
		there = link_request_names(LINK_ASK_NAME, path, answer, PAGE_SIZE);
	}
	if (there > 0)
		add_entries(dir, answer, (size_t)there, place->path);
	if (path)
		page_put(path);
	if (answer)
		page_put(answer);
	return there < 0 && there != -ENOENT ? (int)there : 0;
}

static int fetch_name(struct inode *dir, const char *name, size_t length)
{
	const struct dirent *here = dir_here(dir, name, length);
	struct place *place = place_of(dir);
	int err;

	if (here && !is_ours(here->inode))
		return 0;
	if (place->lookups++ >= NAMES_MAX)
		return fetch(dir);
	open_up(dir);
	err = query_name(dir, place, name, length);
	close_again(dir, place);
	return err ? fetch(dir) : 0;
}

/* Moves *dir to its subdirectory `name`, which is made if necessary. */
static int share_enter(struct inode **dir, const char *name, size_t length)
{
	struct dirent *entry = dir_find(*dir, name, length);
	struct inode *inode;
	int err;

	if (!entry) {
		inode = inode_new(S_IFDIR | 0755);
		err = inode ? dir_link(*dir, name, length, inode) : -ENOMEM;
		inode_put(inode);
		if (err)
			return err;
		entry = dir_find(*dir, name, length);
	}
	*dir = entry->inode;
	return S_ISDIR(entry->inode->mode) ? 0 : -ENOTDIR;
}

int share_mount(const char *path)
{
	struct inode *dir = root_inode;
	const char *part = path + 1, *slash;
	int err = 0;

	while (!err && *part) {
		slash = strchr(part, '/');
		err = share_enter(&dir, part, slash ? (size_t)(slash - part) : strlen(part));
		part = slash ? slash + 1 : "";
	}
	if (err || dir == root_inode || dir->ops)
		return err;
	return set_path(dir, "", path + 1, strlen(path) - 1);
}
