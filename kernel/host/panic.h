/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the machine; kernel/base/log.h declares panic(). */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

/* Makes fatal exceptions of the kernel print a report. Context: start, before traps_init(). */
void panic_init(void);

#endif
