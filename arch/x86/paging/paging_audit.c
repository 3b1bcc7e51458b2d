/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks page tables as the processor does, and counts dangerous mappings. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/paging/paging_audit.h"
#include "arch/x86/paging/pte.h"

#define RIGHTS (PTE_WRITE | PTE_USER)

/* A page, or a large one: the rights that all levels together grant. */
struct leaf {
	uint64_t virt, phys, bytes;
	bool write, user, execute;
};

typedef void visit(struct paging_audit *audit, const struct leaf *leaf);

/* Visits the leaves below a table that starts at `virt`; `rights`: the intersection of the rights
 * of the levels above. */
static void walk(const uint64_t *table, unsigned level, uint64_t virt, uint64_t rights,
		 struct paging_audit *audit, visit *visit)
{
	for (unsigned i = 0; i < PTE_ENTRIES; i++, virt += pte_span(level)) {
		uint64_t entry = table[i], below;

		if (level == 4 && i == PTE_ENTRIES / 2)
			virt |= 0xffff000000000000ul; /* sign extension */
		if (!(entry & PTE_PRESENT))
			continue;
		below = (rights & entry & RIGHTS) | ((rights | entry) & PTE_NX);
		if (level > 1 && !(entry & PTE_LARGE)) {
			walk(pte_table(entry), level - 1, virt, below, audit, visit);
			continue;
		}
		visit(audit, &(struct leaf){.virt = virt,
					    .phys = entry & PTE_ADDRESS & -pte_span(level),
					    .bytes = pte_span(level),
					    .write = below & PTE_WRITE,
					    .user = below & PTE_USER,
					    .execute = !(below & PTE_NX)});
	}
}

static void walk_all(struct paging_audit *audit, visit *visit)
{
	const uint64_t *root = pte_table(read_cr3());

	walk(root, 4, 0, RIGHTS, audit, visit);
}

/* Physical range that ring 0 executes. */
static uint64_t code_start, code_end;

static void paging_audit_count(struct paging_audit *audit, const struct leaf *leaf)
{
	uint64_t pages = leaf->bytes / PTE_PAGE;
	bool upper = leaf->virt >> 63;

	if (leaf->user == upper)
		audit->exposed += pages;
	if (leaf->user)
		return;
	audit->kernel += pages;
	if (!leaf->execute)
		return;
	audit->executable += pages;
	if (leaf->write)
		audit->writable_executable += pages;
	code_start = leaf->phys < code_start ? leaf->phys : code_start;
	code_end = leaf->phys + leaf->bytes > code_end ? leaf->phys + leaf->bytes : code_end;
}

static void count_aliases(struct paging_audit *audit, const struct leaf *leaf)
{
	if (leaf->write && leaf->phys < code_end && leaf->phys + leaf->bytes > code_start)
		audit->aliased += leaf->bytes / PTE_PAGE;
}

void paging_audit(struct paging_audit *audit)
{
	*audit = (struct paging_audit){0};
	code_start = UINT64_MAX;
	code_end = 0;
	walk_all(audit, paging_audit_count);
	walk_all(audit, count_aliases);
}
