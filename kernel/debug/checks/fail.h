/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures on request: the n-th allocation, descriptor or user copy of a task's system calls. */
#ifndef DEBUG_FAIL_H
#define DEBUG_FAIL_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/debug/control.h"

/* From now on the n-th such step of the current task fails, once. n = 0: none. Context: task. */
void fail_arm(enum fail_kind kind, uint64_t n);
/* Disarms it. True: a step failed, requested by the code at *where. */
bool fail_disarm(const void **where);
/* True if the step that the caller is about to perform, for `where`, must fail. Context: any. */
bool fail_now(enum fail_kind kind, const void *where);

#endif
