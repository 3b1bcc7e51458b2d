/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of an address space that hold what its probed instructions do: "[uprobes]". Context of all:
 * task. */
#ifndef TRACE_PROBE_AREA_H
#define TRACE_PROBE_AREA_H

#include <stdbool.h>
#include <stdint.h>
#include "trace/probe/insn.h"

struct mm;

/* Where the instruction at `at` is done elsewhere in the address space, made when there is no such
 * place yet: an address, or a negative errno. */
int64_t area_place(struct mm *mm, const struct probe_insn *insn, uint64_t at);
/* The instruction that is done at the address: where it stands itself; 0: none. */
uint64_t area_origin(struct mm *mm, uint64_t address);
/* An address near `at` that traps, for functions to return to; 0: no memory. */
uint64_t area_trampoline(struct mm *mm, uint64_t at);
bool area_is_trampoline(struct mm *mm, uint64_t address);

#endif
