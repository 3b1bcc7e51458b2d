/* SPDX-License-Identifier: BSD-2-Clause */
/* /sys/devices/system/node: one node with all processors and all memory. */
#include "arch/x86/trap/remote.h"
#include "kernel/fs/cpu_list.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/procfs/proc.h"

#define DIRECTORY "/sys/devices/system/node"
#define LOCAL     10 /* the distance of a node to itself: ACPI's SLIT */

static void make_list(struct text *out, uint64_t id)
{
	struct cpu_mask online = cpus_online();

	(void)id;
	cpu_list_add(out, &online);
}

static void make_map(struct text *out, uint64_t id)
{
	struct cpu_mask online = cpus_online();

	(void)id;
	proc_add_processor_mask(out, &online);
}

static void make_distance(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%u\n", LOCAL);
}

static void make_meminfo(struct text *out, uint64_t id)
{
	uint64_t total = memory_total_pages() * (PAGE_SIZE / 1024),
		 free = memory_free_pages() * (PAGE_SIZE / 1024);

	(void)id;
	text_print(out,
		   "Node 0 MemTotal:       %8lu kB\nNode 0 MemFree:        %8lu kB\nNode 0 "
		   "MemUsed:        %8lu kB\n",
		   total, free, total - free);
}

static const struct synthetic files[] = {
    {.path = DIRECTORY "/online", .text = "0"},
    {.path = DIRECTORY "/possible", .text = "0"},
    {.path = DIRECTORY "/has_cpu", .text = "0"},
    {.path = DIRECTORY "/has_memory", .text = "0"},
    {.path = DIRECTORY "/has_normal_memory", .text = "0"},
    {.path = DIRECTORY "/node0/cpulist", .make = make_list},
    {.path = DIRECTORY "/node0/cpumap", .make = make_map},
    {.path = DIRECTORY "/node0/distance", .make = make_distance},
    {.path = DIRECTORY "/node0/meminfo", .make = make_meminfo},
};

void proc_nodes_init(void)
{
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		synthetic_add(&files[i]);
}
