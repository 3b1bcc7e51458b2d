/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers: ChaCha20 (RFC 8439) over a key that is made once, from RDRAND and the clocks.
 * Where counts are exact the key is constant, so that runs repeat to the instruction.
 */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "kernel/base/string.h"
#include "kernel/device/random.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"

static uint32_t state[16]; /* constants, key, counter, nonce */

static uint32_t rotate(uint32_t value, unsigned by)
{
	return value << by | value >> (32 - by);
}

static void quarter(uint32_t *x, unsigned a, unsigned b, unsigned c, unsigned d)
{
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 7);
}

/* The next 64 bytes of the stream. */
static void block(uint32_t out[16])
{
	memcpy(out, state, sizeof(state));
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < 4; i++)
			quarter(out, i, i + 4, i + 8, i + 12);
		for (unsigned i = 0; i < 4; i++)
			quarter(out, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
	}
	for (unsigned i = 0; i < 16; i++)
		out[i] += state[i];
	if (++state[12] == 0)
		state[13]++;
}

static void make_key(void)
{
	static const char constants[16] = "expand 32-byte k";
	uint64_t word;

	memcpy(state, constants, sizeof(constants));
	if (cpuid_is_visor() && cpuid_has(CPUID_VISOR_EXACT))
		return;
	state[4] = (uint32_t)clock_real_ns();
	state[5] = (uint32_t)rdtsc();
	for (unsigned i = 0; i < 4; i++) {
		if (!cpuid_has(CPUID_RDRAND) || !rdrand(&word))
			continue;
		state[4 + 2 * i] ^= (uint32_t)word;
		state[5 + 2 * i] ^= (uint32_t)(word >> 32);
	}
}

void random_bytes(void *to, size_t bytes)
{
	uint32_t out[16];

	if (!state[0])
		make_key();
	for (size_t done = 0; done < bytes; done += sizeof(out)) {
		block(out);
		memcpy((char *)to + done, out,
		       bytes - done < sizeof(out) ? bytes - done : sizeof(out));
	}
}

#define PAUSE_BYTES (64ul << 10) /* that are made without a pause */

long random_to_user(uint64_t user, size_t bytes)
{
	uint8_t piece[256];
	size_t copied;

	for (size_t done = 0; done < bytes; done += sizeof(piece)) {
		size_t length = bytes - done < sizeof(piece) ? bytes - done : sizeof(piece);

		if (done % PAUSE_BYTES == 0 && done)
			sched_pause();
		if (done && signal_pending(current_task()))
			return (long)done;
		random_bytes(piece, length);
		copied = copy_some_to_user(user + done, piece, length);
		if (copied < length)
			return done + copied ? (long)(done + copied) : -EFAULT;
	}
	return (long)bytes;
}
