/* SPDX-License-Identifier: BSD-2-Clause */
/* /sys/devices/system/node: the memory nodes, their processors, memory and distances. */
#include "arch/x86/apic/numa.h"
#include "arch/x86/trap/remote.h"
#include "kernel/fs/cpu_list.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/nodes.h"
#include "kernel/procfs/proc.h"

#define DIRECTORY "/sys/devices/system/node"

static void make_list(struct text *out, uint64_t id)
{
	struct cpu_mask mask = node_processors((uint32_t)id);

	cpu_list_add(out, &mask);
}

static void make_map(struct text *out, uint64_t id)
{
	struct cpu_mask mask = node_processors((uint32_t)id);

	proc_add_processor_mask(out, &mask);
}

/* The distances to all nodes that are online. */
static void make_distance(struct text *out, uint64_t id)
{
	uint64_t left = nodes_online();

	for (; left; left &= left - 1)
		text_print(out, left & (left - 1) ? "%u " : "%u\n",
			   numa_info.distances[id][__builtin_ctzl(left)]);
}

static void make_meminfo(struct text *out, uint64_t id)
{
	uint32_t node = (uint32_t)id;
	uint64_t total = node_total_pages(node) * (PAGE_SIZE / 1024),
		 free = node_free_pages(node) * (PAGE_SIZE / 1024);

	text_print(out, "Node %u MemTotal:       %8lu kB\n", node, total);
	text_print(out, "Node %u MemFree:        %8lu kB\n", node, free);
	text_print(out, "Node %u MemUsed:        %8lu kB\n", node, total - free);
}

static void make_numastat(struct text *out, uint64_t id)
{
	static const char *const names[NODE_COUNTS] = {
	    [NODE_HIT] = "numa_hit",         [NODE_MISS] = "numa_miss",
	    [NODE_FOREIGN] = "numa_foreign", [NODE_INTERLEAVE] = "interleave_hit",
	    [NODE_LOCAL] = "local_node",     [NODE_OTHER] = "other_node",
	};

	for (unsigned i = 0; i < NODE_COUNTS; i++)
		text_print(out, "%s %lu\n", names[i], node_count((uint32_t)id, i));
}

/* A list of nodes has the form of a list of processors. */
static void add_nodes(struct text *out, uint64_t nodes)
{
	struct cpu_mask mask = {.words = {nodes}};

	cpu_list_add(out, &mask);
}

static void make_online(struct text *out, uint64_t id)
{
	(void)id;
	add_nodes(out, nodes_online());
}

static void make_possible(struct text *out, uint64_t id)
{
	(void)id;
	add_nodes(out, ~0ul >> (64 - nr_nodes));
}

static void make_memory(struct text *out, uint64_t id)
{
	(void)id;
	add_nodes(out, nodes_with_memory());
}

static void make_processors(struct text *out, uint64_t id)
{
	uint64_t nodes = 0;

	(void)id;
	for (uint32_t i = 0; i < nr_cpus; i++)
		nodes |= 1ul << cpus[i]->node;
	add_nodes(out, nodes);
}

static const struct synthetic files[] = {
    {.path = DIRECTORY "/online", .make = make_online},
    {.path = DIRECTORY "/possible", .make = make_possible},
    {.path = DIRECTORY "/has_cpu", .make = make_processors},
    {.path = DIRECTORY "/has_memory", .make = make_memory},
    {.path = DIRECTORY "/has_normal_memory", .make = make_memory},
};

static const struct synthetic node_files[] = {
    {.path = "cpulist", .make = make_list},      {.path = "cpumap", .make = make_map},
    {.path = "distance", .make = make_distance}, {.path = "meminfo", .make = make_meminfo},
    {.path = "numastat", .make = make_numastat},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void proc_nodes_init(void)
{
	/* Pages are counted with several nodes only: numastat, the last file, is theirs. */
	unsigned nr_files = nr_nodes > 1 ? COUNT(node_files) : COUNT(node_files) - 1;
	char path[64];
	struct text text;

	for (unsigned i = 0; i < COUNT(files); i++)
		synthetic_add(&files[i]);
	for (uint32_t node = 0; node < nr_nodes; node++) {
		if (!(nodes_online() >> node & 1))
			continue;
		text_init(&text, path, sizeof(path));
		text_print(&text, DIRECTORY "/node%u", node);
		synthetic_add_all(path, node_files, nr_files, node);
	}
}
