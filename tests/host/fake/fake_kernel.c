/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks, descriptors and mappings for host tests. User addresses are the test's own. */
#define _GNU_SOURCE
#include "kernel/task/pids.h"
#include "tests/host/fake/fake_kernel.h"
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "api/calls.h"
#include "api/perf/perf.h"
#include "arch/x86/cpu/trap_hooks.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/time/clock.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/procfs/cgroupfs.h"
#include "kernel/task/task.h"
#include "kernel/base/hooks.h"
#include "kernel/base/log.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/sigio.h"
#include "kernel/vm/vm.h"
#include "tests/host/fake/fake_files.h"
#include "tests/host/fake/fake_machine.h"

unsigned fake_sigios, fake_wakeups, fake_open_objects;
struct perf_hooks perf_hooks;
struct list all_tasks = {&all_tasks, &all_tasks};

/* No directory is a control group here. */
struct cgroup *cgroup_of_inode(const struct inode *inode)
{
	(void)inode;
	return NULL;
}

/* ---- waiting, signals, log, clock ---- */

void waitq_init(struct waitq *queue)
{
	list_init(&queue->waiters);
}

void waitq_wake(struct waitq *queue)
{
	(void)queue;
	fake_wakeups++;
}

void poll_wait(struct poll_table *table, struct waitq *queue)
{
	(void)table, (void)queue;
}

void file_send_sigio(struct file *file, unsigned band, int fd)
{
	(void)file, (void)band, (void)fd;
	fake_sigios++;
}

int signal_queue(struct task *task, bool whole_process, const siginfo_t *info)
{
	(void)task, (void)whole_process, (void)info;
	return 0;
}

char fake_log[8192];

void log_at(enum log_level level, const char *format, ...)
{
	size_t used = strlen(fake_log);
	va_list args;

	(void)level;
	va_start(args, format);
	vsnprintf(fake_log + used, sizeof(fake_log) - used, format, args);
	va_end(args);
	used = strlen(fake_log);
	snprintf(fake_log + used, sizeof(fake_log) - used, "\n");
}

void panic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	abort();
}

int64_t clock_real_ns(void)
{
	return 1700000000000000000;
}

/* ---- tasks ---- */

#define MAX_TASKS   16
#define STACK_WORDS 2048

struct fake_task {
	struct task task;
	struct process process;
	struct mm mm;
	uint64_t stack[STACK_WORDS];
};

static struct fake_task *tasks[MAX_TASKS];

static struct fake_task *new_task(int pid, int tgid)
{
	struct fake_task *new = calloc(1, sizeof(*new));

	for (unsigned i = 0; i < MAX_TASKS; i++) {
		if (tasks[i])
			continue;
		tasks[i] = new;
		new->task.pid = pid;
		new->task.tgid = tgid;
		new->task.process = &new->process;
		new->task.mm = &new->mm;
		new->task.stack_top = (uint64_t) & new->stack[STACK_WORDS];
		new->process.limits[RLIMIT_MEMLOCK][0] = 8 << 20;
		strcpy(new->task.comm, "fake");
		return new;
	}
	abort();
}

struct task *task_find(int pid)
{
	for (unsigned i = 0; i < MAX_TASKS; i++)
		if (tasks[i] && tasks[i]->task.pid == pid)
			return &tasks[i]->task;
	return NULL;
}

void task_get(struct task *task)
{
	(void)task;
}

void task_put(struct task *task)
{
	(void)task;
}

struct task *fake_first_task(void)
{
	return task_find(100);
}

struct task *fake_fork(bool thread)
{
	static int next_pid = 101;
	struct task *parent = current_task();
	struct task *child = &new_task(next_pid, thread ? parent->tgid : next_pid)->task;

	next_pid++;
	child->parent = parent;
	cred_copy(&child->cred, &parent->cred);
	assert_int_equal(perf_hooks.fork(child, thread), 0);
	perf_hooks.fork_done(child, thread);
	return child;
}

void fake_become(struct task *task, uint32_t uid)
{
	cred_init_root(&task->cred);
	task->mm->dumpable = DUMPABLE_USER;
	if (!uid)
		return;
	task->cred.uid = task->cred.gid = (struct ids){uid, uid, uid, uid};
	task->cred.permitted = task->cred.effective = 0;
}

void fake_switch(struct task *next)
{
	struct task *prev = current_task();

	perf_hooks.switch_out(prev, next);
	this_cpu()->current = next;
	perf_hooks.switch_in(prev, next);
}

void fake_exit(struct task *next)
{
	struct task *task = current_task();

	perf_hooks.exit(task);
	task->state = TASK_ZOMBIE;
	fake_switch(next);
}

void fake_reap(struct task *task)
{
	for (unsigned i = 0; i < MAX_TASKS; i++) {
		if (!tasks[i] || &tasks[i]->task != task)
			continue;
		perf_hooks.task_free(task);
		free(tasks[i]);
		tasks[i] = NULL;
	}
}

void fake_exec(void)
{
	perf_hooks.exec(current_task());
	perf_hooks.comm(current_task(), true);
}

/* ---- descriptors and mappings ---- */

#define MAX_FDS 512

static struct file *files[MAX_FDS];
static struct vma vmas[MAX_FDS];

struct file *file_new(const struct file_ops *ops, void *priv, uint32_t flags)
{
	struct file *file = kalloc(sizeof(*file));

	file->ops = ops;
	file->priv = priv;
	file->flags = flags;
	file->refs = 1;
	return file;
}

void file_end(struct file *file)
{
	file->ops->release(file);
	kfree(file);
}

struct file *fd_get(int fd)
{
	if (fd < 0 || fd >= MAX_FDS || !files[fd])
		return NULL;
	file_get(files[fd]);
	return files[fd];
}

int fd_room(void)
{
	return 0;
}

int fd_install(struct file *file, int from, int cloexec)
{
	(void)cloexec;
	for (int fd = from; fd < MAX_FDS; fd++) {
		if (files[fd])
			continue;
		files[fd] = file;
		return fd;
	}
	return -EMFILE;
}

struct trap_hooks trap_hooks;

bool debug_may_watch(uint64_t first, uint64_t last)
{
	(void)first, (void)last;
	return true;
}

void debug_load(const struct debug_registers *wanted)
{
	this_cpu()->debug = *wanted;
}

uint64_t paging_kernel_page(uint64_t virt, uint64_t *phys)
{
	(void)virt, (void)phys;
	return 0;
}

const char *vma_name(const struct vma *vma, char *buffer, uint64_t size)
{
	(void)vma, (void)buffer, (void)size;
	return "//anon";
}

void vma_inode(const struct vma *vma, uint32_t *major, uint32_t *minor, uint64_t *ino,
	       uint64_t *generation)
{
	(void)vma;
	*major = *minor = 0;
	*ino = *generation = 0;
}

int fake_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd, unsigned long flags)
{
	return (int)sys_perf_event_open((uint64_t)attr, (uint64_t)(int64_t)pid,
					(uint64_t)(int64_t)cpu, (uint64_t)(int64_t)group_fd, flags);
}

long fake_read(int fd, void *buffer, uint64_t bytes)
{
	return files[fd]->ops->read(files[fd], (uint64_t)buffer, bytes, &files[fd]->offset);
}

long fake_ioctl(int fd, unsigned command, uint64_t argument)
{
	return files[fd]->ops->ioctl(files[fd], command, argument);
}

unsigned fake_poll(int fd)
{
	return files[fd]->ops->poll(files[fd], NULL);
}

void fake_close(int fd)
{
	struct file *file = files[fd];

	files[fd] = NULL;
	file_put(file);
}

/* Maps every page where the application would see it. */
static void *map_pages(struct vma *vma, uint64_t pages)
{
	char *base = mmap(NULL, pages * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (uint64_t i = 0; i < pages; i++) {
		void *page = vma->ops->fault(vma, i, false);

		fake_map_page(page, base + i * PAGE_SIZE);
		page_put(page);
	}
	return base;
}

void *fake_mmap(int fd, uint64_t pages, bool writable, int *error)
{
	struct vma *vma = &vmas[fd];

	*vma = (struct vma){
	    .start = 0x10000,
	    .end = 0x10000 + pages * PAGE_SIZE,
	    .prot = PROT_READ | (writable ? PROT_WRITE : 0),
	    .flags = MAP_SHARED,
	    .file = files[fd],
	    .mm = current_task()->mm,
	};
	*error = files[fd]->ops->mmap(files[fd], vma);
	if (*error)
		return NULL;
	file_get(files[fd]);
	return map_pages(vma, pages);
}

void fake_munmap(int fd, void *address)
{
	struct vma *vma = &vmas[fd];

	munmap(address, vma->end - vma->start);
	vma->ops->close(vma);
	file_put(vma->file);
}

struct perf_event_attr fake_attr(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
	    .type = type, .size = sizeof(struct perf_event_attr), .config = config};
}

void fake_kernel_start(void)
{
	fake_sigios = fake_wakeups = fake_open_objects = 0;
	fake_log[0] = 0;
	fake_files_start();
	memset(&perf_hooks, 0, sizeof(perf_hooks));
	memset(files, 0, sizeof(files));
	this_cpu()->current = &new_task(100, 100)->task;
	fake_become(this_cpu()->current, 0);
}

void fake_kernel_stop(void)
{
	fake_fails_after = 0;
	for (unsigned i = 0; i < MAX_TASKS; i++) {
		if (tasks[i] && tasks[i]->task.perf)
			perf_hooks.task_free(&tasks[i]->task);
		free(tasks[i]);
		tasks[i] = NULL;
	}
}
