/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU model as a guest drives it: any register, any value, any work, on every personality; what
 * it refuses changes nothing. */
#include <stdbool.h>
#include "tests/harness/bytes.h"
#include "emulator/visor/model/model.h"
#include "emulator/visor/model/base/model_state.h"

static struct model model;

/* Registers that are the PMU's for some personality, and at times any. */
static uint32_t some_msr(struct bytes *in)
{
	static const uint32_t bases[] = {
	    0xc1,       0x186,      0x309, 0x38d,  0x38e,      0x38f,      0x390,
	    0x391,      0x392,      0x3f1, 0x3f6,  0x600,      0x1c8,      0x1d9,
	    0x680,      0x6c0,      0x1c9, 0x4c1,  0xc0010000, 0xc0010004, 0xc0010200,
	    0xc0000300, 0xc0000302, 0x345, 0x14ce, 0x1a6,      0x10a};
	unsigned base = take_one_of(in, sizeof(bases) / sizeof(*bases) + 1);

	if (base == sizeof(bases) / sizeof(*bases))
		return (uint32_t)take(in, 4);
	return bases[base] + take_one_of(in, 16);
}

static void write_register(struct bytes *in)
{
	uint32_t msr = some_msr(in);
	uint64_t value = take(in, 8);
	enum model_result foreseen = model_wrmsr_check(&model, msr, value);
	struct model before = model;

	if (model_wrmsr(&model, msr, value) != foreseen)
		__builtin_trap();
	if (foreseen != MODEL_OK && memcmp(&before, &model, sizeof(model)))
		__builtin_trap();
}

static void read_register(struct bytes *in)
{
	uint64_t value;

	if (take_one_of(in, 2))
		model_rdmsr(&model, some_msr(in), &value);
	else
		model_rdpmc(&model, (uint32_t)take(in, 4), &value);
}

static void query_cpuid(struct bytes *in)
{
	uint32_t regs[4] = {0};

	model_cpuid(&model, (uint32_t)take(in, 1) | (uint32_t)take_one_of(in, 2) << 31,
		    (uint32_t)take(in, 1), regs);
}

static void retire(struct bytes *in)
{
	enum model_ring ring = take_one_of(in, 2) ? MODEL_USER : MODEL_KERNEL;
	uint64_t most = model_until_overflow(&model, ring, false);
	struct model_work work = {.ring = ring, .instructions = take(in, 4)};

	if (!most)
		__builtin_trap();
	if (work.instructions > most)
		work.instructions = most;
	model_retire(&model, &work);
	model_take_pmi(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const steps[])(struct bytes * in) = {write_register, write_register,
							   read_register, query_cpuid, retire};
	struct bytes in = {data, size};
	const struct personality *personality = personality_at(take_one_of(&in, 12));

	if (!personality)
		return 0;
	memset(&model, 0, sizeof(model));
	model_reset(&model, personality);
	while (in.left)
		steps[take_one_of(&in, sizeof(steps) / sizeof(*steps))](&in);
	return 0;
}
