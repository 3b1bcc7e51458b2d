/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that know their virtual address. */
#ifndef SIM_PLUGIN_QEMU_ADDRESSES_H
#define SIM_PLUGIN_QEMU_ADDRESSES_H

#include <stdbool.h>

/* Makes QEMU translate code once for each virtual address. False: this QEMU cannot, and a
 * shared block reports the address of its first use. Context: before the processor's first
 * instruction. */
bool plugin_own_addresses(unsigned vcpu);

#endif
