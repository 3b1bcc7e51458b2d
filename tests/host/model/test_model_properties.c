/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties that hold for every configuration of the model, tried on random ones; the sequence is
 * fixed. */
#include <string.h>

#include "tests/host/model/model_test.h"

#define ROUNDS 20000

static const uint64_t events[] = {CYCLES,   INSTRUCTIONS, REF_CYCLES, LLC_REF, LLC_MISS,
				  BRANCHES, BRANCH_MISS,  0x0f40,     0x1282,  0x81d0,
				  0x0e85,   0x010e,       0x01b7,     0x00ff};

struct shape {
	const char *name;
	unsigned general, fixed, width;
	uint64_t select_bits, fixed_bits;
};

static const struct shape shapes[] = {
    {"intel-v2", 2, 3, 40, 0xffd80000, 0xbbb},
    {"intel-v4", 8, 3, 48, 0xfff00000, 0xfff},
};

/* A counter value: most are near the end, some anywhere. */
static uint64_t any_value(uint64_t *seed, unsigned width)
{
	uint64_t mask = (1ull << width) - 1;

	return (below(seed, 8) ? -(1 + below(seed, 1ull << below(seed, 20))) : random64(seed)) &
	       mask;
}

static void configure(struct model *m, const struct shape *shape, uint64_t *seed)
{
	reset(m, shape->name);
	for (unsigned i = 0; i < shape->general; i++) {
		uint64_t select =
		    events[below(seed, sizeof(events) / sizeof(events[0]))] | EN * !!below(seed, 4);

		select |= below(seed, 4) * USR; /* any of USR, OS, both, none */
		select |= (INT | ANY) & random64(seed) & shape->select_bits;
		if (!below(seed, 3))
			select |= random64(seed) & shape->select_bits & (EDGE | INV | CMASK(3));
		wr(m, IA32_PERFEVTSEL0 + i, select);
		wr(m, IA32_PMC0 + i, any_value(seed, shape->width));
	}
	for (unsigned i = 0; i < shape->fixed; i++)
		wr(m, IA32_FIXED_CTR0 + i, any_value(seed, shape->width));
	wr(m, IA32_FIXED_CTR_CTRL, random64(seed) & shape->fixed_bits);
	wr(m, IA32_GLOBAL_CTRL, random64(seed) & (7ull << 32 | ((1u << shape->general) - 1)));
	if (shape->general == 8)
		wr(m, MSR_OFFCORE_RSP_0, random64(seed) & 0x3fffff8fff);
	/* Leave the fractions somewhere in the middle. */
	retire(m, MODEL_USER, below(seed, 100));
	retire(m, MODEL_KERNEL, below(seed, 100));
	model_take_pmi(m);
}

static enum model_ring any_ring(uint64_t *seed)
{
	return below(seed, 2) ? MODEL_USER : MODEL_KERNEL;
}

/* Work may be cut into any pieces: the state after them is the same. */
static void test_slicing(void **state)
{
	uint64_t seed = 1;
	struct model whole, cut;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t total = below(&seed, 1ull << below(&seed, 32)), left = total;
		enum model_ring ring = any_ring(&seed);

		configure(&whole, &shapes[round & 1], &seed);
		memcpy(&cut, &whole, sizeof(cut));
		retire(&whole, ring, total);
		for (unsigned piece = 0; piece < 5; piece++) {
			uint64_t n = below(&seed, left + 1);

			retire(&cut, ring, n);
			left -= n;
		}
		retire(&cut, ring, left);
		assert_memory_equal(&whole, &cut, sizeof(cut));
	}
}

/* One instruction before until_overflow() nothing interrupts, with it something does. */
static void test_until_overflow(void **state)
{
	uint64_t seed = 2;
	unsigned reached = 0;
	struct model m;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		enum model_ring ring = any_ring(&seed);
		uint64_t n;

		configure(&m, &shapes[round & 1], &seed);
		n = model_until_overflow(&m, ring, false);
		if (n == MODEL_NEVER) {
			retire(&m, ring, 1ull << 50);
			assert_false(model_take_pmi(&m));
			continue;
		}
		reached++;
		assert_true(n > 0);
		retire(&m, ring, n - 1);
		assert_false(model_take_pmi(&m));
		retire(&m, ring, 1);
		assert_true(model_take_pmi(&m));
	}
	assert_true(reached > ROUNDS / 4); /* the configurations are not all idle */
}

/* With both rings the answer is safe for every mixture, and never later than the first of
 * either. */
static void test_until_overflow_both_rings(void **state)
{
	uint64_t seed = 3;
	struct model m;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t both, user, kernel;

		configure(&m, &shapes[round & 1], &seed);
		both = model_until_overflow(&m, MODEL_USER | MODEL_KERNEL, false);
		user = model_until_overflow(&m, MODEL_USER, false);
		kernel = model_until_overflow(&m, MODEL_KERNEL, false);
		assert_int_equal(both, user < kernel ? user : kernel);
		for (uint64_t left = both == MODEL_NEVER ? 1000 : both - 1; left;) {
			uint64_t n = 1 + below(&seed, left);

			retire(&m, any_ring(&seed), n);
			left -= n;
		}
		assert_false(model_take_pmi(&m));
	}
}

/* Known branches, at most one an instruction, never wrap before the exact answer. */
static void test_until_overflow_exact(void **state)
{
	uint64_t seed = 4;
	struct model m;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct model_work work = {.ring = any_ring(&seed), .exact = true};
		uint64_t n;

		configure(&m, &shapes[round & 1], &seed);
		n = model_until_overflow(&m, work.ring, true);
		assert_true(n > 0);
		work.instructions = n == MODEL_NEVER ? 1000 : n - 1;
		work.branches = below(&seed, work.instructions + 1);
		work.mispredicts = below(&seed, work.branches + 1);
		model_retire(&m, &work);
		assert_false(model_take_pmi(&m));
	}
}

/* Random writes of any value to any register leave a machine that only faults or obeys, and in
 * which no disabled counter counts. */
static void test_any_access(void **state)
{
	static const uint32_t bases[] = {0xc0,  0x186, 0x1a0, 0x1d8, 0x308,
					 0x344, 0x38c, 0x390, 0x4c0};
	uint64_t seed = 5, value;
	struct model m;

	(void)state;
	for (unsigned p = 0; personality_at(p); p++) {
		model_reset(&m, personality_at(p));
		for (unsigned round = 0; round < ROUNDS; round++) {
			uint32_t msr = bases[below(&seed, 9)] + below(&seed, 10);
			uint64_t written = random64(&seed) & random64(&seed) >> below(&seed, 64);
			enum model_result wrote = model_wrmsr(&m, msr, written),
					  read = model_rdmsr(&m, msr, &value);

			assert_true(wrote == MODEL_NOT_PMU ? read == MODEL_NOT_PMU
							   : read != MODEL_NOT_PMU);
			retire(&m, any_ring(&seed), below(&seed, 1000));
			model_take_pmi(&m);
			if (!p) {
				assert_false(model_counts(&m)); /* "none" */
				assert_int_equal(model_until_overflow(&m, MODEL_USER, false),
						 MODEL_NEVER);
			}
		}
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slicing),
    cmocka_unit_test(test_until_overflow),
    cmocka_unit_test(test_until_overflow_both_rings),
    cmocka_unit_test(test_until_overflow_exact),
    cmocka_unit_test(test_any_access),
};

TAP_MAIN("model: properties")
