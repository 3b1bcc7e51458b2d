/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the entry points on their way to kernel_main(). */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdint.h>
#include "abi/boot_info.h"

/* Called by entry.asm: interrupts masked, RAM below 4 GiB in the direct map. */
__attribute__((noreturn)) void boot_from_pvh(uint64_t start_info_phys, uint64_t tsc);
__attribute__((noreturn)) void boot_from_multiboot2(uint64_t info_phys, uint64_t tsc);
__attribute__((noreturn)) void boot_from_uefi(const struct boot_info *info);

/* Sets boot_info's magic number, entry time and kernel range. */
void boot_begin(uint64_t tsc);
/* Adds memory to boot_info; `kind` is PVH's or E820's. Ignored if there is no room. */
void boot_region_add(uint64_t base, uint64_t bytes, uint32_t kind);

/* Runs the list of steps (main.c). boot_info must be filled in. */
__attribute__((noreturn)) void kernel_main(void);

/* Sorts the regions, trims overlaps (the more reserved kind wins) and drops empty ones. */
void boot_regions_finish(struct boot_info *info);

#endif
