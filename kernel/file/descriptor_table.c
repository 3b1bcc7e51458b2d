/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables: copying, growing, and the lowest free descriptor. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"

static void close_file(struct files *files, struct file *file)
{
	if (file->inode)
		file_hooks.close(file, files);
	file_put(file);
}

struct files *files_new(void)
{
	struct files *files = kalloc(sizeof(*files));

	if (!files)
		return NULL;
	files->refs = 1;
	files->size = FILES_INLINE;
	files->table = files->first_table;
	files->cloexec = files->first_cloexec;
	files->used = files->first_used;
	return files;
}

static __attribute__((noinline)) int make_room(struct files *files, unsigned fd)
{
	uint32_t size = files->size;
	struct file **table;
	uint64_t *cloexec, *used;

	while (size <= fd)
		size *= 2;
	table = kalloc(size * sizeof(*table) + 2 * (size / 8));
	if (!table)
		return -ENOMEM;
	cloexec = (uint64_t *)(table + size);
	memcpy(table, files->table, files->size * sizeof(*table));
	used = cloexec + size / 64;
	memcpy(cloexec, files->cloexec, files->size / 8);
	memcpy(used, files->used, files->size / 8);
	if (files->table != files->first_table)
		kfree(files->table);
	files->table = table;
	files->cloexec = cloexec;
	files->used = used;
	files->size = size;
	return 0;
}

/* Makes room for descriptor fd: 0 or -ENOMEM. */
static inline int files_grow(struct files *files, unsigned fd)
{
	return fd < files->size ? 0 : make_room(files, fd);
}

struct files *files_copy(struct files *from)
{
	struct files *files = files_new();

	if (!files)
		return NULL;
	if (files_grow(files, from->size - 1)) {
		files_put(files);
		return NULL;
	}
	memcpy(files->table, from->table, from->size * sizeof(*from->table));
	for (uint32_t word = 0; word < from->size / 64; word++)
		for (uint64_t used = from->used[word]; used; used &= used - 1)
			file_get(files->table[word * 64 + (uint32_t)__builtin_ctzl(used)]);
	memcpy(files->cloexec, from->cloexec, from->size / 8);
	memcpy(files->used, from->used, from->size / 8);
	files->next = from->next;
	return files;
}

void files_put(struct files *files)
{
	KASSERT(files->refs > 0);
	if (__atomic_sub_fetch(&files->refs, 1, __ATOMIC_ACQ_REL))
		return;
	for (uint32_t word = 0; word < files->size / 64; word++)
		for (uint64_t used = files->used[word]; used; used &= used - 1)
			close_file(files, files->table[word * 64 + (uint32_t)__builtin_ctzl(used)]);
	if (files->table != files->first_table)
		kfree(files->table);
	kfree(files);
}

int files_unshare(struct files **files)
{
	struct files *own;

	if ((*files)->refs == 1)
		return 0;
	own = files_copy(*files);
	if (!own)
		return -ENOMEM;
	files_put(*files);
	*files = own;
	return 0;
}

void slot_fill(struct files *files, unsigned fd, struct file *file)
{
	files->table[fd] = file;
	files->used[fd / 64] |= 1ul << fd % 64;
}

static void slot_empty(struct files *files, unsigned fd)
{
	files->table[fd] = NULL;
	files->used[fd / 64] &= ~(1ul << fd % 64);
	files->cloexec[fd / 64] &= ~(1ul << fd % 64);
	if (fd < files->next)
		files->next = fd;
}

void files_close_on_exec(struct files *files)
{
	for (uint32_t word = 0; word < files->size / 64; word++) {
		while (files->cloexec[word]) {
			unsigned fd = word * 64 + (unsigned)__builtin_ctzl(files->cloexec[word]);
			struct file *file = files->table[fd];

			slot_empty(files, fd);
			if (file)
				close_file(files, file);
		}
	}
}

/* The first descriptor that RLIMIT_NOFILE does not allow. */
static uint64_t fd_limit(void)
{
	return current_task()->process->limits[RLIMIT_NOFILE][0];
}

static struct file **fd_slot(unsigned fd)
{
	struct files *files = current_task()->files;

	return fd < files->size && files->table[fd] ? &files->table[fd] : NULL;
}

struct file *files_get(const struct files *files, int fd)
{
	struct file *file = (unsigned)fd < files->size ? files->table[(unsigned)fd] : NULL;

	if (file)
		file_get(file);
	return file;
}

struct file *fd_get(int fd)
{
	return files_get(current_task()->files, fd);
}

struct file *fd_get_open(int fd)
{
	struct file *file = fd_get(fd);

	if (!file || !(file->flags & O_PATH))
		return file;
	file_put(file);
	return NULL;
}

bool fd_cloexec(unsigned fd)
{
	return current_task()->files->cloexec[fd / 64] >> fd % 64 & 1;
}

void fd_set_cloexec(unsigned fd, bool cloexec)
{
	uint64_t *word = &current_task()->files->cloexec[fd / 64], bit = 1ul << fd % 64;

	*word = cloexec ? *word | bit : *word & ~bit;
}

/* The lowest free descriptor from `fd` on; the table may be too small for it. */
static unsigned first_free(const struct files *files, unsigned fd)
{
	uint64_t taken;

	for (; fd < files->size; fd = (fd | 63) + 1) {
		taken = files->used[fd / 64] | ((1ul << fd % 64) - 1);
		if (~taken)
			return (fd & ~63u) + (unsigned)__builtin_ctzl(~taken);
	}
	return fd;
}

int fd_room(void)
{
	struct files *files = current_task()->files;
	unsigned fd = first_free(files, files->next);

	return fd >= fd_limit() ? -EMFILE : files_grow(files, fd);
}

int fd_install(struct file *file, int from, int cloexec)
{
	struct files *files = current_task()->files;
	bool lowest = (unsigned)from <= files->next;
	unsigned fd = first_free(files, lowest ? files->next : (unsigned)from);

	if (fd >= fd_limit())
		return -EMFILE;
	if (files_grow(files, fd))
		return -ENOMEM;
	if (lowest)
		files->next = fd + 1;
	slot_fill(files, fd, file);
	fd_set_cloexec(fd, cloexec);
	return (int)fd;
}

int fd_install_at(struct file *file, unsigned fd, bool cloexec)
{
	struct files *files = current_task()->files;
	struct file *old;

	if (fd >= fd_limit())
		return -EBADF;
	if (files_grow(files, fd))
		return -ENOMEM;
	old = files->table[fd];
	slot_fill(files, fd, file);
	fd_set_cloexec(fd, cloexec);
	if (old)
		close_file(files, old);
	return (int)fd;
}

int fd_close(unsigned fd)
{
	struct file **slot = fd_slot(fd), *file;

	if (!slot)
		return -EBADF;
	file = *slot;
	slot_empty(current_task()->files, fd);
	close_file(current_task()->files, file);
	return 0;
}
