/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc/PID, except `stat` and `status`: proc(5). */
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include "arch/x86/paging/paging.h"
#include "kernel/base/hooks.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/mount.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/procfs/proc.h"
#include "kernel/procfs/proc_smaps.h"
#include "kernel/procfs/proc_stat.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

static void make_comm(struct text *out, uint64_t id)
{
	struct task *task = proc_task(id);

	if (!task)
		return;
	text_print(out, "%s\n", task->comm);
	task_put(task);
}

/* Threads of a process may rename each other. */
static int store_comm(const char *text, uint64_t id)
{
	struct task *task = proc_task(id);
	char name[TASK_NAME];
	int err = 0;

	if (!task)
		return -ESRCH;
	if (task->process == current_task()->process) {
		task_name(name, text);
		task_rename(task, name);
		if (perf_hooks.comm)
			perf_hooks.comm(task, false);
	} else {
		err = -EINVAL;
	}
	task_put(task);
	return err;
}

/* Adds bytes of another address space, as far as they are mapped. */
static void add_memory(struct text *out, const struct mm *mm, uint64_t start, uint64_t end)
{
	struct paging_entry entry;

	while (start < end && paging_query(mm->root_phys, start & -PAGE_SIZE, &entry)) {
		uint64_t room = PAGE_SIZE - start % PAGE_SIZE,
			 piece = room < end - start ? room : end - start;

		text_add(out, (const char *)phys_virt(entry.phys) + start % PAGE_SIZE, piece);
		start += piece;
	}
}

#define MEMORY_FILE(name, from, to)                                              \
	static void make_##name(struct text *out, uint64_t id)                   \
	{                                                                        \
		struct task *task = proc_task(id);                               \
                                                                                 \
		if (task && task->mm)                                            \
			add_memory(out, task->mm, task->mm->from, task->mm->to); \
		if (task)                                                        \
			task_put(task);                                          \
	}

MEMORY_FILE(cmdline, arg_start, arg_end)
MEMORY_FILE(environ, env_start, env_end)
MEMORY_FILE(auxv, auxv_start, auxv_end)

/* Puts eight or more hexadecimal digits and `after`; returns their end. */
static char *put_hex(char *at, uint64_t value, char after)
{
	for (int shift = value >> 32 ? (63 - __builtin_clzl(value)) & ~3 : 28; shift >= 0;
	     shift -= 4)
		*at++ = "0123456789abcdef"[value >> shift & 15];
	*at++ = after;
	return at;
}

/* An address space may have ten thousand areas, and programs read all of them: no conversions. */
void proc_add_area(struct text *out, const struct vma *vma, char *buffer)
{
	uint32_t major, minor;
	uint64_t ino, generation;
	size_t start = out->length;
	char line[64], *at = put_hex(line, vma->start, '-');
	const char *name = vma_name(vma, buffer, PATH_SIZE);

	at = put_hex(at, vma->end, ' ');
	*at++ = vma->prot & PROT_READ ? 'r' : '-';
	*at++ = vma->prot & PROT_WRITE ? 'w' : '-';
	*at++ = vma->prot & PROT_EXEC ? 'x' : '-';
	*at++ = vma->flags & MAP_SHARED ? 's' : 'p';
	*at++ = ' ';
	at = put_hex(at, vma->file ? vma->pgoff * PAGE_SIZE : 0, ' ');
	text_add(out, line, (size_t)(at - line));
	vma_inode(vma, &major, &minor, &ino, &generation);
	if (ino)
		text_print(out, "%02x:%02x %lu ", major, minor, ino);
	else
		text_add(out, "00:00 0 ", 8);
	if (strcmp(name, "//anon") != 0) {
		while (out->length - start < 73)
			text_char(out, ' ');
		text_print(out, "%s", name);
	}
	text_char(out, '\n');
}

static const struct {
	const char *name, *unit;
} limits[] = {
    [RLIMIT_CPU] = {"Max cpu time", "seconds"},
    [RLIMIT_FSIZE] = {"Max file size", "bytes"},
    [RLIMIT_DATA] = {"Max data size", "bytes"},
    [RLIMIT_STACK] = {"Max stack size", "bytes"},
    [RLIMIT_CORE] = {"Max core file size", "bytes"},
    [RLIMIT_RSS] = {"Max resident set", "bytes"},
    [RLIMIT_NPROC] = {"Max processes", "processes"},
    [RLIMIT_NOFILE] = {"Max open files", "files"},
    [RLIMIT_MEMLOCK] = {"Max locked memory", "bytes"},
    [RLIMIT_AS] = {"Max address space", "bytes"},
    [RLIMIT_LOCKS] = {"Max file locks", "locks"},
    [RLIMIT_SIGPENDING] = {"Max pending signals", "signals"},
    [RLIMIT_MSGQUEUE] = {"Max msgqueue size", "bytes"},
    [RLIMIT_NICE] = {"Max nice priority", ""},
    [RLIMIT_RTPRIO] = {"Max realtime priority", ""},
    [RLIMIT_RTTIME] = {"Max realtime timeout", "us"},
};

/* Adds the text, padded with blanks to the width. */
static void add_padded(struct text *out, const char *text, size_t width)
{
	text_print(out, "%s", text);
	for (size_t length = strlen(text); length < width; length++)
		text_char(out, ' ');
}

static void add_limit(struct text *out, uint64_t value)
{
	char number[24] = "unlimited";
	struct text text;

	if (value != RLIM64_INFINITY) {
		text_init(&text, number, sizeof(number));
		text_print(&text, "%lu", value);
	}
	add_padded(out, number, 20);
	text_char(out, ' ');
}

static void make_limits(struct text *out, uint64_t id)
{
	struct task *task = proc_task(id);

	if (!task)
		return;
	text_print(out, "Limit                     Soft Limit           Hard Limit           "
			"Units     \n");
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		add_padded(out, limits[i].name, 25);
		text_char(out, ' ');
		add_limit(out, task->process->limits[i][0]);
		add_limit(out, task->process->limits[i][1]);
		if (*limits[i].unit)
			add_padded(out, limits[i].unit, 10);
		text_char(out, '\n');
	}
	task_put(task);
}

static void make_mounts(struct text *out, uint64_t id)
{
	(void)id;
	text_print(
	    out,
	    "rootfs / rootfs rw 0 0\nproc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0\n"
	    "debugfs /sys/kernel/debug debugfs rw 0 0\ntracefs /sys/kernel/tracing tracefs rw 0 0\n"
	    "tracefs /sys/kernel/debug/tracing tracefs rw 0 0\nbpf /sys/fs/bpf bpf rw 0 0\n"
	    "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
	mounts_print(out, false);
}

static void make_mountinfo(struct text *out, uint64_t id)
{
	(void)id;
	text_print(
	    out,
	    "1 1 0:1 / / rw - rootfs rootfs rw\n2 1 0:2 / /proc rw - proc proc rw\n3 1 "
	    "0:3 / /sys rw - sysfs sysfs rw\n4 3 0:4 / /sys/kernel/debug rw - debugfs debugfs rw\n"
	    "5 3 0:5 / /sys/kernel/tracing rw - tracefs tracefs rw\n"
	    "6 4 0:5 / /sys/kernel/debug/tracing rw - tracefs tracefs rw\n"
	    "7 3 0:6 / /sys/fs/bpf rw - bpf bpf rw\n"
	    "8 3 0:7 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	mounts_print(out, true);
}

static void make_cgroup(struct text *out, uint64_t id)
{
	struct task *task = task_find((int)id);

	if (!task)
		return;
	if (cgroup_v1_on) {
		text_print(out, "1:perf_event:");
		cgroup_path(cgroup_v1_of(task), out);
		text_char(out, '\n');
	}
	text_print(out, "0::");
	cgroup_path(cgroup_of(task), out);
	text_char(out, '\n');
	task_put(task);
}

const struct synthetic proc_task_files[] = {
    {.path = "auxv", .make = make_auxv, .permit = proc_inspect, .mode = 0400},
    {.path = "cgroup", .make = make_cgroup},
    {.path = "cmdline", .make = make_cmdline},
    {.path = "comm", .make = make_comm, .store = store_comm},
    {.path = "environ", .make = make_environ, .permit = proc_inspect, .mode = 0400},
    {.path = "limits", .make = make_limits},
    {.path = "maps", .make = proc_make_maps, .permit = proc_inspect},
    {.path = "mountinfo", .make = make_mountinfo},
    {.path = "mounts", .make = make_mounts},
    {.path = "smaps", .make = proc_make_smaps, .permit = proc_inspect},
    {.path = "smaps_rollup", .make = proc_make_rollup, .permit = proc_inspect},
    {.path = "stat", .make = proc_make_stat},
    {.path = "statm", .make = proc_make_statm},
    {.path = "status", .make = proc_make_status},
    {.path = NULL},
};
