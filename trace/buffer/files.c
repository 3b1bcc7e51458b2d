/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's files about its buffer: switches, sizes, and each processor's pages. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/magic.h>
#include <linux/poll.h>
#include <linux/stat.h>
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/waitq.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/clock.h"
#include "trace/buffer/error_log.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/options.h"
#include "trace/buffer/pids.h"
#include "trace/buffer/pipe.h"

/* ---- switches ---- */

static void make_on(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);

	text_print(out, "%u\n", instance && buffer_is_on(instance));
}

static int store_on(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	uint64_t number;
	int err = number_read(text, 10, UINT64_MAX, &number);

	if (!instance)
		return -ENODEV;
	if (!err)
		buffer_switch(instance, number != 0);
	return err;
}

static int store_tracer(const char *text, uint64_t id)
{
	(void)id;
	return line_is(text, "nop") ? 0 : -EINVAL;
}

static void make_clock(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);

	if (instance)
		trace_clock_list(out, instance->clock);
}

/* Records with another clock are discarded. */
static int store_clock(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	const struct trace_clock *clock = trace_clock_find(text);

	if (!instance || !clock)
		return instance ? -EINVAL : -ENODEV;
	__atomic_store_n(&instance->clock, clock, __ATOMIC_RELAXED);
	buffer_clear(instance);
	return 0;
}

static void make_pids(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);

	if (instance)
		pids_show(instance, out);
}

static int store_pids(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);

	return instance ? pids_add(instance, text) : -ENODEV;
}

static int cut_pids(uint64_t id)
{
	struct trace_instance *instance = instance_find(id);

	if (!instance)
		return -ENODEV;
	pids_clear(instance);
	return 0;
}

static void make_kb(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);

	text_print(out, "%u\n", instance ? instance->size_kb : 0);
}

static void make_total_kb(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);

	text_print(out, "%u\n", instance ? instance->size_kb * nr_cpus : 0);
}

static int store_kb(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	uint64_t kb;
	int err = number_read(text, 10, UINT64_MAX, &kb);

	if (!instance)
		return -ENODEV;
	return err ? err : buffer_resize(instance, kb);
}

static const struct synthetic files[] = {
    {.path = "tracing_on", .make = make_on, .store = store_on, .mode = 0640, .end = END_START},
    {.path = "trace_clock", .make = make_clock, .store = store_clock, .mode = 0640},
    {.path = "set_event_pid",
     .make = make_pids,
     .store = store_pids,
     .cut = cut_pids,
     .mode = 0640},
    {.path = "buffer_size_kb", .make = make_kb, .store = store_kb, .mode = 0640, .end = END_START},
    {.path = "buffer_total_size_kb", .make = make_total_kb, .mode = 0440, .end = END_START},
    {.path = "current_tracer",
     .text = "nop",
     .store = store_tracer,
     .mode = 0640,
     .end = END_START},
    {.path = "available_tracers", .text = "nop", .mode = 0440},
    {.path = "trace_options",
     .make = options_show,
     .store = options_store,
     .mode = 0640,
     .takes_nothing = true},
    {.path = "error_log",
     .make = error_log_show,
     .store = error_log_store,
     .cut = error_log_clear,
     .mode = 0640},
};

#define NR_FILES (sizeof(files) / sizeof(files[0]))

/* ---- per_cpu/cpuN ---- */

static void make_stats(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);
	uint64_t entries, overwritten, lost;

	if (!instance)
		return;
	buffer_count(instance, (uint32_t)instance_of(id), &entries, &overwritten, &lost);
	text_print(out,
		   "entries: %lu\noverrun: %lu\ncommit overrun: 0\nbytes: 0\n"
		   "oldest event ts: 0.000000\nnow ts: 0.000000\ndropped events: %lu\n"
		   "read events: 0\n",
		   entries, overwritten, lost);
}

/* Waits until a page is full: 0 or -EINTR. */
static int raw_await(struct file *file)
{
	struct trace_instance *instance = file->priv;
	uint32_t cpu = (uint32_t)instance_of(file->inode->priv);
	struct waiter waiter;
	int err = 0;

	waitq_add(buffer_waitq(instance, cpu), &waiter);
	while (!buffer_has_full_page(instance, cpu) && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

/* Takes only full pages. */
static long raw_take(struct file *file, char *page, size_t bytes, uint64_t offset)
{
	struct trace_instance *instance = file->priv;
	uint32_t cpu = (uint32_t)instance_of(file->inode->priv);

	if (bytes < PAGE_SIZE || offset % PAGE_SIZE)
		return -EINVAL;
	return buffer_has_full_page(instance, cpu) && buffer_take(instance, cpu, (uint8_t *)page)
		   ? (long)PAGE_SIZE
		   : -EAGAIN;
}

/* Reads a whole page, even a partial one if the file is non-blocking. If `bytes` is less than a
 * page, the rest of it is lost. */
static long raw_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct trace_instance *instance = file->priv;
	uint32_t cpu = (uint32_t)instance_of(file->inode->priv);
	uint8_t *page;
	long err;

	(void)offset;
	if (bytes < PAGE_SIZE)
		return bytes ? -EINVAL : 0;
	if (file->flags & O_NONBLOCK)
		err = buffer_is_empty(instance, cpu) ? -EAGAIN : 0;
	else
		err = raw_await(file);
	if (err)
		return err;
	page = page_alloc_dirty();
	if (!page)
		return -ENOMEM;
	if (!buffer_take(instance, cpu, page))
		err = 0;
	else
		err = copy_to_user(buffer, page, PAGE_SIZE) ? -EFAULT : (long)PAGE_SIZE;
	page_put(page);
	return err;
}

static unsigned raw_poll(struct file *file, struct poll_table *table)
{
	struct trace_instance *instance = file->priv;
	uint32_t cpu = (uint32_t)instance_of(file->inode->priv);

	poll_wait(table, buffer_waitq(instance, cpu));
	return buffer_has_full_page(instance, cpu) ? POLLIN | POLLRDNORM : 0;
}

static const struct file_ops raw_ops = {.read = raw_read,
					.take = raw_take,
					.await = raw_await,
					.poll = raw_poll,
					.release = instance_release};
static const struct inode_ops raw_inode_ops = {.open = instance_open_buffer};

static struct inode *raw_inode(uint64_t id)
{
	struct inode *inode = inode_new(S_IFREG | 0440);

	if (!inode)
		return NULL;
	inode->ops = &raw_inode_ops;
	inode->fops = &raw_ops;
	inode->priv = id;
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
	*ino = (1ul << 41) + instance_of(dir->priv) * 4 + i;
	*mode = S_IFREG;
	return true;
}

static const struct inode_ops cpu_ops = {.lookup = cpu_lookup, .list = cpu_list};

/* Formats "cpuN" for an existing processor. */
static bool cpu_name(char name[16], uint64_t cpu)
{
	struct text text;

	text_init(&text, name, 16);
	text_print(&text, "cpu%lu", cpu);
	return cpu < nr_cpus;
}

static struct inode *directory(const struct inode_ops *ops, uint64_t id)
{
	struct inode *inode = inode_new(S_IFDIR | 0750);

	if (!inode)
		return NULL;
	inode->ops = ops;
	inode->priv = id;
	inode->nlink = 2;
	inode->magic = TRACEFS_MAGIC;
	return inode;
}

static struct inode *cpus_lookup(struct inode *dir, const char *name, size_t length)
{
	char wanted[16];

	for (uint64_t cpu = 0; cpu_name(wanted, cpu); cpu++)
		if (string_is(name, length, wanted))
			return directory(&cpu_ops, instance_id(dir->priv, cpu));
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

/* ---- options ---- */

static const struct synthetic option_file = {
    .make = option_show, .store = option_store, .mode = 0640, .takes_nothing = true};

static struct inode *options_lookup(struct inode *dir, const char *name, size_t length)
{
	for (unsigned i = 0; option_name(i); i++)
		if (string_is(name, length, option_name(i)))
			return synthetic_inode(&option_file, instance_id(dir->priv, i));
	return NULL;
}

static bool options_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
			 uint32_t *mode)
{
	(void)dir;
	if (!option_name((unsigned)*cookie))
		return false;
	strlcpy(name, option_name((unsigned)*cookie), NAME_LONGEST);
	*ino = (1ul << 41) + (1ul << 21) + (*cookie)++;
	*mode = S_IFREG;
	return true;
}

static const struct inode_ops options_ops = {.lookup = options_lookup, .list = options_list};

/* ---- all ---- */

/* Files that are more than text made on opening, then directories. */
static const struct {
	const char *name;
	struct inode *(*new_inode)(uint64_t id);
	const struct inode_ops *ops;
} others[] = {{"trace", trace_file_inode, NULL},
	      {"trace_pipe", trace_pipe_inode, NULL},
	      {"trace_marker", trace_marker_inode, NULL},
	      {"trace_marker_raw", trace_marker_raw_inode, NULL},
	      {"per_cpu", NULL, &cpus_ops},
	      {"options", NULL, &options_ops}};

#define NR_OTHERS (sizeof(others) / sizeof(others[0]))

struct inode *buffer_file(uint64_t id, const char *name, size_t length)
{
	for (unsigned i = 0; i < NR_FILES; i++)
		if (string_is(name, length, files[i].path))
			return synthetic_inode(&files[i], id);
	for (unsigned i = 0; i < NR_OTHERS; i++)
		if (string_is(name, length, others[i].name))
			return others[i].ops ? directory(others[i].ops, id)
					     : others[i].new_inode(id);
	return NULL;
}

const char *buffer_file_name(uint64_t number, bool *is_directory)
{
	uint64_t other = number - NR_FILES;

	*is_directory = other < NR_OTHERS && others[other].ops;
	if (number < NR_FILES)
		return files[number].path;
	return other < NR_OTHERS ? others[other].name : NULL;
}
