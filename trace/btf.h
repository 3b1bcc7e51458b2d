/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's types in BTF, for programs compiled against its records. */
#ifndef TRACE_BTF_H
#define TRACE_BTF_H

#include <stdint.h>

/* Returns the types, made by the first call and kept; *bytes is their length. NULL: no memory.
 * Context: task. */
const void *kernel_btf(uint32_t *bytes);

/* Adds /sys/kernel/btf/vmlinux. Context: start. */
void kernel_btf_init(void);

#endif
