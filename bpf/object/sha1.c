/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-1, computed incrementally. */
#include "bpf/object/sha1.h"
#include "kernel/base/string.h"

static uint32_t rotate(uint32_t value, unsigned bits)
{
	return value << bits | value >> (32 - bits);
}

/* The function and the constant of round `i`. */
static uint32_t mix(unsigned i, uint32_t b, uint32_t c, uint32_t d)
{
	if (i < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (i < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (i < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(uint32_t state[5], const uint8_t *block)
{
	uint32_t w[80], v[5];

	memcpy(w, block, SHA1_BLOCK);
	for (unsigned i = 0; i < 16; i++)
		w[i] = __builtin_bswap32(w[i]);
	for (unsigned i = 16; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < 80; i++) {
		uint32_t next = rotate(v[0], 5) + mix(i, v[1], v[2], v[3]) + v[4] + w[i];

		v[4] = v[3];
		v[3] = v[2];
		v[2] = rotate(v[1], 30);
		v[1] = v[0];
		v[0] = next;
	}
	for (unsigned i = 0; i < 5; i++)
		state[i] += v[i];
}

void sha1_init(struct sha1 *sha1)
{
	*sha1 =
	    (struct sha1){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
}

void sha1_add(struct sha1 *sha1, const void *data, size_t bytes)
{
	const uint8_t *from = data;

	while (bytes) {
		size_t used = sha1->bytes % SHA1_BLOCK, part = SHA1_BLOCK - used;

		part = part < bytes ? part : bytes;
		memcpy(sha1->block + used, from, part);
		sha1->bytes += part;
		from += part;
		bytes -= part;
		if (used + part == SHA1_BLOCK)
			add_block(sha1->state, sha1->block);
	}
}

void sha1_end(struct sha1 *sha1, uint8_t digest[SHA1_BYTES])
{
	static const uint8_t padding[SHA1_BLOCK] = {0x80};
	uint64_t bits = __builtin_bswap64(sha1->bytes * 8);
	size_t used = sha1->bytes % SHA1_BLOCK;

	sha1_add(sha1, padding, (used < 56 ? 56 : 56 + SHA1_BLOCK) - used);
	sha1_add(sha1, &bits, sizeof(bits));
	for (unsigned i = 0; i < 5; i++) {
		uint32_t word = __builtin_bswap32(sha1->state[i]);

		memcpy(digest + sizeof(word) * i, &word, sizeof(word));
	}
}
