/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-1 (FIPS 180-4), for identification only, not for security. Context: any. */
#ifndef BPF_OBJECT_SHA1_H
#define BPF_OBJECT_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20
#define SHA1_BLOCK 64

struct sha1 {
	uint32_t state[5];
	uint64_t bytes; /* that were added */
	uint8_t block[SHA1_BLOCK];
};

void sha1_init(struct sha1 *sha1);
void sha1_add(struct sha1 *sha1, const void *data, size_t bytes);
/* Returns the digest of all added bytes; nothing can be added afterwards. */
void sha1_end(struct sha1 *sha1, uint8_t digest[SHA1_BYTES]);

#endif
