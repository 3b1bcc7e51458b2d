/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APICs, which bring devices' interrupts. The kernel wants next to none. */
#ifndef ARCH_X86_IOAPIC_H
#define ARCH_X86_IOAPIC_H

#include <stdbool.h>
#include <stdint.h>

/* Masks every input that firmware may have left open, and keeps what it was. Context: start, after
 * acpi_init(). */
void ioapic_mask_all(void);
/* Every input as it was then. Context: any, once, at the end. */
void ioapic_restore(void);

/* Lets the first I/O APIC's `input` (below 16: an ISA interrupt, active high, by edge) raise
 * `vector` at the processor with this APIC ID (at most 255). False: there is no such input.
 * Context: start, after ioapic_mask_all(). */
bool ioapic_route(uint32_t input, uint8_t vector, uint32_t apic_id);

#endif
