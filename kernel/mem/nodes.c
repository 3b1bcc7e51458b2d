/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory nodes: divides the page allocator's memory by the tables of ACPI. */
#include "abi/boot_info.h"
#include "arch/x86/cpu/descriptors.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/mem/pool.h"
#include "kernel/mem/reserved.h"

uint32_t nr_nodes = 1;
struct placement (*nodes_placement)(void);

static uint8_t nearest[NUMA_NODES][NUMA_NODES]; /* of each node: all, the nearest first */

/* True if `a` goes before `b` from `from` on: by distance; among equals as Linux, the next first.
 */
static bool goes_before(uint32_t from, uint32_t a, uint32_t b)
{
	const uint8_t *distances = numa_info.distances[from];

	if (a == from || b == from)
		return a == from;
	if (distances[a] != distances[b])
		return distances[a] < distances[b];
	return (a - from) % NUMA_NODES < (b - from) % NUMA_NODES;
}

static void sort_nearest(uint32_t from)
{
	uint8_t *order = nearest[from];

	for (uint32_t node = 0; node < nr_nodes; node++) {
		uint32_t i = node;

		for (; i > 0 && goes_before(from, node, order[i - 1]); i--)
			order[i] = order[i - 1];
		order[i] = (uint8_t)node;
	}
}

uint32_t node_nearest(uint32_t node, uint32_t index)
{
	return nearest[node][index];
}

/* Chunks that no range has are holes, or firmware's. */
static void name_chunks(uint8_t *chunk_nodes)
{
	for (uint32_t i = numa_info.nr_ranges; i-- > 0;) {
		const struct numa_range *range = &numa_info.ranges[i];
		uint64_t first = range->start / CHUNK_BYTES,
			 end = (range->end + CHUNK_BYTES - 1) / CHUNK_BYTES;

		if (end > memory.end / CHUNK_BYTES)
			end = memory.end / CHUNK_BYTES;
		if (first < end)
			memset(chunk_nodes + first, (int)range->node, end - first);
	}
}

/* Returns the usable pages of [start, end). */
static uint64_t usable_pages(uint64_t start, uint64_t end)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t from = region->base > start ? region->base : start,
			 to = region->base + region->bytes;

		to = to < end ? to : end;
		if (region->kind == BOOT_MEM_USABLE && from < to)
			pages += (to - from) / PAGE_SIZE - reserved_pages(from, to);
	}
	return pages;
}

/* Adds the usable pages from `start` on to each node's count, over rows of chunks of one node. */
static void add_usable(uint64_t start, uint64_t counts[NUMA_NODES])
{
	uint64_t end = memory.end / CHUNK_BYTES;

	for (uint64_t chunk = start / CHUNK_BYTES, next; chunk < end; chunk = next) {
		uint8_t node = memory.chunk_nodes[chunk];

		for (next = chunk + 1; next < end && memory.chunk_nodes[next] == node; next++)
			;
		counts[node] += usable_pages(chunk * CHUNK_BYTES, next * CHUNK_BYTES);
	}
}

/* Moves the free blocks of other nodes out of the first pool, which had all memory until now. */
static void divide_blocks(void)
{
	struct pool *all = &pools[0], *pool;
	struct page *page, *next;

	pool_drain_loose(all, 0);
	for (unsigned order = 0; order <= PAGE_MAX_ORDER; order++)
		list_for_each_safe(page, next, &all->free[order], link) {
			pool = pool_of(page);
			if (pool == all)
				continue;
			list_remove(&page->link);
			list_add_head(&pool->free[order], &page->link);
			pool->orders |= 1u << order;
			if (list_empty(&all->free[order]))
				all->orders &= ~(1u << order);
		}
}

/* Returns the free pages of the pool's blocks. */
static uint64_t block_pages(const struct pool *pool)
{
	const struct list *at;
	uint64_t pages = 0;

	for (unsigned order = 0; order <= PAGE_MAX_ORDER; order++)
		for (at = pool->free[order].next; at != &pool->free[order]; at = at->next)
			pages += 1ul << order;
	return pages;
}

static void divide(uint8_t *chunk_nodes)
{
	uint64_t opened = pools[0].next_chunk, totals[NUMA_NODES] = {0}, unopened[NUMA_NODES] = {0};

	memory.chunk_nodes = chunk_nodes;
	add_usable(0, totals);
	add_usable(opened, unopened);
	divide_blocks();
	for (uint32_t i = 0; i < nr_nodes; i++) {
		pools[i].next_chunk = opened;
		pools[i].total = totals[i];
		pools[i].available = unopened[i] + block_pages(&pools[i]);
	}
}

void nodes_init(void)
{
	uint8_t *chunk_nodes = NULL;

	if (numa_info.nodes > 1)
		chunk_nodes = kalloc_span(memory.end / CHUNK_BYTES);
	if (chunk_nodes) {
		nr_nodes = numa_info.nodes;
		memset(chunk_nodes, 0, memory.end / CHUNK_BYTES);
		name_chunks(chunk_nodes);
		for (uint32_t node = 0; node < nr_nodes; node++)
			sort_nearest(node);
		divide(chunk_nodes);
		log_info("%u memory nodes", nr_nodes);
	}
	nodes_add_processor(this_cpu());
}

void nodes_add_processor(struct cpu *cpu)
{
	static uint32_t turn;
	uint32_t node = nr_nodes > 1 ? numa_of_processor(cpu->apic_id) : 0;

	if (node == NUMA_NO_NODE) {
		while (!(nodes_with_memory() >> turn & 1))
			turn = (turn + 1) % nr_nodes;
		node = turn;
		turn = (turn + 1) % nr_nodes;
	}
	descriptors_set_node(cpu, node);
}

uint64_t nodes_with_memory(void)
{
	uint64_t nodes = 0;

	for (uint32_t i = 0; i < nr_nodes; i++)
		if (pools[i].total)
			nodes |= 1ul << i;
	return nodes;
}

uint64_t nodes_online(void)
{
	uint64_t nodes = nodes_with_memory();

	for (uint32_t i = 0; i < nr_cpus; i++)
		nodes |= 1ul << cpus[i]->node;
	return nodes;
}

struct cpu_mask node_processors(uint32_t node)
{
	struct cpu_mask mask = {0};

	for (uint32_t i = 0; i < nr_cpus; i++)
		if (cpus[i]->node == node)
			cpu_mask_add(&mask, i);
	return mask;
}

uint32_t node_of_phys(uint64_t phys)
{
	return memory.chunk_nodes && phys < memory.end ? memory.chunk_nodes[phys / CHUNK_BYTES] : 0;
}

uint64_t node_total_pages(uint32_t node)
{
	return pools[node].total;
}

uint64_t node_free_pages(uint32_t node)
{
	return pools[node].available;
}

uint64_t node_count(uint32_t node, enum node_count count)
{
	return pools[node].counts[count];
}
