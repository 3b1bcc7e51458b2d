/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's files about its buffer: switches, sizes, and each processor's pages to be read. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/magic.h>
#include <linux/poll.h>
#include <linux/stat.h>
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/waitq.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/clock.h"
#include "trace/buffer/pids.h"

/* ---- switches ---- */

static void make_on(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%u\n", buffer_is_on());
}

static int store_on(const char *text, uint64_t id)
{
	(void)id;
	if (!line_is(text, "0") && !line_is(text, "1"))
		return -EINVAL;
	buffer_switch(text[0] == '1');
	return 0;
}

static void make_word(struct text *out, uint64_t word)
{
	text_print(out, "%s\n", (const char *)word);
}

/* There is one tracer, which does nothing. */
static int store_tracer(const char *text, uint64_t id)
{
	(void)id;
	return line_is(text, "nop") ? 0 : -EINVAL;
}

static void make_clock(struct text *out, uint64_t id)
{
	(void)id;
	trace_clock_list(out);
}

/* Records by another clock go. */
static int store_clock(const char *text, uint64_t id)
{
	int err = trace_clock_choose(text);

	(void)id;
	if (!err)
		buffer_clear();
	return err;
}

/* Who writes options may have what they are. */
static int store_option(const char *text, uint64_t id)
{
	(void)id;
	return line_is(text, "overwrite") || line_is(text, "norecord-tgid") ||
		       line_is(text, "noevent-fork") || line_is(text, "record-cmd")
		   ? 0
		   : -EINVAL;
}

static void make_kb(struct text *out, uint64_t processors)
{
	text_print(out, "%lu\n", buffer_kb() * processors);
}

static void make_total_kb(struct text *out, uint64_t id)
{
	(void)id;
	make_kb(out, nr_cpus);
}

static int store_kb(const char *text, uint64_t id)
{
	uint64_t kb;
	int err = number_read(text, 10, UINT64_MAX, &kb);

	(void)id;
	return err ? err : buffer_resize(kb);
}

static void make_names(struct text *out, uint64_t id)
{
	const char *name;
	int32_t pid;

	(void)id;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		for (uint32_t i = 0; (name = buffer_name(cpu, i, &pid)); i++)
			if (pid)
				text_print(out, "%d %s\n", pid, name);
}

static const struct synthetic files[] = {
    {.path = "tracing_on", .make = make_on, .store = store_on, .mode = 0640},
    {.path = "trace_clock", .make = make_clock, .store = store_clock, .mode = 0640},
    {.path = "set_event_pid",
     .make = pids_show,
     .store = pids_add,
     .cut = pids_clear,
     .mode = 0640},
    {.path = "saved_cmdlines", .make = make_names, .mode = 0440},
    {.path = "buffer_total_size_kb", .make = make_total_kb, .mode = 0440},
};

static const struct synthetic size_file = {
    .path = "buffer_size_kb", .make = make_kb, .store = store_kb, .mode = 0640};

/* Files that hold a word. */
static const struct {
	struct synthetic file;
	const char *word;
} words[] = {
    {{.path = "current_tracer", .make = make_word, .store = store_tracer, .mode = 0640}, "nop"},
    {{.path = "available_tracers", .make = make_word, .mode = 0440}, "nop"},
    {{.path = "trace_options", .make = make_word, .store = store_option, .mode = 0640},
     "noevent-fork\nnorecord-tgid\noverwrite\nrecord-cmd"},
};

/* ---- per_cpu/cpuN ---- */

static void make_stats(struct text *out, uint64_t cpu)
{
	uint64_t entries, lost;

	buffer_count((uint32_t)cpu, &entries, &lost);
	text_print(out,
		   "entries: %lu\noverrun: %lu\ncommit overrun: 0\nbytes: 0\n"
		   "oldest event ts: 0.000000\nnow ts: 0.000000\ndropped events: 0\n"
		   "read events: 0\n",
		   entries, lost);
}

/* Until a page is full: 0 or -EINTR. */
static int raw_await(struct file *file)
{
	uint32_t cpu = (uint32_t)file->inode->priv;
	struct waiter waiter;
	int err = 0;

	waitq_add(buffer_waitq(cpu), &waiter);
	while (!buffer_has_full_page(cpu) && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

/* Pages that are full only. */
static long raw_take(struct file *file, char *page, size_t bytes, uint64_t offset)
{
	uint32_t cpu = (uint32_t)file->inode->priv;

	if (bytes < PAGE_SIZE || offset % PAGE_SIZE)
		return -EINVAL;
	return buffer_has_full_page(cpu) && buffer_take(cpu, (uint8_t *)page) ? (long)PAGE_SIZE
									      : -EAGAIN;
}

/* A page whole, any when nobody waits for a full one: what is left of it, when there is less room,
 * is gone. */
static long raw_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	uint32_t cpu = (uint32_t)file->inode->priv;
	uint8_t *page;
	long err;

	(void)offset;
	if (bytes < PAGE_SIZE)
		return bytes ? -EINVAL : 0;
	if (file->flags & O_NONBLOCK)
		err = buffer_is_empty(cpu) ? -EAGAIN : 0;
	else
		err = raw_await(file);
	if (err)
		return err;
	page = page_alloc_dirty();
	if (!page)
		return -ENOMEM;
	if (!buffer_take(cpu, page))
		err = 0;
	else
		err = copy_to_user(buffer, page, PAGE_SIZE) ? -EFAULT : (long)PAGE_SIZE;
	page_put(page);
	return err;
}

static unsigned raw_poll(struct file *file, struct poll_table *table)
{
	uint32_t cpu = (uint32_t)file->inode->priv;

	poll_wait(table, buffer_waitq(cpu));
	return buffer_has_full_page(cpu) ? POLLIN | POLLRDNORM : 0;
}

static int raw_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return buffer_prepare();
}

static const struct file_ops raw_ops = {
    .read = raw_read, .take = raw_take, .await = raw_await, .poll = raw_poll};
static const struct inode_ops raw_inode_ops = {.open = raw_open};

static struct inode *raw_inode(uint64_t cpu)
{
	struct inode *inode = inode_new(S_IFREG | 0440);

	if (!inode)
		return NULL;
	inode->ops = &raw_inode_ops;
	inode->fops = &raw_ops;
	inode->priv = cpu;
	inode->nlink = 1;
	inode->magic = TRACEFS_MAGIC;
	return inode;
}

static const char *const cpu_files[] = {"trace_pipe_raw", "stats"};

static struct inode *cpu_lookup(struct inode *dir, const char *name, size_t length)
{
	static const struct synthetic stats = {.path = "stats", .make = make_stats, .mode = 0440};

	if (string_is(name, length, "trace_pipe_raw"))
		return raw_inode(dir->priv);
	return string_is(name, length, "stats") ? synthetic_inode(&stats, dir->priv) : NULL;
}

static bool cpu_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino, uint32_t *mode)
{
	uint64_t i = (*cookie)++;

	if (i >= sizeof(cpu_files) / sizeof(cpu_files[0]))
		return false;
	strlcpy(name, cpu_files[i], NAME_LONGEST);
	*ino = (1ul << 41) + dir->priv * 4 + i;
	*mode = S_IFREG;
	return true;
}

static const struct inode_ops cpu_ops = {.lookup = cpu_lookup, .list = cpu_list};

/* "cpuN", of a processor that is here. */
static bool cpu_name(char name[16], uint64_t cpu)
{
	struct text text;

	text_init(&text, name, 16);
	text_print(&text, "cpu%lu", cpu);
	return cpu < nr_cpus;
}

static struct inode *cpus_lookup(struct inode *dir, const char *name, size_t length)
{
	char wanted[16];

	(void)dir;
	for (uint64_t cpu = 0; cpu_name(wanted, cpu); cpu++) {
		struct inode *inode;

		if (!string_is(name, length, wanted))
			continue;
		inode = inode_new(S_IFDIR | 0750);
		if (!inode)
			return NULL;
		inode->ops = &cpu_ops;
		inode->priv = cpu;
		inode->nlink = 2;
		inode->magic = TRACEFS_MAGIC;
		return inode;
	}
	return NULL;
}

static bool cpus_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	(void)dir;
	if (!cpu_name(name, *cookie))
		return false;
	*ino = (1ul << 41) + (1ul << 20) + (*cookie)++;
	*mode = S_IFDIR;
	return true;
}

static const struct inode_ops cpus_ops = {.lookup = cpus_lookup, .list = cpus_list};
static const struct synthetic_folder per_cpu = {.mode = 0750, .ops = &cpus_ops};

void buffer_files_init(const char *folder)
{
	char path[NAME_LONGEST];
	struct text text;

	synthetic_add_all(folder, files, sizeof(files) / sizeof(files[0]), 0);
	synthetic_add_all(folder, &size_file, 1, 1);
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		synthetic_add_all(folder, &words[i].file, 1, (uint64_t)words[i].word);
	text_init(&text, path, sizeof(path));
	text_print(&text, "%s/per_cpu", folder);
	synthetic_folder(path, &per_cpu);
}
