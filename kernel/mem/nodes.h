/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory nodes: their memory and processors, and where pages come from. A page comes from the node
 * of the processor that allocates it, else from the nearest with a free one, unless the task's
 * policy wants others (api/memory/numa.c). Nodes have their memory in chunks of 4 MiB: one that
 * two nodes share counts as the lower node's. */
#ifndef KERNEL_NODES_H
#define KERNEL_NODES_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"

/* Events of a node, as Linux's numastat has them. */
enum node_count {
	NODE_HIT,        /* a page of the wanted node */
	NODE_MISS,       /* a page of this node, though another was wanted */
	NODE_FOREIGN,    /* a page of another node, though this one was wanted */
	NODE_INTERLEAVE, /* a hit, as MPOL_INTERLEAVE wanted */
	NODE_LOCAL,      /* a page for a processor of the node */
	NODE_OTHER,      /* a page for another processor */
	NODE_COUNTS
};

/* A memory policy as set_mempolicy(2) and mbind(2) have it. */
struct memory_policy {
	uint32_t mode;  /* MPOL_* with its flags */
	uint32_t nodes; /* bit n: node n */
};

/* Where a page is to come from. */
struct placement {
	uint64_t nodes;   /* bit n: node n; 0: nowhere in particular */
	uint32_t first;   /* the nodes' order is by distance from this one */
	bool strict;      /* from no other node */
	bool interleaved; /* by MPOL_INTERLEAVE: for NODE_INTERLEAVE */
};

extern uint32_t nr_nodes; /* constant after nodes_init() */

/* Returns the placement of a page for the current task; NULL: on the processor's node. Called with
 * the allocator's lock held, by tasks, if there are several nodes. */
extern struct placement (*nodes_placement)(void);

/* Divides the memory by the tables of ACPI. Context: start, after acpi_init(). */
void nodes_init(void);
/* Sets cpu->node. A processor that no table has gets the next node in turn. Context: start. */
void nodes_add_processor(struct cpu *cpu);

/* Context of the following: any. */

/* Masks of the nodes with memory, and of the nodes with memory or processors. */
uint64_t nodes_with_memory(void);
uint64_t nodes_online(void);
struct cpu_mask node_processors(uint32_t node);
/* Returns the node of a page by its physical address; 0 outside of memory. */
uint32_t node_of_phys(uint64_t phys);
uint64_t node_total_pages(uint32_t node);
uint64_t node_free_pages(uint32_t node);
uint64_t node_count(uint32_t node, enum node_count count);
/* Returns the node that is `index`th nearest to `node`, itself at 0. */
uint32_t node_nearest(uint32_t node, uint32_t index);

#endif
