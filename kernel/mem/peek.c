/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads ring 3's memory without touching it, so that an NMI may: kernel/mem/user.h. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/paging/paging.h"
#include "kernel/mem/memory.h"
#include "kernel/base/string.h"
#include "kernel/mem/user.h"

size_t peek_user(void *to, uint64_t from, size_t bytes)
{
	uint64_t root = read_cr3();
	struct paging_entry entry;
	size_t done = 0;

	while (done < bytes) {
		uint64_t at = from + done, offset = at % PAGE_SIZE;
		size_t piece =
		    PAGE_SIZE - offset < bytes - done ? PAGE_SIZE - offset : bytes - done;

		if (at >= USER_END || !paging_query(root, at - offset, &entry) ||
		    (entry.prot & PAGING_NONE))
			break;
		memcpy((char *)to + done, (char *)phys_virt(entry.phys) + offset, piece);
		done += piece;
	}
	return done;
}
