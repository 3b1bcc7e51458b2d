/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of the guest's pages, which no version of the plugin interface offers. */
#ifndef CORE_BORDER_CPU_H
#define CORE_BORDER_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/pt_state.h"

/* Looks up what the following need; without it they return false. At load. */
void plugin_cpu_setup(void);
/* Whether plugin_physical() may succeed. */
bool plugin_knows_memory(void);

/* Reads CR3 and enum pt_mode of the running code. Returns false, with both unchanged, if the
 * processor is unknown. */
bool plugin_space(unsigned vcpu, uint64_t *cr3, uint8_t *mode);
/* Finds the linear address of the return address in the frame at RSP, in 64-bit mode. Returns false
 * if the processor is unknown or in another mode. */
bool plugin_frame(unsigned vcpu, uint64_t *vaddr);
/* Maps guest memory from a physical address to the end of its 4 KiB page for writing, and drops
 * translated code there. NULL: no RAM. */
uint8_t *plugin_page(uint64_t physical);

/* enum page_size of the page at a linear address by the guest's page tables, in a callback. */
uint8_t plugin_page_size(unsigned vcpu, uint64_t vaddr);

/* Translates a linear address by the guest's page tables to an offset in the guest's memory, in
 * QEMU's form for accesses; in a callback. Returns false if there is no memory. */
bool plugin_physical(unsigned vcpu, uint64_t vaddr, uint64_t *physical);

#endif
