/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the report, which ends where there is none. */
#include "apps/report/memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "abi/exit_status.h"

_Noreturn void report_no_memory(void)
{
	fputs("report: out of memory\n", stderr);
	exit(STATUS_OURS);
}

static void *checked(void *block)
{
	if (!block)
		report_no_memory();
	return block;
}

void *report_new(size_t bytes)
{
	return checked(calloc(1, bytes));
}

void *report_grow(void *block, size_t bytes)
{
	return checked(realloc(block, bytes));
}
