/* SPDX-License-Identifier: BSD-2-Clause */
/* Files whose text is made when they are opened. */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/account.h"
#include "kernel/mem/cursor.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"

#define FIRST_SIZE 2048
#define VALUE_SIZE 4096 /* longest that can be written, as on Linux */

/* An addition that waits until the tree is made. */
struct addition {
	struct list link;
	const struct synthetic *file; /* NULL: a symbolic link, or a directory */
	unsigned nr;                  /* of the files of a table; 0: it is one at its path */
	const char *target;
	const struct synthetic_directory *directory;
	uint64_t id;
	char path[];
};

static struct list additions = {&additions, &additions};
static bool in_tree; /* synthetic_init() has entered them */

/* The contents of an open file, made when it was opened. */
struct snapshot {
	uint32_t charged_uid;
	uint64_t charged; /* bytes */
	size_t length;
	char bytes[];
};

/* Doubles the buffer until it has `size` bytes: the text need not be made again. */
static bool snapshot_grow(struct text *text, size_t size)
{
	struct snapshot *old = container_of(text->buffer, struct snapshot, bytes), *larger;
	size_t bytes = sizeof(*old) + text->size;

	while (bytes < sizeof(*old) + size)
		bytes *= 2;
	larger = kalloc_span(bytes);
	if (!larger)
		return false;
	memcpy(larger->bytes, text->buffer, text->length);
	text->buffer = larger->bytes;
	text->size = bytes - sizeof(*larger);
	kfree(old);
	return true;
}

static struct snapshot *snapshot_new(const struct synthetic *file, uint64_t id)
{
	struct snapshot *snapshot = kalloc(sizeof(*snapshot) + FIRST_SIZE);
	struct text text;

	if (!snapshot)
		return NULL;
	text_init(&text, snapshot->bytes, FIRST_SIZE);
	text.grow = snapshot_grow;
	synthetic_make(file, &text, id);
	snapshot = container_of(text.buffer, struct snapshot, bytes);
	snapshot->length = text.length;
	if (text.length < text.size)
		return snapshot;
	kfree(snapshot);
	return NULL;
}

/* A user's contents may take 1/16 of memory; a single one may take any amount. */
static bool snapshot_charge(struct snapshot *snapshot)
{
	uint64_t bytes = sizeof(*snapshot) + snapshot->length,
		 most = memory_total_pages() / 16 * PAGE_SIZE;

	if (capable(CAP_SYS_RESOURCE))
		most = ACCOUNT_FREE;
	snapshot->charged_uid = current_task()->cred.uid.real;
	if (!account_take(snapshot->charged_uid, ACCOUNT_TEXTS, bytes, most < bytes ? bytes : most))
		return false;
	snapshot->charged = bytes;
	return true;
}

static void snapshot_free(struct snapshot *snapshot)
{
	if (snapshot && snapshot->charged)
		account_give(snapshot->charged_uid, ACCOUNT_TEXTS, snapshot->charged);
	kfree(snapshot);
}

static long snapshot_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct snapshot *snapshot = file->priv;
	size_t copied;

	if (*offset >= snapshot->length)
		return 0;
	if (bytes > snapshot->length - *offset)
		bytes = snapshot->length - *offset;
	copied = copy_some_to_user(buffer, snapshot->bytes + *offset, bytes);
	*offset += copied;
	return copied || !bytes ? (long)copied : -EFAULT;
}

/* Each write(2) must contain the whole value. The contents of open readers do not change. */
static long snapshot_writev(struct file *file, const struct iovec *vectors, uint64_t count)
{
	const struct synthetic *synthetic = (const struct synthetic *)file->inode->archive;
	size_t bytes = vectors_bytes(vectors, count);
	char *text;
	int err;

	if (!synthetic->store || bytes >= VALUE_SIZE)
		return -EINVAL;
	if (!bytes && !synthetic->takes_nothing)
		return 0;
	text = kalloc(bytes + 1);
	if (!text)
		return -ENOMEM;
	err = copy_vectors(&(struct cursor){vectors, count, 0}, text, bytes, false);
	if (!err)
		err = synthetic->store(text, file->inode->priv);
	kfree(text);
	return err ? err : (long)bytes;
}

static long snapshot_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};

	(void)offset;
	return snapshot_writev(file, &vector, 1);
}

static long snapshot_seek(struct file *file, int64_t offset, int whence)
{
	const struct synthetic *synthetic = (const struct synthetic *)file->inode->archive;
	const struct snapshot *snapshot = file->priv;
	int64_t at = whence == 0 ? 0 : whence == 1 ? (int64_t)file->offset : -1;

	if (whence == 2 && synthetic->end != END_NONE)
		at = synthetic->end == END_CONTENTS ? (int64_t)snapshot->length : 0;
	if (at < 0 || __builtin_add_overflow(at, offset, &at) || at < 0)
		return -EINVAL;
	file->offset = (uint64_t)at;
	return at;
}

static void snapshot_release(struct file *file)
{
	snapshot_free(file->priv);
}

static const struct file_ops snapshot_ops = {
    .read = snapshot_read,
    .write = snapshot_write,
    .writev = snapshot_writev,
    .seek = snapshot_seek,
    .release = snapshot_release,
};

/* The inode keeps its file in `archive` and the id in `priv`. */
static int snapshot_open(struct inode *inode, struct file *file)
{
	const struct synthetic *synthetic = (const struct synthetic *)inode->archive;
	int err = synthetic->permit ? synthetic->permit(inode->priv) : 0;
	struct snapshot *snapshot;

	if (!err && synthetic->cut && file->flags & O_TRUNC && file->flags & O_ACCMODE)
		err = synthetic->cut(inode->priv);
	if (err)
		return err;
	snapshot = snapshot_new(synthetic, inode->priv);
	if (snapshot && !snapshot_charge(snapshot)) {
		snapshot_free(snapshot);
		snapshot = NULL;
	}
	file->priv = snapshot;
	return snapshot ? 0 : -ENOMEM;
}

static uint64_t measured_size(const struct inode *inode)
{
	return ((const struct synthetic *)inode->archive)->measure();
}

static const struct inode_ops synthetic_ops = {.open = snapshot_open};
static const struct inode_ops measured_ops = {.open = snapshot_open, .size = measured_size};

struct inode *synthetic_inode(const struct synthetic *file, uint64_t id)
{
	uint32_t mode = file->mode ? file->mode : file->store ? 0644 : 0444;
	struct inode *inode = inode_new(S_IFREG | mode);

	if (!inode)
		return NULL;
	inode->ops = file->measure ? &measured_ops : &synthetic_ops;
	inode->fops = &snapshot_ops;
	inode->archive = (const uint8_t *)file;
	inode->priv = id;
	inode->size = file->size;
	return inode;
}

/* The directory of the last addition, at start: most additions use the previous one's. */
static struct {
	const char *path;
	size_t length;
	struct inode *dir;
} last_directory;

/* Returns the directory at the path's first `length` characters, made if necessary; NULL: no
 * memory. */
static struct inode *walk_directories(const char *path, size_t length)
{
	struct inode *dir = root_inode;
	const char *end = path + length;

	while (path < end) {
		const char *name = ++path;
		struct dirent *entry;
		struct inode *inode;

		while (path < end && *path != '/')
			path++;
		entry = dir_find(dir, name, (size_t)(path - name));
		if (entry) {
			dir = entry->inode;
			continue;
		}
		inode = inode_new(S_IFDIR | 0555);
		if (!inode || dir_link(dir, name, (size_t)(path - name), inode))
			return NULL;
		inode_put(inode);
		dir = inode;
	}
	return dir;
}

static struct inode *make_directories(const char *path, size_t length)
{
	if (in_tree)
		return walk_directories(path, length);
	if (last_directory.dir && last_directory.length == length &&
	    !memcmp(last_directory.path, path, length))
		return last_directory.dir;
	last_directory.path = path;
	last_directory.length = length;
	last_directory.dir = walk_directories(path, length);
	return last_directory.dir;
}

static struct inode *link_inode(const char *target)
{
	struct inode *inode = inode_new(S_IFLNK | 0777);

	if (!inode)
		return NULL;
	inode->archive = (const uint8_t *)target;
	inode->size = inode->archive_bytes = strlen(target);
	return inode;
}

static struct inode *directory_inode(const struct synthetic_directory *directory)
{
	struct inode *inode = inode_new(S_IFDIR | directory->mode);

	if (!inode)
		return NULL;
	inode->ops = directory->ops;
	inode->magic = directory->magic;
	if (directory->ino)
		inode->ino = directory->ino;
	return inode;
}

static void no_memory(const char *path) __attribute__((noreturn));
static void no_memory(const char *path)
{
	panic("no memory for %s: give the machine more", path);
}

static void enter_all(const char *directory, const struct addition *what)
{
	struct inode *dir = make_directories(directory, strlen(directory)), *inode;

	if (!dir)
		no_memory(directory);
	for (unsigned i = 0; i < what->nr; i++) {
		const char *name = what->file[i].path;

		inode = synthetic_inode(&what->file[i], what->id);
		if (!inode || dir_link(dir, name, strlen(name), inode))
			no_memory(name);
		inode_put(inode);
	}
}

static void enter_one(const char *path, const struct addition *what)
{
	const char *end = path + strlen(path), *name = end;
	struct inode *dir, *inode;

	while (name[-1] != '/')
		name--;
	dir = make_directories(path, (size_t)(name - 1 - path));
	if (what->directory)
		inode = directory_inode(what->directory);
	else
		inode =
		    what->file ? synthetic_inode(what->file, what->id) : link_inode(what->target);
	if (!dir || !inode || dir_link(dir, name, (size_t)(end - name), inode))
		no_memory(path);
	inode_put(inode);
}

static void synthetic_enter(const char *path, const struct addition *what)
{
	if (what->nr)
		enter_all(path, what);
	else
		enter_one(path, what);
}

static void add(const char *path, const struct addition *what)
{
	struct addition *addition;
	size_t bytes;

	if (in_tree) {
		synthetic_enter(path, what);
		return;
	}
	bytes = strlen(path) + 1;
	addition = kalloc(sizeof(*addition) + bytes);
	if (!addition)
		no_memory(path);
	*addition = *what;
	memcpy(addition->path, path, bytes);
	list_add_tail(&additions, &addition->link);
}

void synthetic_add(const struct synthetic *file)
{
	add(file->path, &(struct addition){.file = file});
}

void synthetic_add_at(const char *path, const struct synthetic *file, uint64_t id)
{
	add(path, &(struct addition){.file = file, .id = id});
}

void synthetic_add_all(const char *directory, const struct synthetic *files, unsigned nr,
		       uint64_t id)
{
	add(directory, &(struct addition){.file = files, .nr = nr, .id = id});
}

void synthetic_directory(const char *path, const struct synthetic_directory *directory)
{
	add(path, &(struct addition){.directory = directory});
}

void synthetic_link(const char *path, const char *target, const char *rest)
{
	size_t length = strlen(target), more = strlen(rest);
	char *whole = kalloc(length + more + 1);

	if (!whole)
		no_memory(path);
	memcpy(whole, target, length);
	memcpy(whole + length, rest, more + 1);
	add(path, &(struct addition){.target = whole});
}

void synthetic_init(void)
{
	struct addition *addition, *next;

	list_for_each(addition, &additions, link)
		synthetic_enter(addition->path, addition);
	in_tree = true;
	list_for_each_safe(addition, next, &additions, link) {
		list_remove(&addition->link);
		kfree(addition);
	}
}
