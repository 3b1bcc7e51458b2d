/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APICs, which bring devices' interrupts. The kernel wants none. */
#ifndef ARCH_X86_IOAPIC_H
#define ARCH_X86_IOAPIC_H

/* Masks every input that firmware may have left open. Context: start, after acpi_init(). */
void ioapic_mask_all(void);

#endif
