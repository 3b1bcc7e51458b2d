/* SPDX-License-Identifier: BSD-2-Clause */
/* Assertions of inner states, which the debug kernel checks (docs/testing.md) and the others do not
 * contain. */
#ifndef KERNEL_ASSERT_H
#define KERNEL_ASSERT_H

/* Panics if the condition is false: a state that no caller and no program can bring about. The
 * condition has no effects. Context: any. */
#ifdef BAREPMU_DEBUG
#include "kernel/base/log.h"
#define KASSERT(condition) \
	((condition) ? (void)0 : panic("%s:%d: not true: %s", __FILE__, __LINE__, #condition))
#else
#define KASSERT(condition) ((void)0)
#endif

#endif
