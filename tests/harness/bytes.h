/* SPDX-License-Identifier: BSD-2-Clause */
/* A harness's input: libFuzzer's bytes, taken from the front; zeros after their end. */
#ifndef TESTS_HARNESS_BYTES_H
#define TESTS_HARNESS_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at;
	size_t left;
};

/* Called once for each input (libFuzzer's interface). Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next `size` bytes as a number (at most 8, little endian). */
static inline uint64_t take(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if (size > bytes->left)
		size = bytes->left;
	memcpy(&value, bytes->at, size);
	bytes->at += size;
	bytes->left -= size;
	return value;
}

/* The next byte, as a choice out of `count`, at most 256. */
static inline unsigned take_one_of(struct bytes *bytes, unsigned count)
{
	return (unsigned)take(bytes, 1) % count;
}

#endif
