/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of processors as sysfs has them. */
#include "arch/x86/cpu/cpu_mask.h"
#include "kernel/base/text.h"
#include "kernel/fs/cpu_list.h"

void cpu_list_add(struct text *text, const struct cpu_mask *mask)
{
	const char *separator = "";

	for (uint32_t first = cpu_mask_next(mask, 0), last; first != MAX_CPUS;
	     first = cpu_mask_next(mask, last)) {
		for (last = first; last < MAX_CPUS && cpu_mask_has(mask, last); last++)
			;
		text_print(text, last - first > 1 ? "%s%u-%u" : "%s%u", separator, first, last - 1);
		separator = ",";
	}
	text_char(text, '\n');
}
