/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may read counters by RDPMC: the file `rdpmc` of the processor's PMU. */
#ifndef PMU_RDPMC_H
#define PMU_RDPMC_H

#include <stdbool.h>
#include "kernel/fs/synthetic.h"

struct mm;

/* Mode 0600: 0: no task, 1: tasks that map an event (the default), 2: every task. */
extern const struct synthetic rdpmc_file;

/* False if RDPMC is disabled: new events do not offer it. Context: task. */
bool rdpmc_offered(void);

/* An event that offers it was mapped in the address space, or unmapped. Context: task. */
void rdpmc_mapped(struct mm *mm);
void rdpmc_unmapped(struct mm *mm);

/* This processor runs in the address space (NULL: none) now. Context: interrupts masked. */
void rdpmc_switch(const struct mm *mm);

#endif
