/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's files trace_marker and trace_marker_raw: text that programs write there becomes a
 * record among the events. */
#include <linux/errno.h>
#include <linux/stat.h>
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "trace/base/event.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/options.h"

#define MARK_MAX 1024 /* bytes of a write, as on Linux; what is longer is cut */
#define RAW_MAX  3072 /* bytes of a raw one: longer is none */

/* The record of event ftrace:print, with room for the end of its text. */
struct mark {
	struct record_print fixed;
	char text[MARK_MAX + 2];
};

/* Ends the text with a newline if necessary: returns its bytes, including the NUL. */
static uint32_t end_text(char *text, size_t bytes)
{
	if (text[bytes - 1] != '\n')
		text[bytes++] = '\n';
	text[bytes++] = 0;
	return (uint32_t)bytes;
}

/* Checks that writing is allowed: 0 or a negative errno. */
static int check(const struct trace_instance *instance)
{
	if (!(instance->options & OPTION_MARKERS))
		return -EINVAL;
	return buffer_is_on(instance) ? 0 : -EBADF;
}

/* Lines start with this function's name, from its address, as on Linux. */
static long tracing_mark_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	size_t length = bytes < MARK_MAX ? bytes : MARK_MAX;
	long result = check(file->priv);
	struct mark *mark;

	(void)offset;
	if (result || !length)
		return result;
	mark = kalloc(sizeof(*mark));
	if (!mark)
		return -ENOMEM;
	mark->fixed.ip = (uint64_t)(uintptr_t)tracing_mark_write;
	result = copy_from_user(mark->text, buffer, length) ? -EFAULT : (long)length;
	if (result > 0)
		buffer_write(file->priv, &trace_points[POINT_print], &mark->fixed.header,
			     sizeof(mark->fixed) + end_text(mark->text, length));
	kfree(mark);
	return result;
}

/* A number, then bytes with a meaning private to the writer. */
static long raw_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	long result = check(file->priv);
	struct record_raw_data *record;

	(void)offset;
	if (!result && (bytes < sizeof(record->id) || bytes > RAW_MAX))
		result = -EINVAL;
	if (result)
		return result;
	bytes = bytes < MARK_MAX ? bytes : MARK_MAX;
	record = kalloc(sizeof(*record) + MARK_MAX);
	if (!record)
		return -ENOMEM;
	result = copy_from_user(&record->id, buffer, bytes) ? -EFAULT : (long)bytes;
	if (result > 0)
		buffer_write(file->priv, &trace_points[POINT_raw_data], &record->header,
			     (uint32_t)(offsetof(struct record_raw_data, id) + bytes));
	kfree(record);
	return result;
}

static const struct file_ops mark_ops = {.write = tracing_mark_write, .release = instance_release};
static const struct file_ops raw_ops = {.write = raw_write, .release = instance_release};
static const struct inode_ops mark_inode_ops = {.open = instance_open_buffer};

static struct inode *new_inode(uint64_t id, const struct file_ops *ops)
{
	struct inode *inode = inode_new(S_IFREG | 0220);

	if (!inode)
		return NULL;
	inode->ops = &mark_inode_ops;
	inode->fops = ops;
	inode->priv = id;
	inode->nlink = 1;
	return inode;
}

struct inode *trace_marker_inode(uint64_t id)
{
	return new_inode(id, &mark_ops);
}

struct inode *trace_marker_raw_inode(uint64_t id)
{
	return new_inode(id, &raw_ops);
}
