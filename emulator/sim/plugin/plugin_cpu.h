/* SPDX-License-Identifier: BSD-2-Clause */
/* What plugins of version 1 are not told of a processor: its registers, and where pages lie. */
#ifndef CORE_BORDER_CPU_H
#define CORE_BORDER_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/pt_state.h"
#include "emulator/sim/decode/touch.h"

/* Looks up what the following need; without it they return false. QEMU's version was tried. */
void border_cpu_setup(void);

/* A block at `start` is being translated: a processor that is there has registers with it. */
void border_cpu_find(uint64_t start);

/* The general registers and the bases of FS and GS, in a callback at the begin of the block at
 * `start`, which QEMU keeps in host registers later. Returns false when they are not found. */
bool border_registers(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_VALUES]);

/* True if the processor runs a guest of SVM or is in another ring than 0; false, too, when its
 * state is not found. In a callback. */
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

/* Where a linear address lies by the guest's page tables, from the begin of the guest's memory in
 * ours on, as QEMU says it of accesses; in a callback. Returns false when there is no memory. */
bool border_physical(unsigned vcpu, uint64_t vaddr, uint64_t *physical);

#endif
