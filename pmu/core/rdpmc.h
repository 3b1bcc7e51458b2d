/* SPDX-License-Identifier: BSD-2-Clause */
/* The permission to read counters by RDPMC, and the file `rdpmc` of the processor's PMU. */
#ifndef PMU_RDPMC_H
#define PMU_RDPMC_H

#include <stdbool.h>
#include "kernel/fs/synthetic.h"

struct mm;

/* Mode 0600: 0: no task, 1: tasks that map an event (the default), 2: every task. */
extern const struct synthetic rdpmc_file;

/* False if RDPMC is disabled: new events do not offer it. Context: task. */
bool rdpmc_offered(void);

/* Counts mappings of RDPMC-readable events in the address space, after mmap or munmap. Context:
 * task. */
void rdpmc_mapped(struct mm *mm);
void rdpmc_unmapped(struct mm *mm);

/* Sets CR4.PCE for the address space that this processor switches to (NULL: none). Context:
 * interrupts masked. */
void rdpmc_switch(const struct mm *mm);

#endif
