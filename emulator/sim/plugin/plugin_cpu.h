/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to a processor's state that version 1 of the plugin API lacks: registers, and physical
 * addresses of pages. */
#ifndef CORE_BORDER_CPU_H
#define CORE_BORDER_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/pt_state.h"
#include "emulator/sim/decode/touch.h"

/* Looks up symbols for the following functions; without them they return false. QEMU's version must
 * be a tested one. */
void border_cpu_setup(void);

/* A block at `start` is being translated: finds a processor's registers by it. */
void border_cpu_find(uint64_t start);

/* Returns the general registers and the bases of FS and GS, in a callback at the start of the block
 * at `start`; later in the block QEMU keeps them in host registers. False: not found. */
bool border_registers(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_VALUES]);

/* True if the processor runs an SVM guest or is not in ring 0; false also if its state was not
 * found. In a callback. */
bool border_runs_guest(unsigned vcpu);

/* Reads CR3 and enum pt_mode of the running code. Returns false, with both unchanged, if the
 * processor is unknown. */
bool border_space(unsigned vcpu, uint64_t *cr3, uint8_t *mode);
/* Finds the linear address of the return address in the frame at RSP, in 64-bit mode. Returns false
 * if the processor is unknown or in another mode. */
bool border_frame(unsigned vcpu, uint64_t *vaddr);
/* Maps guest memory from a physical address to the end of its 4 KiB page for writing, and drops
 * translated code there. NULL: no RAM. */
uint8_t *border_page(uint64_t physical);

/* enum page_size of the page at a linear address by the guest's page tables, in a callback. */
uint8_t border_page_size(unsigned vcpu, uint64_t vaddr);

/* Translates a linear address by the guest's page tables to an offset in the guest's memory, in
 * QEMU's form for accesses; in a callback. Returns false if there is no memory. */
bool border_physical(unsigned vcpu, uint64_t vaddr, uint64_t *physical);

#endif
