/* SPDX-License-Identifier: BSD-2-Clause */
/* The user half of address spaces, page by page: Intel SDM volume 3, "4-Level Paging". */
#include <linux/errno.h>
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/paging/pte.h"
#include "arch/x86/trap/remote.h"

#define FLUSH_SINGLY  32 /* for more pages the whole half goes */
#define USER_HALF_END (1ul << 47)

static void *(*table_alloc)(void);
static void (*table_put)(void *page);

void paging_set_allocator(void *(*alloc)(void), void (*put)(void *page))
{
	table_alloc = alloc;
	table_put = put;
}

uint64_t *paging_table_alloc(void)
{
	return table_alloc();
}

void paging_table_put(uint64_t *table)
{
	table_put(table);
}

/* The entry of the page `virt`, with the tables above it that are absent; NULL: no memory. */
static uint64_t *walk_making(uint64_t root, uint64_t virt)
{
	uint64_t *table = pte_table(root);

	for (unsigned level = 4; level > 1; level--) {
		uint64_t *entry = &table[pte_index(virt, level)];

		if (*entry & PTE_LARGE)
			return NULL;
		if (!(*entry & PTE_PRESENT)) {
			uint64_t *next = table_alloc();

			if (!next)
				return NULL;
			*entry = ((uint64_t)next - DIRECT_MAP) | PTE_TABLE_USER;
		}
		table = pte_table(*entry);
	}
	return &table[pte_index(virt, 1)];
}

/* Returns the entry of the page `virt`, or NULL if a table above it is absent or the page is part
 * of a large one. Unrolled: every page fault uses it. */
static inline uint64_t *walk(uint64_t root, uint64_t virt)
{
	const uint64_t kinds = PTE_PRESENT | PTE_LARGE;
	uint64_t entry = pte_table(root)[pte_index(virt, 4)];

	if (__builtin_expect(!(entry & PTE_PRESENT), 0))
		return NULL;
	entry = pte_table(entry)[pte_index(virt, 3)];
	if (__builtin_expect((entry & kinds) != PTE_PRESENT, 0))
		return NULL;
	entry = pte_table(entry)[pte_index(virt, 2)];
	if (__builtin_expect((entry & kinds) != PTE_PRESENT, 0))
		return NULL;
	return &pte_table(entry)[pte_index(virt, 1)];
}

static void flush(uint64_t root, uint64_t virt)
{
	if (this_cpu()->root == root)
		invlpg(virt);
}

/* Finds the other processors that have loaded the address space. False: there are none. */
static bool others_with(uint64_t root, struct cpu_mask *mask)
{
	bool found = false;

	if (nr_cpus == 1)
		return false;
	*mask = (struct cpu_mask){0};
	for (uint32_t i = 0; i < nr_cpus; i++)
		if (i != this_cpu_read(id) && cpus[i]->root == root) {
			cpu_mask_add(mask, i);
			found = true;
		}
	return found;
}

struct flush_range {
	uint64_t start, end;
};

/* The kernel's half is global: it survives a change of the address space. */
static void flush_half(bool kernel)
{
	if (kernel) {
		write_cr4(read_cr4() & ~(uint64_t)CR4_PGE);
		write_cr4(read_cr4() | CR4_PGE);
	} else {
		write_cr3(read_cr3());
	}
}

/* Runs on a processor whose TLB may hold entries of the range. */
static void flush_range(void *argument)
{
	const struct flush_range *range = argument;

	this_cpu()->tlb_flushes++;
	if (range->end - range->start > FLUSH_SINGLY * PTE_PAGE) {
		flush_half((int64_t)range->start < 0);
		return;
	}
	for (uint64_t virt = range->start; virt < range->end; virt += PTE_PAGE)
		invlpg(virt);
}

void paging_flush_others(uint64_t root, uint64_t start, uint64_t end)
{
	struct flush_range range = {start, end};
	struct cpu_mask mask;

	if (others_with(root, &mask))
		remote_call_mask(&mask, flush_range, &range);
}

void paging_flush_kernel(uint64_t start, uint64_t end)
{
	struct flush_range range = {start, end};
	struct cpu_mask others;

	if (nr_cpus == 1)
		return;
	others = cpus_online();
	cpu_mask_remove(&others, this_cpu_read(id));
	remote_call_mask(&others, flush_range, &range);
}

uint64_t pte_bits(unsigned prot)
{
	uint64_t bits = PTE_ENTERED;

	if (prot & PAGING_NONE)
		bits |= PTE_NONE;
	else
		bits |= PTE_PRESENT | PTE_USER;
	if (prot & PAGING_COW)
		bits |= PTE_COW;
	else if (prot & PAGING_WRITE)
		bits |= PTE_WRITE;
	if (!(prot & PAGING_EXEC))
		bits |= pte_nx;
	return bits;
}

void pte_read(uint64_t pte, struct paging_entry *entry)
{
	entry->phys = pte & PTE_ADDRESS;
	entry->bytes = PTE_PAGE;
	entry->prot = 0;
	if (pte & PTE_WRITE)
		entry->prot |= PAGING_WRITE;
	if (pte & PTE_COW)
		entry->prot |= PAGING_COW;
	if (pte & PTE_NONE)
		entry->prot |= PAGING_NONE;
	if (!(pte & pte_nx))
		entry->prot |= PAGING_EXEC;
	entry->accessed = pte & PTE_ACCESSED;
	entry->dirty = pte & PTE_DIRTY;
}

static inline void set_page(uint64_t *pte, uint64_t root, uint64_t virt, uint64_t phys,
			    unsigned prot)
{
	uint64_t old = *pte;

	*pte = phys | pte_bits(prot);
	if (old & PTE_PRESENT)
		flush(root, virt);
}

static __attribute__((noinline)) int map_making(uint64_t root, uint64_t virt, uint64_t phys,
						unsigned prot)
{
	uint64_t *pte = walk_making(root, virt);

	if (!pte)
		return -ENOMEM;
	set_page(pte, root, virt, phys, prot);
	return 0;
}

int paging_map(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot)
{
	uint64_t *pte = walk(root, virt);

	if (!pte)
		return map_making(root, virt, phys, prot);
	set_page(pte, root, virt, phys, prot);
	return 0;
}

int paging_map_foreign(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot,
		       enum paging_cache cache)
{
	uint64_t *pte = walk_making(root, virt);

	if (!pte)
		return -ENOMEM;
	*pte = phys | (pte_bits(prot) & ~PTE_ENTERED) | pte_cache_bits(cache);
	flush(root, virt);
	return 0;
}

bool paging_unmap(uint64_t root, uint64_t virt, struct paging_entry *old)
{
	uint64_t *pte = walk(root, virt);

	if (!pte || !*pte)
		return false;
	if (old)
		pte_read(*pte, old);
	*pte = 0;
	flush(root, virt);
	return true;
}

bool paging_protect(uint64_t root, uint64_t virt, unsigned prot)
{
	uint64_t *pte = walk(root, virt);

	if (!pte || !*pte)
		return false;
	*pte = (*pte & (PTE_ADDRESS | PTE_ACCESSED | PTE_DIRTY)) | pte_bits(prot);
	flush(root, virt);
	return true;
}

bool paging_query(uint64_t root, uint64_t virt, struct paging_entry *entry)
{
	const uint64_t *pte = virt < USER_HALF_END ? walk(root, virt) : NULL;

	if (!pte)
		return virt < USER_HALF_END && paging_query_large(root, virt, entry);
	if (!(*pte & PTE_ENTERED))
		return false;
	pte_read(*pte, entry);
	return true;
}

/* The kernel's half has large pages, whose entries point to no table. */
uint64_t paging_kernel_page(uint64_t virt, uint64_t *phys)
{
	uint64_t entry = paging_kernel_root() | PTE_PRESENT, span = 0;

	if (virt < -USER_HALF_END)
		return 0;
	for (unsigned level = 4; level && entry & PTE_PRESENT && !(level < 3 && entry & PTE_LARGE);
	     level--) {
		entry = pte_table(entry)[pte_index(virt, level)];
		span = pte_span(level);
	}
	if (!(entry & PTE_PRESENT))
		return 0;
	if (phys)
		*phys = (entry & PTE_ADDRESS & -span) + (virt & (span - 1));
	return span;
}

uint64_t paging_new(void)
{
	uint64_t *root = table_alloc();
	const uint64_t *kernel = pte_table(paging_kernel_root());

	if (!root)
		return 0;
	__builtin_memcpy(root + PTE_ENTRIES / 2, kernel + PTE_ENTRIES / 2,
			 PTE_ENTRIES / 2 * sizeof(*root));
	return (uint64_t)root - DIRECT_MAP;
}

uint64_t paging_next(uint64_t root, uint64_t virt, uint64_t end)
{
	while (virt < end) {
		const uint64_t *table = pte_table(root);
		unsigned level = 4, from, to;

		while (level > 1 && table[pte_index(virt, level)] &&
		       !(table[pte_index(virt, level)] & PTE_LARGE)) {
			table = pte_table(table[pte_index(virt, level)]);
			level--;
		}
		/* Continues in the lowest present table: at its next entry, or past its end. */
		from = pte_index(virt, level);
		to = pte_next(table, from, PTE_ENTRIES);
		if (to == from)
			return virt;
		virt = (virt & -pte_span(level)) + (to - from) * pte_span(level);
	}
	return end;
}

#define PART_RUNS 8 /* of paging_part() */

/* A run of entries in one lowest table. */
struct run {
	uint64_t virt; /* of the first */
	uint64_t *table;
	unsigned from, to; /* indices */
};

/* Finds the run that starts with the first small page in [virt, end); false if there is none. */
static bool next_run(uint64_t root, uint64_t virt, uint64_t end, struct run *run)
{
	uint64_t left, *first;

	for (;; virt = (virt & -PAGING_LARGE_BYTES) + PAGING_LARGE_BYTES) {
		virt = paging_next(root, virt, end);
		if (virt >= end)
			return false;
		first = walk(root, virt);
		if (first)
			break;
	}
	run->virt = virt;
	run->from = pte_index(virt, 1);
	run->table = first - run->from;
	left = (end - virt) / PTE_PAGE;
	run->to = left < PTE_ENTRIES - run->from ? run->from + (unsigned)left : PTE_ENTRIES;
	return true;
}

static uint64_t run_end(const struct run *run)
{
	return run->virt + (run->to - run->from) * PTE_PAGE;
}

/* Copies one run into a table of the other address space; returns the number of pages. */
static uint64_t copy_run(uint64_t root, const struct run *run, uint64_t *to, bool cow,
			 void (*shared)(void *page))
{
	uint64_t *table = run->table, copied = 0;

	for (unsigned i = run->from; i < run->to; i = pte_next(table, i + 1, run->to)) {
		if (cow && table[i] & PTE_WRITE) {
			table[i] = (table[i] & ~PTE_WRITE) | PTE_COW;
			flush(root, run->virt + (i - run->from) * PTE_PAGE);
		}
		to[i] = table[i] & ~(PTE_ACCESSED | PTE_DIRTY);
		shared(pte_table(table[i]));
		copied++;
	}
	return copied;
}

int64_t paging_copy(uint64_t root, uint64_t to, uint64_t start, uint64_t end, bool cow,
		    void (*shared)(void *page))
{
	struct run run;
	int64_t copied = 0;

	for (; next_run(root, start, end, &run); start = run_end(&run)) {
		uint64_t *first = walk_making(to, run.virt);

		if (!first)
			return -ENOMEM;
		copied += (int64_t)copy_run(root, &run, first - run.from, cow, shared);
	}
	return copied;
}

void paging_protect_range(uint64_t root, uint64_t start, uint64_t end, unsigned writable,
			  unsigned other)
{
	uint64_t bits[] = {pte_bits(other), pte_bits(writable)};
	struct run run;

	for (; next_run(root, start, end, &run); start = run_end(&run))
		for (unsigned i = run.from; i < run.to; i = pte_next(run.table, i + 1, run.to)) {
			uint64_t entry = run.table[i];

			run.table[i] = (entry & (PTE_ADDRESS | PTE_ACCESSED | PTE_DIRTY)) |
				       bits[(entry & PTE_WRITE) != 0];
			flush(root, run.virt + (i - run.from) * PTE_PAGE);
		}
}

uint64_t paging_part(uint64_t root, uint64_t start, uint64_t end)
{
	for (unsigned runs = 0; runs < PART_RUNS; runs++) {
		start = paging_next(root, start, end);
		if (start >= end)
			return end;
		start = (start & -PAGING_LARGE_BYTES) + PAGING_LARGE_BYTES;
	}
	return start < end ? start : end;
}

/* Removes the run from other processors' TLBs; its entries still contain the addresses of their
 * pages. */
static void hide_run(uint64_t root, const struct run *run)
{
	for (unsigned i = run->from; i < run->to; i = pte_next(run->table, i + 1, run->to))
		run->table[i] &= ~PTE_PRESENT;
	paging_flush_others(root, run->virt, run_end(run));
}

uint64_t paging_clear(uint64_t root, uint64_t start, uint64_t end, void (*gone)(void *page))
{
	struct cpu_mask others;
	bool elsewhere = others_with(root, &others);
	uint64_t count = 0;
	struct run run;

	for (; next_run(root, start, end, &run); start = run_end(&run)) {
		if (elsewhere)
			hide_run(root, &run);
		for (unsigned i = run.from; i < run.to; i = pte_next(run.table, i + 1, run.to)) {
			void *page = pte_table(run.table[i]);

			run.table[i] = 0;
			flush(root, run.virt + (i - run.from) * PTE_PAGE);
			gone(page);
			count++;
		}
	}
	return count;
}

void paging_load(uint64_t root)
{
	struct cpu *cpu = this_cpu();

	if (cpu->root == root)
		return;
	cpu->root = root;
	write_cr3(root);
}
