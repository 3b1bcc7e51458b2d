/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's file trace_marker: what programs write there is a record among those of events. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/string.h"
#include "kernel/fs/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "trace/buffer/buffer.h"
#include "trace/base/event.h"

#define MARK_MOST 1024 /* bytes of a write, as on Linux; what is longer is cut */

/* The event ftrace:print's record, with room for what ends its text. */
struct mark {
	struct record_print fixed;
	char text[MARK_MOST + 2];
};

/* Ends the line that the text has no end for: its bytes, with the zero behind it. */
static uint32_t end_text(char *text, size_t bytes)
{
	if (text[bytes - 1] != '\n')
		text[bytes++] = '\n';
	text[bytes++] = 0;
	return (uint32_t)bytes;
}

/* Lines begin with its name, by its address, as on Linux. */
static long tracing_mark_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	size_t length = bytes < MARK_MOST ? bytes : MARK_MOST;
	struct mark *mark;
	long result;

	(void)file;
	(void)offset;
	if (!buffer_is_on())
		return -EBADF;
	if (!length)
		return 0;
	mark = kalloc(sizeof(*mark));
	if (!mark)
		return -ENOMEM;
	mark->fixed.ip = (uint64_t)(uintptr_t)tracing_mark_write;
	result = copy_from_user(mark->text, buffer, length) ? -EFAULT : (long)length;
	if (result > 0)
		buffer_write(&trace_points[POINT_print], &mark->fixed.header,
			     sizeof(mark->fixed) + end_text(mark->text, length));
	kfree(mark);
	return result;
}

static int mark_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return buffer_prepare();
}

static const struct file_ops mark_ops = {.write = tracing_mark_write};
static const struct inode_ops mark_inode_ops = {.open = mark_open};

struct inode *trace_marker_inode(void)
{
	struct inode *inode = inode_new(S_IFREG | 0220);

	if (!inode)
		return NULL;
	inode->ops = &mark_inode_ops;
	inode->fops = &mark_ops;
	inode->nlink = 1;
	return inode;
}
