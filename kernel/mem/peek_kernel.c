/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads kernel memory at any address: kernel/mem/memory.h. */
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"

size_t peek_kernel(void *to, uint64_t from, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		uint64_t at = from + done, room = PAGE_SIZE - at % PAGE_SIZE;
		size_t part = bytes - done < room ? bytes - done : room;

		if (at < DIRECT_MAP || (at >= DEVICE_MAP && at < KERNEL_BASE) ||
		    !paging_kernel_page(at, NULL))
			break;
		memcpy((uint8_t *)to + done, (const void *)at, part);
		done += part;
	}
	return done;
}
