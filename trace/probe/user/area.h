/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of an address space with out-of-line code for its probed instructions: "[uprobes]". Context
 * of all: task. */
#ifndef TRACE_PROBE_AREA_H
#define TRACE_PROBE_AREA_H

#include <stdbool.h>
#include <stdint.h>
#include "trace/probe/base/insn.h"

struct mm;
struct vma;

/* Returns the out-of-line address of the instruction at `at`, made if necessary, or a negative
 * errno. *trampoline: an address near it that traps, for functions to return to; 0: no memory. */
int64_t area_place(struct mm *mm, const struct probe_insn *insn, uint64_t at, uint64_t *trampoline);
/* Returns the original address of the instruction in the slot at `address`; 0: none. */
uint64_t area_origin(struct mm *mm, uint64_t address);
/* True if the address is such a trampoline. */
bool area_is_trampoline(struct mm *mm, uint64_t address);
/* As area_origin(), for an address in `vma` (NULL: in none) or before it. */
bool area_begins(const struct vma *vma, uint64_t address);

#endif
