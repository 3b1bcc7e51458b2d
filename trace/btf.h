/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's types in BTF: what programs that are compiled against its records ask for. */
#ifndef TRACE_BTF_H
#define TRACE_BTF_H

#include <stdint.h>

/* Made with the first call and kept; *bytes is its length. NULL: no memory. Context: task. */
const void *kernel_btf(uint32_t *bytes);

/* Adds /sys/kernel/btf/vmlinux. Context: start. */
void kernel_btf_init(void);

#endif
