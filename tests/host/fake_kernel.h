/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's services as host tests have them: memory, tasks, descriptors, mappings. */
#ifndef TESTS_HOST_FAKE_KERNEL_H
#define TESTS_HOST_FAKE_KERNEL_H

#include "kernel/memory.h"

/* Makes the first task current; frees all tasks. */
void fake_kernel_start(void);
void fake_kernel_stop(void);

#endif
