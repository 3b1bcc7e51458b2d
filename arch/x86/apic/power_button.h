/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI's fixed power button: specification 6.4, section 4.8.3. It raises an interrupt when pressed,
 * and needs no polling. */
#ifndef ARCH_X86_POWER_BUTTON_H
#define ARCH_X86_POWER_BUTTON_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the button raises `vector` here. False: the tables list no button, or ACPI mode
 * cannot be enabled. Context: start, after ioapic_mask_all(). */
bool power_button_open(uint8_t vector);
/* Returns whether it was pressed since the last call, and clears the interrupt's cause. Context:
 * interrupts masked. */
bool power_button_take(void);
/* Restores the firmware's setting. Context: any, once, at the end. */
void power_button_close(void);

#endif
