/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures on request: the n-th allocation, descriptor or user copy of a task's system calls. */
#ifndef DEBUG_FAIL_H
#define DEBUG_FAIL_H

#include <stdbool.h>
#include <stdint.h>

/* As in tests/debug/debug.h. */
enum fail_kind { FAIL_KALLOC, FAIL_PAGE, FAIL_FD, FAIL_COPY, NR_FAIL_KINDS };

/* From now on the n-th such step of the current task fails, once. n = 0: none. Context: task. */
void fail_arm(enum fail_kind kind, uint64_t n);
/* Stops it. The number of steps so far; *where: who asked for the one that failed, NULL: none.
 * Context: task. */
uint64_t fail_disarm(const void **where);
/* Whether the step that the caller is about to do, for `where`, has to fail. Context: any. */
bool fail_now(enum fail_kind kind, const void *where);

#endif
