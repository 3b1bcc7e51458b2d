/* SPDX-License-Identifier: BSD-2-Clause */
/* Large pages of the user half, entries of level 2 and 3: Intel SDM volume 3, "4-Level Paging". */
#include <linux/errno.h>
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/paging/pte.h"

/* Returns the entry of a large page that contains `virt`, and its level; NULL: there is none.
 * Always inlined: an NMI looks entries up. */
__attribute__((always_inline)) static inline uint64_t *find(uint64_t root, uint64_t virt,
							    unsigned *level)
{
	uint64_t *entry = &pte_table(root)[pte_index(virt, 4)];

	for (*level = 3; *entry & PTE_PRESENT && *level > 1; --*level) {
		entry = &pte_table(*entry)[pte_index(virt, *level)];
		if (*entry & PTE_LARGE)
			return entry;
	}
	return NULL;
}

/* Returns the entry of this level for `virt`, with the tables above it; NULL: no memory. */
static uint64_t *make(uint64_t root, uint64_t virt, unsigned wanted)
{
	uint64_t *table = pte_table(root);

	for (unsigned level = 4; level > wanted; level--) {
		uint64_t *entry = &table[pte_index(virt, level)];

		if (!(*entry & PTE_PRESENT)) {
			uint64_t *next = paging_table_alloc();

			if (!next)
				return NULL;
			*entry = ((uint64_t)next - DIRECT_MAP) | PTE_TABLE_USER;
		}
		table = pte_table(*entry);
	}
	return &table[pte_index(virt, wanted)];
}

static void flush(uint64_t root, uint64_t virt)
{
	if (this_cpu()->root == root)
		invlpg(virt);
}

int paging_map_large(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot, uint64_t bytes)
{
	unsigned level = bytes == PAGING_GIANT_BYTES ? 3 : 2;
	uint64_t *entry = make(root, virt, level);

	if (!entry)
		return -ENOMEM;
	if (*entry && !(*entry & PTE_LARGE))
		paging_tables_drop(root, virt, entry, level);
	*entry = phys | pte_bits(prot) | PTE_LARGE;
	flush(root, virt);
	return 0;
}

void paging_protect_large(uint64_t root, uint64_t virt, unsigned prot)
{
	unsigned level;
	uint64_t *entry = find(root, virt, &level);

	if (!entry)
		return;
	*entry = (*entry & (PTE_ADDRESS | PTE_ACCESSED | PTE_DIRTY)) | pte_bits(prot) | PTE_LARGE;
	flush(root, virt);
}

void paging_split_large(uint64_t root, uint64_t virt, uint64_t *table)
{
	unsigned level;
	uint64_t *entry = find(root, virt, &level), first = *entry & ~PTE_LARGE;

	for (unsigned i = 0; i < PTE_ENTRIES; i++)
		table[i] = first + i * PTE_PAGE;
	*entry = ((uint64_t)table - DIRECT_MAP) | PTE_TABLE_USER;
	flush(root, virt);
	paging_flush_others(root, virt, virt + PTE_PAGE);
}

bool paging_query_large(uint64_t root, uint64_t virt, struct paging_entry *entry)
{
	unsigned level;
	const uint64_t *found = find(root, virt, &level);

	if (!found)
		return false;
	pte_read(*found, entry);
	entry->bytes = pte_span(level);
	entry->phys += virt & (entry->bytes - 1) & -PTE_PAGE;
	return true;
}

uint64_t paging_next_large(uint64_t root, uint64_t virt, uint64_t end)
{
	struct paging_entry entry;

	while ((virt = paging_next(root, virt, end)) < end &&
	       !paging_query_large(root, virt, &entry))
		virt = (virt & -PAGING_LARGE_BYTES) + PAGING_LARGE_BYTES;
	return virt < end ? virt : end;
}

void paging_clear_large(uint64_t root, uint64_t start, uint64_t end, void (*gone)(void *page))
{
	unsigned level;

	for (; (start = paging_next_large(root, start, end)) < end; start += pte_span(level)) {
		uint64_t *entry = find(root, start, &level);
		void *page = pte_table(*entry);

		*entry = 0;
		flush(root, start);
		paging_flush_others(root, start, start + PTE_PAGE);
		gone(page);
	}
}
