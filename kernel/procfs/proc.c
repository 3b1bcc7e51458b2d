/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc about the whole system: proc(5). */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/string.h"
#include "kernel/base/system.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/procfs/cgroupfs.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/pids.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"

#define NS_PER_CENTISECOND 10000000ul

/* Pages of files are in memory alone, as Linux's tmpfs: cached, but not available. */
static void make_meminfo(struct text *out, uint64_t id)
{
	static const char *const nothing[] = {"SwapCached:", "SwapTotal:", "SwapFree:"};
	uint64_t total = memory_total_pages() * (PAGE_SIZE / 1024),
		 free = memory_free_pages() * (PAGE_SIZE / 1024);

	(void)id;
	text_print(out,
		   "MemTotal:       %8lu kB\nMemFree:        %8lu kB\nMemAvailable:   %8lu kB\n",
		   total, free, free);
	text_print(out, "%-16s%8u kB\n%-16s%8lu kB\n", "Buffers:", 0,
		   "Cached:", inode_pages_in_use() * (PAGE_SIZE / 1024));
	for (unsigned i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		text_print(out, "%-16s%8u kB\n", nothing[i], 0);
	proc_add_huge(out);
}

static uint64_t idle_ns(void)
{
	uint64_t idle = 0;

	for (unsigned i = 0; i < nr_cpus; i++)
		idle += sched_idle_ns(i);
	return idle;
}

static void make_uptime(struct text *out, uint64_t id)
{
	uint64_t up = clock_ns() / NS_PER_CENTISECOND, idle = idle_ns() / NS_PER_CENTISECOND;

	(void)id;
	text_print(out, "%lu.%02lu %lu.%02lu\n", up / 100, up % 100, idle / 100, idle % 100);
}

/* All time that is not idle counts as the user's: entries to the kernel take no clock readings. */
static void add_times(struct text *out, uint64_t all, uint64_t idle)
{
	idle = idle < all ? idle : all; /* it was read a moment later */
	text_print(out, " %lu 0 0 %lu 0 0 0 0 0 0\n", (all - idle) / NS_PER_TICK,
		   idle / NS_PER_TICK);
}

/* Interrupts of the machine have no Linux numbers, so only their sum is shown. */
static void add_switches(struct text *out)
{
	uint64_t interrupts = 0, switches = 0;

	for (unsigned i = 0; i < nr_cpus; i++) {
		interrupts += percpu_interrupts(cpus[i]) + cpus[i]->nmis;
		switches += sched_switches(i);
	}
	text_print(out, "intr %lu\nctxt %lu\n", interrupts, switches);
}

static void make_stat(struct text *out, uint64_t id)
{
	uint64_t now = clock_ns();

	(void)id;
	text_print(out, "cpu ");
	add_times(out, now * nr_cpus, idle_ns());
	for (unsigned i = 0; i < nr_cpus; i++) {
		text_print(out, "cpu%u", i);
		add_times(out, now, sched_idle_ns(i));
	}
	add_switches(out);
	text_print(out, "btime %ld\nprocesses %d\nprocs_running %u\nprocs_blocked 0\n",
		   (long)(clock_real_ns() - (int64_t)now) / (long)NS_PER_SEC, pid_newest(),
		   sched_runnable());
}

/* There is no load average. */
static void make_loadavg(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "0.00 0.00 0.00 %u/%u %d\n", sched_runnable(), nr_all_tasks, pid_newest());
}

static void make_version(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "Linux version %s " SYSTEM_VERSION "\n", system_release());
}

static void make_release(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%s\n", system_release());
}

#define NUMBER_TEXT_(number) #number
/* No name that is unknown here. */
#define NUMBER_TEXT(number) (&NUMBER_TEXT_(number)[0 * (number)])

static const struct synthetic texts[] = {
    {.path = "/proc/filesystems", .text = "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\tpipefs"},
    {.path = "/proc/sys/kernel/ostype", .text = "Linux"},
    {.path = "/proc/sys/kernel/version", .text = SYSTEM_VERSION},
    {.path = "/proc/sys/kernel/pid_max", .text = "4194304"},
    {.path = "/proc/sys/kernel/ngroups_max", .text = NUMBER_TEXT(NGROUPS_MAX)},
    {.path = "/proc/sys/kernel/cap_last_cap", .text = "40"},
    {.path = "/proc/sys/kernel/randomize_va_space", .text = "0"},
    {.path = "/proc/sys/kernel/core_pattern", .text = "core"},
    {.path = "/proc/sys/kernel/core_uses_pid", .text = "0"},
    {.path = "/proc/sys/kernel/core_pipe_limit", .text = "0"},
    {.path = "/proc/sys/fs/suid_dumpable", .text = "0"},
    {.path = "/proc/sys/vm/overcommit_memory", .text = "0"},
    {.path = "/proc/sys/fs/inotify/max_queued_events", .text = NUMBER_TEXT(INOTIFY_EVENTS_MAX)},
    {.path = "/proc/sys/fs/inotify/max_user_instances", .text = NUMBER_TEXT(INOTIFY_INSTANCES_MAX)},
    {.path = "/proc/sys/fs/inotify/max_user_watches", .text = NUMBER_TEXT(INOTIFY_WATCHES_MAX)},
    {.path = "/proc/sys/fs/nr_open", .text = "1048576"},
    /* As Debian has them: only root loads programs, whose times are not measured. */
    {.path = "/proc/sys/kernel/unprivileged_bpf_disabled", .text = "2"},
    {.path = "/proc/sys/kernel/bpf_stats_enabled", .text = "0"},
};

_Static_assert(CAP_LAST_CAP == 40, "cap_last_cap");

static int store_watchdog(const char *text, uint64_t id)
{
	(void)id;
	return text[0] == '0' && (!text[1] || (text[1] == '\n' && !text[2])) ? 0 : -EINVAL;
}

/* Returns the host or domain name in the current task's UTS namespace. */
static char *own_name(uint64_t domain)
{
	struct uts *uts = uts_of(current_task());

	return domain ? uts->domain : uts->node;
}

static void make_name(struct text *out, uint64_t domain)
{
	text_print(out, "%s\n", own_name(domain));
}

/* Stores the first line, truncated. */
static int store_name(const char *text, uint64_t domain)
{
	char *name = own_name(domain);
	size_t length = 0;

	memset(name, 0, UTS_NAME_SIZE);
	for (; text[length] && text[length] != '\n' && length < UTS_NAME_SIZE - 1; length++)
		name[length] = text[length];
	return 0;
}

static const struct synthetic name_file = {.make = make_name, .store = store_name};

/* The kernel has no modules. */
static void make_nothing(struct text *out, uint64_t id)
{
	(void)out;
	(void)id;
}

/* The kernel's ELF notes: the build id, by which perf finds the kernel that a profile is of. */
extern const char build_id_start[], build_id_end[]; /* linker.ld */

static void make_notes(struct text *out, uint64_t id)
{
	(void)id;
	/* cppcheck-suppress comparePointers ; both ends of one section, by the linker */
	text_add(out, build_id_start, (size_t)(build_id_end - build_id_start));
}

/* The controllers of version 1: one, whose hierarchy is numbered while it is mounted. */
static void make_cgroups(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "#subsys_name\thierarchy\tnum_cgroups\tenabled\n");
	text_print(out, "perf_event\t%u\t%u\t1\n", cgroup_v1_on ? 1 : 0,
		   cgroup_descendants(cgroup_v1_on ? &cgroup_v1_root : &cgroup_root) + 1);
}

static const struct synthetic files[] = {
    {.path = "/sys/kernel/notes", .make = make_notes},
    {.path = "/proc/modules", .make = make_nothing},
    {.path = "/proc/cgroups", .make = make_cgroups},
    /* There is no watchdog for hung processors, so its counter is free for users. */
    {.path = "/proc/sys/kernel/nmi_watchdog", .text = "0", .store = store_watchdog},
    {.path = "/proc/loadavg", .make = make_loadavg},
    {.path = "/proc/version", .make = make_version},
    {.path = "/proc/sys/kernel/osrelease", .make = make_release},
    {.path = "/proc/meminfo", .make = make_meminfo},
    {.path = "/proc/stat", .make = make_stat},
    {.path = "/proc/uptime", .make = make_uptime},
};

static const struct synthetic_directory modules = {.mode = 0755};

void proc_init(void)
{
	synthetic_init();
	synthetic_add(&proc_cpuinfo);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		synthetic_add(&files[i]);
	synthetic_add_at("/proc/sys/kernel/hostname", &name_file, false);
	synthetic_add_at("/proc/sys/kernel/domainname", &name_file, true);
	synthetic_directory("/sys/module", &modules);
	proc_interrupts_init();
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		synthetic_add(&texts[i]);
	synthetic_link("/proc/mounts", "self/", "mounts");
	proc_processors_init();
	proc_nodes_init();
	proc_huge_init();
	proc_firmware_init();
	cgroupfs_init();
	proc_tasks_init();
	proc_namespaces_init();
}
