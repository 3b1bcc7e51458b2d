/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of the rights in the current page tables: the option check=map. */
#ifndef ARCH_X86_PAGING_AUDIT_H
#define ARCH_X86_PAGING_AUDIT_H

#include <stdint.h>

/* In units of 4 KiB. */
struct paging_audit {
	uint64_t kernel;              /* pages that only ring 0 reaches */
	uint64_t executable;          /* of the kernel's pages */
	uint64_t writable_executable; /* both written and executed */
	uint64_t aliased;             /* executable, and written by another address */
	uint64_t exposed; /* ring 3's in the kernel's half, or ring 0's in ring 3's half */
};

/* Walks the current tables. Context: task; slow. */
void paging_audit(struct paging_audit *audit);

#endif
