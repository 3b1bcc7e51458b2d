/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 of IEEE 802.3, as zlib's. */
#ifndef KERNEL_CRC32_H
#define KERNEL_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues `crc` (0 at the start) over the bytes. Context: any. */
uint32_t crc32(uint32_t crc, const void *data, size_t bytes);

#endif
