/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard input, output and error of the first program: pipes to the host command, or the
 * terminal. */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "kernel/base/cmdline.h"
#include "kernel/base/string.h"
#include "kernel/device/input.h"
#include "kernel/device/stdio.h"
#include "kernel/device/tty.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/regular.h"
#include "kernel/host/host.h"
#include "kernel/host/link.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/space.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

#define MEMORY_MAJOR      1 /* /dev/null is 1:3 */
#define MEMORY_MINOR_NULL 3

static unsigned ready_poll(struct file *file, struct poll_table *table)
{
	(void)file, (void)table;
	return POLLOUT | POLLWRNORM;
}

static enum host_frame frame_of(const struct file *file)
{
	return file->inode->priv ? HOST_STDERR : HOST_STDOUT;
}

static void send_frame(struct file *file, const void *bytes, size_t size)
{
	host_send(frame_of(file), 0, "", bytes, size);
}

/* Finds the pages of a user buffer; false unless all are present and RAM. They stay valid while the
 * caller does not sleep: unmapping takes the kernel lock. */
static bool find_pages(struct link_pages *pages, uint64_t buffer, size_t bytes)
{
	const struct vma *vma = vma_find(current_task()->mm, buffer);
	uint64_t first = buffer & -PAGE_SIZE;
	bool there =
	    vma && vma->start <= buffer && bytes <= vma->end - buffer && !(vma->flags & VMA_DEVICE);

	pages->offset = buffer - first;
	for (uint64_t at = first; there && at < buffer + bytes; at += PAGE_SIZE) {
		const void *page = peek_page(at);

		there = page;
		if (there)
			pages->phys[(at - first) / PAGE_SIZE] = page_phys(page);
	}
	return there;
}

/* The host reads the buffer in place where it can; the rest, and short writes, are copied. */
static long frame_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct link_pages pages;
	size_t done = 0, piece;
	long rest;

	(void)offset;
	for (; host_is_linked() && bytes - done >= HOST_IN_PLACE; done += piece) {
		piece = bytes - done < HOST_PAYLOAD ? bytes - done : HOST_PAYLOAD;
		if (!find_pages(&pages, buffer + done, piece))
			break;
		host_show(frame_of(file), &pages, piece);
	}
	rest = output_pieces(file, buffer + done, bytes - done, send_frame);
	return rest < 0 && done ? (long)done : (long)done + rest;
}

static const struct file_ops frame_ops = {.write = frame_write, .poll = ready_poll};
const struct file_ops console_ops = {
    .read = tty_read,
    .readv = tty_readv,
    .write = tty_write,
    .ioctl = tty_ioctl,
    .poll = tty_poll,
};

/* Opens an inode without a name, so that /dev/stdout and the others can open it again. `priv`: 1
 * for standard error. */
static int open_one(struct files *files, unsigned fd, const struct file_ops *ops, uint32_t mode,
		    uint32_t flags)
{
	struct inode *inode = inode_new(mode);
	struct file *file;
	int err;

	if (!inode)
		return -ENOMEM;
	if (S_ISCHR(mode)) {
		inode->major = ops == &console_ops ? TTY_MAJOR : MEMORY_MAJOR;
		inode->minor = ops == &console_ops ? TTY_MINOR_CONSOLE : MEMORY_MINOR_NULL;
	}
	inode->nlink = 1;
	inode->fops = ops;
	inode->priv = fd == 2;
	err = inode_open(inode, NULL, flags, &file);
	inode_put(inode);
	if (!err)
		slot_fill(files, fd, file);
	return err;
}

/* The mode of a standard stream as on the host: a pipe, or a file where `files=` says so. */
static uint32_t stream_mode(unsigned fd)
{
	char letters[8];

	if (cmdline_value("files", letters, sizeof(letters)) && strchr(letters, "ioe"[fd]))
		return S_IFREG | 0600;
	return S_IFIFO | 0600;
}

static int open_stream(struct files *files, unsigned fd, bool terminal)
{
	uint32_t flags = terminal ? O_RDWR : fd ? O_WRONLY : O_RDONLY;

	if (terminal)
		return open_one(files, fd, &console_ops, S_IFCHR | 0620, flags);
	if (!fd && !host_is_linked())
		return open_one(files, fd, &input_ops, S_IFCHR | 0666, flags);
	return open_one(files, fd, fd ? &frame_ops : &input_ops, stream_mode(fd), flags);
}

int stdio_open(struct files *files, int sid)
{
	unsigned terminals = tty_init();
	int err = 0;

	input_init();
	if (terminals)
		tty_control(sid);
	for (unsigned fd = 0; fd < 3 && !err; fd++)
		err = open_stream(files, fd, terminals >> fd & 1);
	return err;
}
