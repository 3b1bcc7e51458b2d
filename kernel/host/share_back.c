/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes changes in shared host directories back at the end. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/tree_walk.h"
#include "kernel/host/host.h"
#include "kernel/host/share.h"
#include "kernel/mem/memory.h"

/*
 * Writing back takes three walks, because a moved file may still exist only on the host, under a
 * name that another file has now. First all changed files are fetched, then files are sent, then
 * the names of directories; by these the host removes the other names.
 */
enum walk { WALK_FETCH, WALK_FILES, WALK_DIRECTORIES };

static bool is_new(const struct inode *inode)
{
	return !inode->host_ns || inode->ctime_ns != inode->host_ns;
}

/* Sends its contents, then its permissions. */
static void send_file(struct inode *inode, const char *path)
{
	uint32_t rights = inode->mode & 0777;

	host_send_file(inode, FILE_SHARED, path);
	host_send(HOST_FILE, FILE_SHARED | FILE_RIGHTS | FILE_LAST, path, &rights, sizeof(rights));
}

static void send_symlink(const struct inode *inode, const char *path)
{
	host_send(HOST_FILE, FILE_SHARED | FILE_SYMLINK | FILE_LAST, path, inode->archive,
		  inode->archive_bytes);
}

/* Sends the names of its entries, in as many frames as necessary. */
static void send_names(const struct inode *dir, const char *path)
{
	const uint8_t flags = FILE_SHARED | FILE_DIRECTORY;
	const struct dirent *entry;
	char *names = host_buffer();
	size_t used = 0;

	list_for_each(entry, &dir->entries, link) {
		if (used + entry->length + 1u > HOST_PAYLOAD) {
			host_send(HOST_FILE, flags, path, names, used);
			used = 0;
		}
		memcpy(names + used, entry->name, entry->length + 1u);
		used += entry->length + 1u;
	}
	host_send(HOST_FILE, flags | FILE_LAST, path, names, used);
}

/* Fetches or sends one entry that is no directory; `moved`: also one that is as it was. */
static void walk_entry(enum walk what, struct inode *inode, const char *path, bool moved)
{
	bool send = moved || (!S_ISDIR(inode->mode) && is_new(inode));

	if (send && what == WALK_FETCH)
		inode_fetch(inode);
	/* A file that could not be fetched stays as it is on the host. */
	if (!send || what != WALK_FILES || inode->ops)
		return;
	if (S_ISREG(inode->mode))
		send_file(inode, path);
	else if (S_ISLNK(inode->mode))
		send_symlink(inode, path);
}

/* A directory that was not fetched contains only names that were looked up, and none was removed.
 */
static void walk_directories(enum walk what, struct inode *dir, char *path)
{
	struct tree_walk walk;
	enum tree_step step;

	tree_walk_begin(&walk, dir, path);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		bool moved = tree_walk_moved(&walk);

		if (step == TREE_ENTRY) {
			walk_entry(what, walk.entry->inode, path, moved);
			if (S_ISDIR(walk.entry->inode->mode))
				tree_walk_enter(&walk);
		} else if (what == WALK_DIRECTORIES && !walk.dir->ops &&
			   (moved || walk.dir->mtime_ns != walk.dir->host_ns)) {
			send_names(walk.dir, path);
		}
	}
	if (walk.skipped && what == WALK_FILES)
		log_warn("%s: %lu names are lost: their paths are too long", path, walk.skipped);
}

static void send_back(const char *path)
{
	static char names[PATH_SIZE];
	struct inode *dir;

	if (path_lookup(root_inode, path, 0, &dir))
		return;
	strlcpy(names, path, PATH_SIZE);
	for (enum walk what = WALK_FETCH; what <= WALK_DIRECTORIES; what++)
		walk_directories(what, dir, names);
	inode_put(dir);
}

/* A directory with changes written back. */
struct both {
	struct both *next;
	char path[];
};

static struct both *both;

int share_mount_both(const char *path)
{
	size_t length = strlen(path);
	struct both *new = kalloc(sizeof(*new) + length + 1);
	int err = new ? share_mount(path) : -ENOMEM;

	if (err) {
		kfree(new);
		return err;
	}
	memcpy(new->path, path, length + 1);
	new->next = both;
	both = new;
	return 0;
}

void share_send_back(void)
{
	for (const struct both *b = both; b; b = b->next)
		send_back(b->path);
}
