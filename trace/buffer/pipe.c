/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_pipe: a ring of bytes for lines from programs of any context, and after these the records
 * of tracefs's buffer; reading consumes them. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <linux/stat.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/time/timer.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/lines.h"
#include "trace/buffer/pipe.h"

#define BYTES (64u << 10)
#define LINE  768

/* Text printed by BPF programs, shown by the top instance's trace_pipe. */
static struct {
	char *bytes;         /* NULL: nothing was printed yet */
	uint64_t head, tail; /* positions: written, read */
	struct spinlock lock;
} pipe;

int trace_pipe_prepare(void)
{
	if (!pipe.bytes)
		__atomic_store_n(&pipe.bytes, kalloc(BYTES), __ATOMIC_RELEASE);
	return pipe.bytes ? 0 : -ENOMEM;
}

/* An NMI must not wait for the code that it has interrupted. */
static bool lock(uint64_t *flags)
{
	bool waits = !this_cpu_read(nmi_depth);

	*flags = irq_save();
	while (__atomic_exchange_n(&pipe.lock.held, 1, __ATOMIC_ACQUIRE))
		if (!waits) {
			irq_restore(*flags);
			return false;
		}
	return true;
}

/* Formats a line as Linux does; the flags of the interrupted context are constant. */
static void add_line(struct text *line, const char *text)
{
	uint64_t us = clock_ns() / 1000;
	const struct task *task = current_task();
	size_t length = strlen(task->comm);

	for (size_t i = length; i < 16; i++)
		text_char(line, ' ');
	text_print(line, "%s-%-7d [%03u] d..21 %5lu.%06lu: bpf_trace_printk: %s", task->comm,
		   task->pid, this_cpu_read(id), us / 1000000, us % 1000000, text);
	if (!*text || text[strlen(text) - 1] != '\n')
		text_char(line, '\n');
}

void trace_pipe_print(const char *text)
{
	char buffer[LINE];
	struct text line;
	uint64_t flags;
	size_t length;

	if (!__atomic_load_n(&pipe.bytes, __ATOMIC_ACQUIRE))
		return;
	text_init(&line, buffer, sizeof(buffer));
	add_line(&line, text);
	length = line.length < sizeof(buffer) ? line.length : sizeof(buffer) - 1;
	if (!lock(&flags))
		return;
	if (BYTES - (pipe.head - pipe.tail) >= length)
		for (size_t i = 0; i < length; i++)
			pipe.bytes[pipe.head++ % BYTES] = buffer[i];
	spin_unlock_irqrestore(&pipe.lock, flags);
	irq_work_queue(&trace_top.work);
}

/* ---- the file ---- */

static size_t buffer_pipe_take(char *to, size_t most)
{
	uint64_t flags;
	size_t done = 0;

	if (!lock(&flags))
		return 0;
	for (; pipe.bytes && done < most && pipe.tail != pipe.head; done++)
		to[done] = pipe.bytes[pipe.tail++ % BYTES];
	spin_unlock_irqrestore(&pipe.lock, flags);
	return done;
}

/* Also requests a wake-up at the next record. */
static bool is_empty(struct trace_instance *instance)
{
	__atomic_store_n(&instance->wanted, 1, __ATOMIC_SEQ_CST);
	if (instance == &trace_top && __atomic_load_n(&pipe.head, __ATOMIC_RELAXED) != pipe.tail)
		return false;
	return instance->lines.begin == instance->lines.end && !lines_are_there(instance);
}

static int wait(const struct file *file, struct trace_instance *instance)
{
	struct waiter waiter;
	int err = 0;

	if (!is_empty(instance))
		return 0;
	if (file->flags & O_NONBLOCK)
		return -EAGAIN;
	waitq_add(&instance->readers, &waiter);
	while (is_empty(instance) && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

static long read_printed(uint64_t buffer, size_t most)
{
	char *page = page_alloc_dirty();
	size_t got;
	long err;

	if (!page)
		return -ENOMEM;
	got = buffer_pipe_take(page, most);
	err = copy_to_user(buffer, page, got) ? -EFAULT : (long)got;
	page_put(page);
	return err;
}

static long pipe_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct trace_instance *instance = file->priv;
	long done;

	(void)offset;
	if (!bytes)
		return 0;
	done = wait(file, instance);
	if (!done && instance == &trace_top)
		done = read_printed(buffer, bytes < PAGE_SIZE ? bytes : PAGE_SIZE);
	return done ? done : lines_read(instance, &instance->lines, NULL, buffer, bytes);
}

static unsigned pipe_poll(struct file *file, struct poll_table *table)
{
	struct trace_instance *instance = file->priv;

	poll_wait(table, &instance->readers);
	return is_empty(instance) ? 0 : POLLIN | POLLRDNORM;
}

static const struct file_ops pipe_ops = {
    .read = pipe_read, .poll = pipe_poll, .release = instance_release};

static int pipe_open(struct inode *inode, struct file *file)
{
	file->priv = instance_open(inode->priv);
	return file->priv ? 0 : -ENODEV;
}

static const struct inode_ops inode_ops = {.open = pipe_open};

struct inode *trace_pipe_inode(uint64_t id)
{
	struct inode *inode = inode_new(S_IFREG | 0440);

	if (!inode)
		return NULL;
	inode->ops = &inode_ops;
	inode->fops = &pipe_ops;
	inode->priv = id;
	inode->nlink = 1;
	return inode;
}
