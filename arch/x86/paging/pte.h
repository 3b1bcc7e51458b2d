/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of page tables, for the two files that write them: Intel SDM volume 3, "4-Level
 * Paging". */
#ifndef ARCH_X86_PTE_H
#define ARCH_X86_PTE_H

#include <stdint.h>
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/paging.h"

#define PTE_PRESENT  BIT(0)
#define PTE_WRITE    BIT(1)
#define PTE_USER     BIT(2)
#define PTE_PWT      BIT(3) /* alone: write-combining, by features.c's PAT */
#define PTE_PCD      BIT(4)
#define PTE_ACCESSED BIT(5)
#define PTE_DIRTY    BIT(6)
#define PTE_LARGE    BIT(7)
#define PTE_GLOBAL   BIT(8)
#define PTE_COW      BIT(9)  /* ours: PAGING_COW */
#define PTE_NONE     BIT(10) /* ours: PAGING_NONE */
#define PTE_ENTERED  BIT(11) /* ours: a page with a descriptor was entered here, present or not */
#define PTE_ADDRESS  FIELD(51, 12)
#define PTE_NX       BIT(63)

/* Bits of entries in higher-level tables: the lowest level decides all rights. */
#define PTE_TABLE_USER (PTE_PRESENT | PTE_WRITE | PTE_USER | PTE_ACCESSED)
#define PTE_TABLE      (PTE_PRESENT | PTE_WRITE | PTE_ACCESSED)

#define PTE_ENTRIES 512u
#define PTE_PAGE    4096ul

extern uint64_t
    pte_nx; /* PTE_NX where the processor has it, otherwise 0; constant after paging_init() */

/* Returns the index of `virt` in a table of `level` (4: root, 1: pages), and the bytes that one
 * entry covers. */
static inline unsigned pte_index(uint64_t virt, unsigned level)
{
	return (virt >> (3 + 9 * level)) % PTE_ENTRIES;
}

static inline uint64_t pte_span(unsigned level)
{
	return 1ul << (3 + 9 * level);
}

/* Returns the table that an entry (or CR3) points to, in the direct map. */
static inline uint64_t *pte_table(uint64_t entry)
{
	return (uint64_t *)(DIRECT_MAP + (entry & PTE_ADDRESS));
}

/* Eight entries from a multiple of eight on are empty. */
static inline bool pte_eight_empty(const uint64_t *table)
{
	return !(table[0] | table[1] | table[2] | table[3] | table[4] | table[5] | table[6] |
		 table[7]);
}

/* Index of the first entry at or after `from` that is not empty, or `end` or a little more. */
static inline unsigned pte_next(const uint64_t *table, unsigned from, unsigned end)
{
	while (from % 8 && !table[from])
		from++;
	while (from < end && from % 8 == 0 && pte_eight_empty(&table[from]))
		from += 8;
	while (from < end && !table[from])
		from++;
	return from;
}

/* A zeroed table, or NULL; and its end. */
uint64_t *paging_table_alloc(void);
void paging_table_put(uint64_t *table);
/* Takes the tables away that the entry of this level for `virt` leads to: they have no pages. */
void paging_tables_drop(uint64_t root, uint64_t virt, uint64_t *entry, unsigned level);
/* Frees a table of `level` whose first `entries` entries may have tables below, but no pages. */
void paging_tables_free(uint64_t *table, unsigned level, unsigned entries);

/* Returns the bits of an entry for a cache mode. */
uint64_t pte_cache_bits(enum paging_cache cache);
/* Converts between PAGING_* and the bits of an entry. */
uint64_t pte_bits(unsigned prot);
void pte_read(uint64_t pte, struct paging_entry *entry);

/* paging_query() for addresses without a small page. */
bool paging_query_large(uint64_t root, uint64_t virt, struct paging_entry *entry);

#endif
