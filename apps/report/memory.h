/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the report, which ends where there is none. */
#ifndef APPS_REPORT_MEMORY_H
#define APPS_REPORT_MEMORY_H

#include <stddef.h>

/* Ends the program with one line and STATUS_OURS. */
_Noreturn void report_no_memory(void);
/* Returns `bytes` zero bytes, or ends the program. */
void *report_new(size_t bytes);
/* Returns the block with room for `bytes`, as realloc() does, or ends the program. */
void *report_grow(void *block, size_t bytes);

#endif
