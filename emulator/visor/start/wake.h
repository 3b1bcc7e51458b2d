/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and starts the further processors, if no firmware does: ACPI's MADT, and the universal
 * start-up algorithm. */
#ifndef VISOR_WAKE_H
#define VISOR_WAKE_H

#include "emulator/visor/start/main.h"
#include "emulator/visor/vcpu/processors.h"

/*
 * Returns the APIC ids of the processors that the MADT lists as enabled, this one first, and their
 * number, at least 1. Stops the machine with one line if there are more than MAX_PROCESSORS. `rsdp`
 * is the physical address of ACPI's root, or 0. (ACPI specification 6.4, 5.2.12)
 */
unsigned wake_find(uint64_t rsdp, uint8_t ids[MAX_PROCESSORS]);
/*
 * Starts them one after the other; each runs visor_setup_other() and waits for the guest's SIPI.
 * Needs the host's page tables. Uses a page below 1 MiB and restores it. (Intel SDM vol. 3,
 * 8.4.4.1)
 */
void wake_all(const struct visor_memory *memory, const uint8_t ids[MAX_PROCESSORS]);

#endif
