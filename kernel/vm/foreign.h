/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing the memory of another process. */
#ifndef KERNEL_FOREIGN_H
#define KERNEL_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

struct mm;

enum {
	FOREIGN_WRITE = 1 << 0, /* from `bytes` into the mm; else the other way */
	/* overrides the areas' protection, except for writes to shared memory */
	FOREIGN_FORCE = 1 << 1,
};

/* Copies `length` bytes between the mm, which need not be the current one, and kernel memory.
 * `how`: FOREIGN_*. Returns the bytes up to the first page that is absent or forbidden. Context:
 * task; may sleep. */
size_t foreign_copy(struct mm *mm, uint64_t addr, void *bytes, size_t length, unsigned how);

#endif
