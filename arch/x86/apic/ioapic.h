/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APICs, which route devices' interrupts. The kernel uses hardly any. */
#ifndef ARCH_X86_IOAPIC_H
#define ARCH_X86_IOAPIC_H

#include <stdbool.h>
#include <stdint.h>

/* Masks every input that firmware may have enabled, and saves the settings. Context: start, after
 * acpi_init(). */
void ioapic_mask_all(void);
/* Masks every input again. Context: any. */
void ioapic_silence(void);
/* Restores every input's setting. Context: any, once, at the end. */
void ioapic_restore(void);

/* Trigger and polarity of an input. ISA interrupts use the first. */
enum ioapic_line { IOAPIC_EDGE_HIGH = 0, IOAPIC_LEVEL = 1, IOAPIC_LOW = 2 };

/* Routes the first I/O APIC's `input` (below 16: an ISA interrupt) to `vector` at the processor
 * with this APIC ID. False: there is no such input, or the ID is above 255. Context: start, after
 * ioapic_mask_all(). */
bool ioapic_route(uint32_t input, enum ioapic_line line, uint8_t vector, uint32_t apic_id);

/* Masks that input. Context: any. */
void ioapic_mask(uint32_t input);

#endif
