/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of address spaces themselves: how many there are, and their end. Intel SDM volume 3,
 * "4-Level Paging". */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/paging/pte.h"

/* Frees a table and those below it; level 1 tables hold pages, which are not ours. */
void paging_tables_free(uint64_t *table, unsigned level, unsigned entries)
{
	if (level > 1)
		for (unsigned i = 0; (i = pte_next(table, i, entries)) < entries; i++)
			paging_tables_free(pte_table(table[i]), level - 1, PTE_ENTRIES);
	paging_table_put(table);
}

void paging_free(uint64_t root)
{
	paging_tables_free(pte_table(root), 4, PTE_ENTRIES / 2);
}

/* A table of level 2 or above, and the tables below it. */
static uint64_t tables_from(const uint64_t *table, unsigned level, unsigned entries)
{
	uint64_t count = 1;

	for (unsigned i = 0; (i = pte_next(table, i, entries)) < entries; i++)
		if (!(table[i] & PTE_LARGE))
			count += level > 2
				     ? tables_from(pte_table(table[i]), level - 1, PTE_ENTRIES)
				     : 1;
	return count;
}

uint64_t paging_tables(uint64_t root)
{
	return tables_from(pte_table(root), 4, PTE_ENTRIES / 2);
}

/* Other processors forget the tables, too, before they are used again. */
void paging_tables_drop(uint64_t root, uint64_t virt, uint64_t *entry, unsigned level)
{
	uint64_t *table = pte_table(*entry);

	*entry = 0;
	if (this_cpu()->root == root)
		invlpg(virt);
	paging_flush_others(root, virt, virt + PTE_PAGE);
	paging_tables_free(table, level - 1, PTE_ENTRIES);
}

/* Prunes one table of level 2 or above, which covers [start, end). */
static void prune(uint64_t root, uint64_t *table, unsigned level, uint64_t start, uint64_t end,
		  const uint64_t free[2])
{
	uint64_t span = pte_span(level), next;

	for (uint64_t virt = start; virt < end; virt = next) {
		uint64_t whole = virt & -span, *entry = &table[pte_index(virt, level)];

		next = whole + span;
		if (!*entry || *entry & PTE_LARGE)
			continue;
		if (whole >= free[0] && next <= free[1])
			paging_tables_drop(root, whole, entry, level);
		else if (level > 2)
			prune(root, pte_table(*entry), level - 1, virt, next < end ? next : end,
			      free);
	}
}

void paging_prune(uint64_t root, uint64_t start, uint64_t end, uint64_t floor, uint64_t ceiling)
{
	const uint64_t free[2] = {floor, ceiling};
	uint64_t first = start & -PAGING_LARGE_BYTES, last = (end - 1) & -PAGING_LARGE_BYTES;

	/* Most often neighbours need the only table. */
	if (first < floor)
		first += PAGING_LARGE_BYTES;
	if (last + PAGING_LARGE_BYTES <= ceiling)
		last += PAGING_LARGE_BYTES;
	if (first < last)
		prune(root, pte_table(root), 4, start, end, free);
}
