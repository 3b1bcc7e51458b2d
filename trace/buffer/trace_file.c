/* SPDX-License-Identifier: BSD-2-Clause */
/* The file `trace`: the records in the buffer, as text, oldest first; reading does not consume
 * them. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/text.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/lines.h"

/* An open file. */
struct reader {
	struct trace_instance *instance;
	struct lines lines;
	bool begun; /* the text about the columns was read */
	struct buffer_place places[MAX_CPUS];
};

static void make_head(const struct trace_instance *instance, struct text *out)
{
	static const char columns[] =
	    "#                                _-----=> irqs-off/BH-disabled\n"
	    "#                               / _----=> need-resched\n"
	    "#                              | / _---=> hardirq/softirq\n"
	    "#                              || / _--=> preempt-depth\n"
	    "#                              ||| / _-=> migrate-disable\n"
	    "#                              |||| /     delay\n"
	    "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	    "#              | |         |   |||||     |         |\n";
	uint64_t entries = 0, written = 0;

	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t here, over, lost;

		buffer_count(instance, cpu, &here, &over, &lost);
		entries += here;
		written += here + over;
	}
	text_print(out,
		   "# tracer: nop\n#\n# entries-in-buffer/entries-written: %lu/%lu   #P:%u\n#\n%s",
		   entries, written, nr_cpus, columns);
}

static long trace_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct reader *reader = file->priv;
	struct text head;
	long got;

	if (!bytes)
		return 0;
	if (!reader->begun) {
		text_init(&head, reader->lines.bytes, sizeof(reader->lines.bytes));
		make_head(reader->instance, &head);
		reader->lines.end = (uint32_t)head.length;
		reader->begun = true;
	}
	got = lines_read(reader->instance, &reader->lines, reader->places, buffer, bytes);
	if (got > 0)
		*offset += (uint64_t)got;
	return got;
}

static int trace_open(struct inode *inode, struct file *file)
{
	struct reader *reader = kalloc(sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	reader->instance = instance_open(inode->priv);
	if (!reader->instance) {
		kfree(reader);
		return -ENODEV;
	}
	if (file->flags & O_TRUNC && file->flags & O_ACCMODE)
		buffer_clear(reader->instance);
	file->priv = reader;
	return 0;
}

static void trace_release(struct file *file)
{
	struct reader *reader = file->priv;

	instance_close(reader->instance);
	kfree(reader);
}

/* Written text is ignored, as on Linux. */
static long trace_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file;
	(void)buffer;
	(void)offset;
	return (long)bytes;
}

/* Only seeks to the start, where a file that is only written always is. */
static long trace_seek(struct file *file, int64_t offset, int whence)
{
	struct reader *reader = file->priv;

	if (!file_reads(file))
		return 0;
	if (whence == 1 && !offset)
		return (long)file->offset;
	if (whence || offset)
		return -EINVAL;
	*reader = (struct reader){.instance = reader->instance};
	file->offset = 0;
	return 0;
}

static const struct file_ops trace_ops = {
    .read = trace_read, .write = trace_write, .seek = trace_seek, .release = trace_release};
static const struct inode_ops trace_inode_ops = {.open = trace_open};

struct inode *trace_file_inode(uint64_t id)
{
	struct inode *inode = inode_new(S_IFREG | 0640);

	if (!inode)
		return NULL;
	inode->ops = &trace_inode_ops;
	inode->fops = &trace_ops;
	inode->priv = id;
	inode->nlink = 1;
	return inode;
}
