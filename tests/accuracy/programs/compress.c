/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses a text by replacing what came before by distance and length, found by hashes. */
#include "tests/accuracy/programs/program.h"

enum { HASHES = 1 << 14 };

static unsigned hash_of(const uint8_t *at)
{
	return (at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24) * 2654435761u >> 18;
}

static unsigned common(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
	const uint8_t *from = b;

	while (b < end && *a == *b)
		a++, b++;
	return b - from;
}

/* Returns the bytes that the result takes. */
static unsigned compress(const uint8_t *in, unsigned n, uint8_t *out)
{
	static uint32_t last[HASHES];
	const uint8_t *at = in, *end = in + n;
	uint8_t *to = out;

	memset(last, 0, sizeof(last));
	while (at + 4 < end) {
		uint32_t *seen = &last[hash_of(at)];
		const uint8_t *match = in + *seen;
		unsigned length = at > match ? common(match, at, end) : 0;

		*seen = at - in;
		if (length < 4 || length > 255 || at - match > 65535) {
			*to++ = *at++;
			continue;
		}
		*to++ = length;
		*to++ = at - match;
		*to++ = (at - match) >> 8;
		at += length;
	}
	return to - out;
}

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 300000);
	uint8_t *in = program_zeros(n), *out = program_zeros(2 * n);
	static const char *const words[] = {"the ", "cache ", "of ", "a ", "processor ", "line "};
	unsigned filled = 0;

	while (filled < n) {
		const char *word = words[program_random() % 6];

		for (; *word && filled < n; word++)
			in[filled++] = *word + (program_random() % 50 == 0);
	}
	return program_end(compress(in, n, out));
}
