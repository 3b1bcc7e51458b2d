/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways to break the kernel that its checks must find. */
#ifndef DEBUG_BREAK_H
#define DEBUG_BREAK_H

#include <stdint.h>

/* Does the `which`th; -EINVAL when there are no more. Context: task. */
long break_something(uint64_t which);

#endif
