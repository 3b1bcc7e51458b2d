/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard input, output and error of the first program: pipes to the host command, or a terminal
 * on the console. */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "kernel/base/console.h"
#include "kernel/fs/descriptor_table.h"
#include "kernel/host/host.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/host/stdio.h"
#include "kernel/task/task.h"
#include "kernel/host/tty.h"
#include "kernel/mem/user.h"

#define MEMORY_MAJOR      1 /* /dev/null is 1:3 */
#define MEMORY_MINOR_NULL 3

static long input_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file, (void)buffer, (void)bytes, (void)offset;
	return 0;
}

static unsigned ready_poll(struct file *file, struct poll_table *table)
{
	(void)file, (void)table;
	return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
}

/* Hands the user's bytes on piece by piece, in order. */
static long output(struct file *file, uint64_t buffer, size_t bytes,
		   void (*send)(struct file *, const void *, size_t))
{
	char *piece = host_buffer();

	for (size_t done = 0; done < bytes;) {
		size_t length = bytes - done < HOST_PAYLOAD ? bytes - done : HOST_PAYLOAD;

		if (copy_from_user(piece, buffer + done, length))
			return done ? (long)done : -EFAULT;
		send(file, piece, length);
		done += length;
	}
	return (long)bytes;
}

static void send_frame(struct file *file, const void *bytes, size_t size)
{
	host_send(file->inode->priv ? HOST_STDERR : HOST_STDOUT, 0, "", bytes, size);
}

static long frame_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)offset;
	return output(file, buffer, bytes, send_frame);
}

static void send_console(struct file *file, const void *bytes, size_t size)
{
	(void)file;
	console_write(bytes, size);
}

static long console_file_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)offset;
	return output(file, buffer, bytes, send_console);
}

static const struct file_ops input_ops = {.read = input_read, .poll = ready_poll};
static const struct file_ops frame_ops = {.write = frame_write, .poll = ready_poll};
const struct file_ops console_ops = {
    .read = input_read,
    .write = console_file_write,
    .ioctl = tty_ioctl,
    .poll = ready_poll,
};

/* An inode without a name, so that /dev/stdout and its like can open it again. `priv`: 1 for
 * standard error. */
static int open_one(struct files *files, unsigned fd, const struct file_ops *ops, uint32_t mode,
		    uint32_t flags)
{
	struct inode *inode = inode_new(mode);
	struct file *file;
	int err;

	if (!inode)
		return -ENOMEM;
	if (S_ISCHR(mode)) {
		inode->major = fd ? TTY_MAJOR : MEMORY_MAJOR;
		inode->minor = fd ? TTY_MINOR_CONSOLE : MEMORY_MINOR_NULL;
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

int stdio_open(struct files *files, int sid)
{
	bool frames = host_listens();
	const struct file_ops *out = frames ? &frame_ops : &console_ops;
	uint32_t mode = frames ? S_IFIFO | 0600 : S_IFCHR | 0620;
	int err;

	if (!frames)
		tty_control(sid);
	err = open_one(files, 0, &input_ops, S_IFCHR | 0666, O_RDONLY);

	if (!err)
		err = open_one(files, 1, out, mode, O_WRONLY);
	if (!err)
		err = open_one(files, 2, out, mode, O_WRONLY);
	return err;
}
