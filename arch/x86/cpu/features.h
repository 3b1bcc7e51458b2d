/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor features that the kernel enables. */
#ifndef ARCH_X86_FEATURES_H
#define ARCH_X86_FEATURES_H

#include <stdbool.h>

/* Protection (WP, NX, SMEP, SMAP, UMIP) where CPUID shows it, SSE, memory types. Context: start,
 * before paging_init(). */
void features_init(void);

/* Makes RDTSC and RDTSCP of ring 3 fault on this processor, or not. Context: interrupts masked. */
void features_deny_tsc(bool deny);

#endif
