/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes of /dev: null, zero, full, random, urandom, and links to the caller's descriptors. */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "kernel/fs/file.h"
#include "kernel/fs/inode.h"
#include "kernel/base/log.h"
#include "kernel/task/random.h"
#include "kernel/signal/signal.h"
#include "kernel/host/stdio.h"
#include "kernel/base/string.h"
#include "kernel/host/tty.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vm.h"

static long null_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file, (void)buffer, (void)bytes, (void)offset;
	return 0;
}

static long null_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file, (void)buffer, (void)offset;
	return (long)bytes;
}

static long full_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file, (void)buffer, (void)bytes, (void)offset;
	return -ENOSPC;
}

static long zero_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file, (void)offset;
	return clear_user(buffer, bytes) ? -EFAULT : (long)bytes;
}

/* A mapping of /dev/zero is anonymous memory. */
static int zero_mmap(struct file *file, struct vma *vma)
{
	struct file *shared;

	if (!(vma->flags & MAP_SHARED)) {
		vma->flags |= VMA_ZEROS;
		return 0;
	}
	shared = shared_memory_file((vma->pgoff << 12) + vma->end - vma->start);
	if (!shared)
		return -ENOMEM;
	vma->file = shared;
	file_put(file);
	return 0;
}

static long random_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file, (void)offset;
	return random_to_user(buffer, bytes);
}

static long no_seek(struct file *file, int64_t offset, int whence)
{
	(void)file, (void)offset, (void)whence;
	return 0;
}

static unsigned always_poll(struct file *file, struct poll_table *table)
{
	(void)file, (void)table;
	return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
}

static const struct file_ops null_ops = {.read = null_read, .write = null_write, .seek = no_seek};
static const struct file_ops zero_ops = {
    .read = zero_read, .write = null_write, .seek = no_seek, .mmap = zero_mmap};
static const struct file_ops full_ops = {.read = zero_read, .write = full_write, .seek = no_seek};
static const struct file_ops random_ops = {
    .read = random_read, .write = null_write, .seek = no_seek, .poll = always_poll};

static const struct {
	const char *name;
	uint32_t minor;
	const struct file_ops *fops;
} devices[] = {
    {"null", 3, &null_ops},     {"zero", 5, &zero_ops},      {"full", 7, &full_ops},
    {"random", 8, &random_ops}, {"urandom", 9, &random_ops},
};

#define MEMORY_MAJOR 1

/* Links to what the process that asks has open. */
static const char *const links[][2] = {
    {"fd", "/proc/self/fd"},
    {"stdin", "/proc/self/fd/0"},
    {"stdout", "/proc/self/fd/1"},
    {"stderr", "/proc/self/fd/2"},
};

static struct inode *add(const char *name, uint32_t mode)
{
	struct dirent *dev = dir_find(root_inode, "dev", 3);
	struct inode *inode = inode_new(mode);

	if (!inode || dir_link(dev->inode, name, strlen(name), inode))
		panic("no memory for /dev: give the machine more");
	inode_put(inode);
	return inode;
}

void devices_init(void)
{
	struct inode *inode;

	for (unsigned minor = TTY_MINOR_TTY; minor <= TTY_MINOR_CONSOLE; minor++) {
		inode = add(minor ? "console" : "tty", S_IFCHR | (minor ? 0600 : 0666));
		inode->major = TTY_MAJOR;
		inode->minor = minor;
		inode->fops = &console_ops;
		inode->ops = minor ? NULL : &tty_inode_ops;
	}
	for (unsigned i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		inode = add(devices[i].name, S_IFCHR | 0666);
		inode->major = MEMORY_MAJOR;
		inode->minor = devices[i].minor;
		inode->fops = devices[i].fops;
	}
	for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		inode = add(links[i][0], S_IFLNK | 0777);
		inode->archive = (const uint8_t *)links[i][1];
		inode->size = inode->archive_bytes = strlen(links[i][1]);
	}
}
