/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads ring 3's memory without touching it, so that an NMI may: kernel/mem/user.h. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"

const void *peek_page(uint64_t page)
{
	struct paging_entry entry;

	if (page >= USER_END || !paging_query(read_cr3(), page, &entry) ||
	    (entry.prot & PAGING_NONE))
		return NULL;
	return phys_virt(entry.phys);
}

size_t peek_user(void *to, uint64_t from, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		uint64_t at = from + done, offset = at % PAGE_SIZE;
		size_t piece =
		    PAGE_SIZE - offset < bytes - done ? PAGE_SIZE - offset : bytes - done;
		const char *page = peek_page(at - offset);

		if (!page)
			break;
		memcpy((char *)to + done, page + offset, piece);
		done += piece;
	}
	return done;
}
