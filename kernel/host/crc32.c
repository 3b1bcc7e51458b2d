/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 by a table of 256 words, which the first call fills. */
#include "kernel/host/crc32.h"

#define POLYNOMIAL 0xedb88320u /* IEEE 802.3, bits reversed */

static uint32_t table[256];

static void table_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[i] = crc;
	}
}

uint32_t crc32(uint32_t crc, const void *data, size_t bytes)
{
	const uint8_t *at = data, *end = at + bytes;

	if (!table[255])
		table_fill();
	crc = ~crc;
	while (at < end)
		crc = table[(crc ^ *at++) & 0xff] ^ crc >> 8;
	return ~crc;
}
