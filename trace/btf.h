/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's types in BTF, for programs compiled against its records. */
#ifndef TRACE_BTF_H
#define TRACE_BTF_H

#include <stdint.h>

/* Returns the types, made by the first call and kept; *bytes is their length. NULL: no memory.
 * Context: task. */
const void *kernel_btf(uint32_t *bytes);

/* Returns the name of the raw tracepoint whose btf_trace_ type has that number; NULL: none has.
 * Context: task. */
const char *kernel_btf_point(uint32_t type);

/* Adds /sys/kernel/btf/vmlinux. Context: start. */
void kernel_btf_init(void);

#endif
