/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes of /dev: null, zero, full, random, urandom, mem, ring0, and links to the caller's
 * descriptors. */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/device/cpu_devices.h"
#include "kernel/device/devices.h"
#include "kernel/device/mem.h"
#include "kernel/device/random.h"
#include "kernel/device/ring0.h"
#include "kernel/device/stdio.h"
#include "kernel/device/tty.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/page.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
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
	size_t here = PAGE_SIZE - buffer % PAGE_SIZE, done = 0;

	(void)file, (void)offset;
	if (!clear_user(buffer, bytes))
		return (long)bytes;
	for (; done + here < bytes && !clear_user(buffer + done, here); here = PAGE_SIZE)
		done += here;
	return done ? (long)done : -EFAULT;
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
    .read = zero_read, .write = null_write, .in_pieces = true, .seek = no_seek, .mmap = zero_mmap};
static const struct file_ops full_ops = {
    .read = zero_read, .write = full_write, .in_pieces = true, .seek = no_seek};
static const struct file_ops random_ops = {
    .read = random_read, .write = null_write, .seek = no_seek, .poll = always_poll};

#define MEMORY_MAJOR 1
#define MISC_MAJOR   10
#define RING0_MINOR  240 /* the first of the minors for local use */

static const struct {
	const char *name;
	uint32_t major, minor, mode;
	const struct file_ops *fops;
	const struct inode_ops *ops;
} devices[] = {
    {"mem", MEMORY_MAJOR, 1, 0600, &mem_ops, &mem_inode_ops},
    {"null", MEMORY_MAJOR, 3, 0666, &null_ops, NULL},
    {"zero", MEMORY_MAJOR, 5, 0666, &zero_ops, NULL},
    {"full", MEMORY_MAJOR, 7, 0666, &full_ops, NULL},
    {"random", MEMORY_MAJOR, 8, 0666, &random_ops, NULL},
    {"urandom", MEMORY_MAJOR, 9, 0666, &random_ops, NULL},
    {"ring0", MISC_MAJOR, RING0_MINOR, 0600, &ring0_ops, &ring0_inode_ops},
};

/* Symbolic links to the calling process's open files. */
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
	add("shm", S_IFDIR | 01777);
	for (unsigned i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		inode = add(devices[i].name, S_IFCHR | devices[i].mode);
		inode->major = devices[i].major;
		inode->minor = devices[i].minor;
		inode->fops = devices[i].fops;
		inode->ops = devices[i].ops;
	}
	for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		inode = add(links[i][0], S_IFLNK | 0777);
		inode->archive = (const uint8_t *)links[i][1];
		inode->size = inode->archive_bytes = strlen(links[i][1]);
	}
	mem_device_init();
	cpu_devices_init(dir_find(root_inode, "dev", 3)->inode);
}
