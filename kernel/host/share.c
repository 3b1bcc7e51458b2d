/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of the host's: an inode knows its path there until it is looked at; then it is an
 * ordinary one, whose contents lie in memory of its own. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "abi/host_link.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/host/link.h"
#include "kernel/host/share.h"
#include "kernel/mem/memory.h"

#define LIST_BYTES  65536 /* at first */
#define PIECE_BYTES 262144

static int fetch(struct inode *inode);

static const struct inode_ops shared_ops = {.fetch = fetch};

/* `inode` is what the host has at the path: the folder's, a slash, the name. Returns 0 or -ENOMEM.
 */
static int set_path(struct inode *inode, const char *folder, const char *name, size_t length)
{
	size_t start = strlen(folder);
	char *path = kalloc(start + length + 2);

	if (!path)
		return -ENOMEM;
	memcpy(path, folder, start);
	path[start] = '/';
	memcpy(path + start + 1, name, length);
	inode->priv = (uint64_t)path;
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

static struct inode *make_inode(const struct link_entry *entry, const char *folder)
{
	struct inode *inode = inode_new(entry->mode);
	int err;

	if (!inode)
		return NULL;
	if (S_ISLNK(entry->mode))
		err = set_target(inode, entry->text + entry->name_bytes, entry->target_bytes);
	else
		err = set_path(inode, folder, entry->text, entry->name_bytes);
	if (err) {
		inode_put(inode);
		return NULL;
	}
	if (S_ISREG(entry->mode))
		inode->size = entry->size;
	return inode;
}

/* What lies in our tree already stays; of a folder the rest comes from the host. */
static void add_entry(struct inode *dir, const struct link_entry *entry, const char *folder)
{
	struct dirent *there = dir_find(dir, entry->text, entry->name_bytes);
	struct inode *inode;

	if (there) {
		if (S_ISDIR(there->inode->mode) && !S_ISREG(entry->mode) && !there->inode->ops)
			set_path(there->inode, folder, entry->text, entry->name_bytes);
		return;
	}
	inode = make_inode(entry, folder);
	if (!inode)
		return;
	dir_link(dir, entry->text, entry->name_bytes, inode);
	inode->mtime_ns = inode->ctime_ns = inode->atime_ns = inode->host_ns = entry->mtime_ns;
	inode_put(inode);
}

static void add_entries(struct inode *dir, const char *list, size_t bytes, const char *folder)
{
	int64_t mtime_ns = dir->mtime_ns;

	for (size_t at = 0; at + sizeof(struct link_entry) <= bytes;) {
		const struct link_entry *entry = (const struct link_entry *)(list + at);

		add_entry(dir, entry, folder);
		at += entry->bytes;
	}
	dir->mtime_ns = mtime_ns;
}

static int fetch_folder(struct inode *dir, const char *path)
{
	size_t room = LIST_BYTES;
	int64_t there;
	char *list;

	for (;;) {
		list = kalloc(room);
		if (!list)
			return -ENOMEM;
		there = link_ask_file(LINK_ASK_FOLDER, path, 0, list, room);
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

/* Puts bytes at `offset`, a multiple of a page, into the file's pages. */
static int fill_pages(struct inode *inode, uint64_t offset, const char *bytes, size_t size)
{
	for (size_t done = 0; done < size; done += PAGE_SIZE) {
		void *page = inode_page(inode, (offset + done) / PAGE_SIZE);

		if (!page)
			return -ENOMEM;
		memcpy(page, bytes + done, size - done < PAGE_SIZE ? size - done : PAGE_SIZE);
		page_put(page);
	}
	return 0;
}

/* A file that became shorter meanwhile ends in zeros. */
static int fetch_file(struct inode *inode, const char *path)
{
	char *piece = kalloc(PIECE_BYTES);
	int64_t there = 1;
	int err = piece ? 0 : -ENOMEM;

	for (uint64_t offset = 0; !err && there > 0 && offset < inode->size;
	     offset += PIECE_BYTES) {
		there = link_ask_file(LINK_ASK_FILE, path, offset, piece, PIECE_BYTES);
		err = there < 0 ? (int)there : fill_pages(inode, offset, piece, (size_t)there);
	}
	kfree(piece);
	return err;
}

static int fetch(struct inode *inode)
{
	char *path = (char *)inode->priv;
	int err;

	inode->ops = NULL; /* what comes is put into it as into any other */
	inode->priv = 0;
	err = S_ISDIR(inode->mode) ? fetch_folder(inode, path) : fetch_file(inode, path);
	if (err) {
		inode->ops = &shared_ops;
		inode->priv = (uint64_t)path;
		return err;
	}
	kfree(path);
	if (S_ISDIR(inode->mode))
		inode->host_ns = inode->mtime_ns;
	return 0;
}

/* Goes from *dir to the folder `name` in it, which is made when it is missing. */
static int enter(struct inode **dir, const char *name, size_t length)
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
		err = enter(&dir, part, slash ? (size_t)(slash - part) : strlen(part));
		part = slash ? slash + 1 : "";
	}
	if (err || dir == root_inode || dir->ops)
		return err;
	return set_path(dir, "", path + 1, strlen(path) - 1);
}
