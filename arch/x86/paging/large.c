/* SPDX-License-Identifier: BSD-2-Clause */
/* Large pages of the user half, entries of level 2: Intel SDM volume 3, "4-Level Paging". */
#include <linux/errno.h>
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/paging/pte.h"

#define LARGE_LEVEL 2

/* The entry of level 2 for `virt`, or NULL: a table above is absent and not to be made, or there is
 * no memory for it. Inlined everywhere: an NMI looks entries up, and must not reach what makes
 * tables. */
__attribute__((always_inline)) static inline uint64_t *entry_of(uint64_t root, uint64_t virt,
								bool make)
{
	uint64_t *table = pte_table(root);

	for (unsigned level = 4; level > LARGE_LEVEL; level--) {
		uint64_t *entry = &table[pte_index(virt, level)];

		if (!(*entry & PTE_PRESENT)) {
			uint64_t *next = make ? paging_table_alloc() : NULL;

			if (!next)
				return NULL;
			*entry = ((uint64_t)next - DIRECT_MAP) | PTE_TABLE_USER;
		}
		table = pte_table(*entry);
	}
	return &table[pte_index(virt, LARGE_LEVEL)];
}

static void flush(uint64_t root, uint64_t virt)
{
	if (this_cpu()->root == root)
		invlpg(virt);
}

/* Takes the table of small pages away that lies behind the entry: it is empty. */
static void drop_table(uint64_t root, uint64_t virt, uint64_t *entry)
{
	uint64_t *table = pte_table(*entry);

	*entry = 0;
	flush(root, virt);
	paging_flush_others(root, virt, virt + PTE_PAGE);
	paging_table_free(table);
}

int paging_map_large(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot)
{
	uint64_t *entry = entry_of(root, virt, true);

	if (!entry)
		return -ENOMEM;
	if (*entry && !(*entry & PTE_LARGE))
		drop_table(root, virt, entry);
	*entry = phys | pte_bits(prot) | PTE_LARGE;
	flush(root, virt);
	return 0;
}

void paging_protect_large(uint64_t root, uint64_t virt, unsigned prot)
{
	uint64_t *entry = entry_of(root, virt, false);

	if (!entry || !(*entry & PTE_LARGE))
		return;
	*entry = (*entry & (PTE_ADDRESS | PTE_ACCESSED | PTE_DIRTY)) | pte_bits(prot) | PTE_LARGE;
	flush(root, virt);
}

bool paging_query_large(uint64_t root, uint64_t virt, struct paging_entry *entry)
{
	const uint64_t *found = entry_of(root, virt, false);

	if (!found || !(*found & PTE_LARGE))
		return false;
	pte_read(*found, entry);
	entry->phys += virt & (PAGING_LARGE_BYTES - 1) & -PTE_PAGE;
	entry->large = true;
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
	for (; (start = paging_next_large(root, start, end)) < end; start += PAGING_LARGE_BYTES) {
		uint64_t *entry = entry_of(root, start, false);
		void *page = pte_table(*entry);

		*entry = 0;
		flush(root, start);
		paging_flush_others(root, start, start + PTE_PAGE);
		gone(page);
	}
}
