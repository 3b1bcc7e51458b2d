/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's own page tables and descriptor tables; and the guest's nested page tables. */
#ifndef VISOR_HOST_H
#define VISOR_HOST_H

#include "emulator/visor/vcpu/vcpu.h"

#define PAGE_SIZE       4096ull
#define LARGE_PAGE_SIZE (2ull << 20)
#define GIANT_PAGE_SIZE (1ull << 30)
#define TABLE_ENTRIES   512

#define STACK_BYTES 0x4000 /* layout.inc */

/* Width of the guest's physical addresses, as QEMU's processors have by default: CPUID reports no
 * more. */
#define HOST_ADDRESS_BITS 40

/* Written by run.asm's handlers at the low end of the processor's stack. */
struct host_events {
	volatile uint32_t nmis; /* taken so far */
	volatile uint32_t vector;
};
_Static_assert(offsetof(struct host_events, nmis) == 0, "layout.inc");
_Static_assert(offsetof(struct host_events, vector) == 4, "layout.inc");
_Static_assert(STACK_BYTES == 0x4000, "layout.inc");

/* A processor's part of the nested page table: its APIC page can be shadowed. */
struct nested_tables {
	uint64_t root[TABLE_ENTRIES], giants[TABLE_ENTRIES];
	uint64_t devices[TABLE_ENTRIES]; /* the last GiB below 4 GiB */
	uint64_t apic[TABLE_ENTRIES];    /* the 2 MiB that begin with the APIC */
};

/* Stops the machine with one line if the visor cannot run on the processor. */
void host_check(void);
/* Builds the shared tables. `base` and `bytes` (multiples of 2 MiB) are the visor's memory, which
 * the guest then cannot access. */
void host_build(uint64_t base, uint64_t bytes);
/* Builds a processor's part, with the APIC's page writable. Returns the root's address. */
uint64_t host_build_nested(struct nested_tables *tables);
/* Maps `page` (a physical address) as the guest's APIC page, from its next entry on. */
void host_map_apic(struct nested_tables *tables, uint64_t page, bool writable);
/* Makes each access to that page exit, from the next entry on. */
void host_hide_apic(struct nested_tables *tables);
/* Switches this processor to the host's tables, with the global interrupt flag off. */
void host_enter(void);
/* Returns the physical address of the host's page table root, below 4 GiB. */
uint64_t host_root_address(void);
/*
 * Sets CR0 and CR4 to the guest's, as far as the visor can run with them: QEMU then flushes its TLB
 * less often between the two.
 */
void host_follow(struct vcpu *vcpu);
/* True if the guest's physical address is its own memory: neither the visor's, nor a device that
 * the visor reserves or emulates. */
bool host_is_guests(uint64_t physical);

#endif
