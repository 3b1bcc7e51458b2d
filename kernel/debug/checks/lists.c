/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of each change of a list (kernel/list.h). */
#include "kernel/base/list.h"
#include "kernel/base/log.h"
#include "kernel/debug/checks/context.h"

void check_list_insert(const struct list *item, const struct list *prev, const struct list *next)
{
	if (prev->next != next || next->prev != prev)
		panic("check: list of %p is broken between %p and %p", (const void *)item,
		      (const void *)prev, (const void *)next);
	if (item == prev || item == next)
		panic("check: %p is put into a list that it is in", (const void *)item);
}

void check_list_remove(const struct list *item)
{
	if (item->prev->next != item || item->next->prev != item)
		panic("check: %p is taken out of a list that does not know it", (const void *)item);
}
