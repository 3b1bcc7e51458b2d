/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of one address space: files of /proc/PID. Context of all: task. */
#ifndef KERNEL_PROC_SMAPS_H
#define KERNEL_PROC_SMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/text.h"

struct paging_entry;
struct vma;

/* As `make` of struct synthetic. */
void proc_make_maps(struct text *out, uint64_t id);
void proc_make_smaps(struct text *out, uint64_t id);
void proc_make_rollup(struct text *out, uint64_t id);

/* The line of an area in /proc/PID/maps; `buffer` is a page. */
void proc_add_area(struct text *out, const struct vma *vma, char *buffer);
/* True if the page belongs to the file, or to the owner of a special area, and is not the area's
 * private copy. */
bool proc_page_is_files(const struct vma *vma, uint64_t addr, const struct paging_entry *entry);
/* Returns the references to the area's page; 0: unknown, because it is its owner's. */
unsigned proc_page_references(const struct vma *vma, uint64_t phys);

#endif
