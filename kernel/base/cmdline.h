/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the kernel's command line. */
#ifndef KERNEL_CMDLINE_H
#define KERNEL_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"

/* Copies the value of the last word `name=value` to `value` (cut to size-1 characters); false when
 * there is none. Context of all: any. */
bool cmdline_value(const char *name, char *value, size_t size);
/* True when the last word `name=` has exactly this value. */
bool cmdline_is(const char *name, const char *value);
/* Finds the processors that the last word `name=0,2-3` lists; none: there is no such word. */
void cmdline_cpus(const char *name, struct cpu_mask *mask);

#endif
