/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory nodes: which memory and processors belong together, and how far apart they are. */
#ifndef ARCH_X86_NUMA_H
#define ARCH_X86_NUMA_H

#include <stdint.h>

#define NUMA_NODES   32  /* a machine with more counts as one node */
#define NUMA_RANGES  256 /* likewise */
#define NUMA_LOCAL   10  /* the distance of a node to itself */
#define NUMA_REMOTE  20  /* and to others, if no table has it */
#define NUMA_NO_NODE (~0u)

struct numa_range {
	uint64_t start, end; /* physical */
	uint32_t node;
};

struct numa_info {
	uint32_t nodes; /* at least 1; with one node only `distances` is valid besides */
	uint32_t nr_ranges;
	struct numa_range ranges[NUMA_RANGES]; /* by address, disjoint; they have all memory */
	uint8_t distances[NUMA_NODES][NUMA_NODES];
};

extern struct numa_info numa_info; /* constant after acpi_init() */

/* Reads SRAT and SLIT, sound tables with their headers, or NULL. Nodes have Linux's numbers: by the
 * first entry of their proximity domain, processors before memory. Tables that contradict
 * themselves or leave out memory of boot_info make one node. Context: start, once. */
void numa_read(const void *srat, const void *slit);

/* Returns the node of a processor, or NUMA_NO_NODE. Context: any, after acpi_init(). */
uint32_t numa_of_processor(uint32_t apic_id);

#endif
