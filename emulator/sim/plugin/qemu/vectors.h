/* SPDX-License-Identifier: BSD-2-Clause */
/* Where QEMU keeps a processor's vector registers: found by their values, which the interface for
 * gdb shows, in the memory of its struct. */
#ifndef SIM_PLUGIN_VECTORS_H
#define SIM_PLUGIN_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#define VECTORS             16
#define VECTOR_BYTES        16 /* that the interface shows of each */
#define VECTOR_STRIDE_BYTES 64 /* in QEMU's struct */

/* Returns the offset from `from` of the first of the 16 registers, which hold `registers`. 0: they
 * are not within `bytes` bytes, or in more places than one. */
unsigned vectors_find(const void *from, unsigned bytes,
		      const uint8_t registers[VECTORS][VECTOR_BYTES]);

#endif
