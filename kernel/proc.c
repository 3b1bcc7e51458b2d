/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc and /sys that tell about the machine: proc(5). */
#include "arch/x86/cpu.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/percpu.h"
#include "arch/x86/tsc.h"
#include "kernel/clock.h"
#include "kernel/inode.h"
#include "kernel/memory.h"
#include "kernel/proc.h"
#include "kernel/string.h"
#include "kernel/symbols.h"
#include "kernel/synthetic.h"
#include "kernel/system.h"
#include "kernel/task.h"

extern const char text_start[], text_end[]; /* linker.ld */

static void make_cpuinfo(struct text *out, uint64_t id)
{
	struct cpuid_regs vendor = cpuid(0, 0), part;
	char name[49] = "";

	(void)id;
	for (unsigned i = 0; i < 3 && cpuid(0x80000000, 0).eax >= 0x80000004; i++) {
		part = cpuid(0x80000002 + i, 0);
		memcpy(name + i * 16, &part, 16);
	}
	for (unsigned i = 0; i < nr_cpus; i++) {
		text_print(out, "processor\t: %u\nvendor_id\t: ", i);
		text_add(out, (const char *)&vendor.ebx, 4);
		text_add(out, (const char *)&vendor.edx, 4);
		text_add(out, (const char *)&vendor.ecx, 4);
		text_print(out,
			   "\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\nstepping\t: %u\n",
			   cpuid_family(), cpuid_model(), name, cpuid_read(CPUID_STEPPING));
		text_print(out, "cpu MHz\t\t: %lu.%03lu\n\n", tsc_clock.khz / 1000,
			   tsc_clock.khz % 1000);
	}
}

static void make_meminfo(struct text *out, uint64_t id)
{
	uint64_t total = memory_total_pages() * (PAGE_SIZE / 1024),
		 available = memory_free_pages() * (PAGE_SIZE / 1024);

	(void)id;
	text_print(out,
		   "MemTotal:       %8lu kB\nMemFree:        %8lu kB\nMemAvailable:   %8lu kB\n",
		   total, available, available);
	text_print(out,
		   "Buffers:        %8u kB\nCached:         %8u kB\nSwapTotal:      %8u "
		   "kB\nSwapFree:       %8u kB\n",
		   0, 0, 0, 0);
}

static void make_kallsyms(struct text *out, uint64_t id)
{
	uint64_t address;
	const char *name;

	(void)id;
	text_print(out, "%016lx T _stext\n", (uint64_t)text_start);
	for (uint32_t i = 0; i < symbols_count(); i++) {
		name = symbols_get(i, &address);
		text_print(out, "%016lx t %s\n", address, name);
	}
	text_print(out, "%016lx T _etext\n", (uint64_t)text_end);
}

static void make_uptime(struct text *out, uint64_t id)
{
	uint64_t ns = clock_ns();

	(void)id;
	text_print(out, "%lu.%02lu 0.00\n", ns / 1000000000, ns / 10000000 % 100);
}

static void make_online(struct text *out, uint64_t id)
{
	(void)id;
	if (nr_cpus > 1)
		text_print(out, "0-%u\n", nr_cpus - 1);
	else
		text_print(out, "0\n");
}

/* Files with a constant text. */
#define CONSTANT(name, string)                                 \
	static void make_##name(struct text *out, uint64_t id) \
	{                                                      \
		(void)id;                                      \
		text_print(out, "%s\n", string);               \
	}

CONSTANT(version, "Linux version " SYSTEM_RELEASE " " SYSTEM_VERSION)
CONSTANT(release, SYSTEM_RELEASE)
CONSTANT(mounts, "none / tmpfs rw 0 0\nproc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0")
CONSTANT(max_contexts, "8")
CONSTANT(zero, "0")
CONSTANT(type_software, "1")

static const struct synthetic files[] = {
    {"/proc/cpuinfo", make_cpuinfo, NULL},
    {"/proc/meminfo", make_meminfo, NULL},
    {"/proc/kallsyms", make_kallsyms, NULL},
    {"/proc/uptime", make_uptime, NULL},
    {"/proc/version", make_version, NULL},
    {"/proc/mounts", make_mounts, NULL},
    {"/proc/sys/kernel/osrelease", make_release, NULL},
    {"/proc/sys/kernel/kptr_restrict", make_zero, NULL},
    {"/proc/sys/kernel/perf_event_max_contexts_per_stack", make_max_contexts, NULL},
    {"/proc/sys/kernel/nmi_watchdog", make_zero, NULL},
    {"/proc/sys/vm/overcommit_memory", make_zero, NULL},
    {"/sys/devices/system/cpu/online", make_online, NULL},
    {"/sys/devices/system/cpu/possible", make_online, NULL},
    {"/sys/devices/system/cpu/present", make_online, NULL},
    {"/sys/bus/event_source/devices/software/type", make_type_software, NULL},
};

void proc_init(void)
{
	synthetic_init();
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		synthetic_add(&files[i]);
	proc_interrupts_init();
	proc_tasks_init();
}
