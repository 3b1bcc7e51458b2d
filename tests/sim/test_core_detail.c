/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampled windows of the pipeline: their cycles are near the whole run's cycles, or equal. */
#include "tests/sim/fake_guest.h"

#define ROUNDS 300000
#define DATA   0x100000
#define WORDS  (1u << 16) /* half a MiB: more than L2 has */
#define NEAR   100        /* an error of one part in this is allowed */
#define LOOP   0x1000
#define INSNS  6 /* of a round */

/* mov rax, [rsi]; add rbx, rax; imul rbx, rbx; test al, 1; jz +2 */
static const uint8_t head[] = {0x48, 0x8b, 0x06, 0x48, 0x01, 0xc3, 0x48,
			       0x0f, 0xaf, 0xdb, 0xa8, 0x01, 0x74, 0x02};
/* jmp to another block's begin, two of them */
static const uint8_t odd[] = {0xeb, 0xf0}, even[] = {0xeb, 0xee};

struct loop {
	struct guest guest;
	struct code_block *head, *odd, *even;
	uint64_t random;
};

static void loop_begin(struct loop *loop, const char *core)
{
	guest_begin(&loop->guest, core);
	loop->guest.page.details = false;
	loop->head = guest_block(&loop->guest, head, sizeof(head), LOOP);
	loop->odd = guest_block(&loop->guest, odd, sizeof(odd), loop->head->end);
	loop->even = guest_block(&loop->guest, even, sizeof(even), loop->odd->end);
	loop->random = 1;
}

static void loop_end(struct loop *loop)
{
	guest_free_block(loop->head);
	guest_free_block(loop->odd);
	guest_free_block(loop->even);
	guest_end(&loop->guest);
}

/* Most loads hit, and most branches go one way. Returns whether a watch has run out. */
static bool run(struct loop *loop, unsigned rounds)
{
	bool stops = false;

	for (unsigned i = 0; i < rounds; i++) {
		uint64_t any = test_random(&loop->random);
		uint64_t word = any >> 8 & 7 ? any % 512 : any % WORDS;

		stops |= core_block(loop->guest.core, loop->head);
		guest_access(&loop->guest, loop->head, 0, DATA + word * 8, false);
		stops |= core_block(loop->guest.core, any >> 40 & 7 ? loop->odd : loop->even);
	}
	return stops;
}

static uint64_t count(struct loop *loop, enum core_quantity quantity)
{
	loop->guest.page.end = CORE_STOPPED_BETWEEN;
	return guest_count_at(&loop->guest, LOOP, CORE_RING_USER, quantity);
}

/* Returns the cycles of `rounds` rounds on that core. */
static uint64_t cycles_of(const char *core, unsigned rounds, const struct core_processor *page)
{
	struct loop loop;
	uint64_t cycles;

	loop_begin(&loop, core);
	if (page)
		loop.guest.page = *page;
	run(&loop, rounds);
	cycles = count(&loop, CORE_CYCLES);
	assert_int_equal(loop.guest.counts[CORE_RING_USER][CORE_INSTRUCTIONS],
			 (uint64_t)rounds * INSNS);
	loop_end(&loop);
	return cycles;
}

static void test_windows(void **state)
{
	static const char *const cores[] = {"skylake", "zen4"};
	char whole[64];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t sampled = cycles_of(cores[i], ROUNDS, NULL), exact;

		snprintf(whole, sizeof(whole), "%s,detail=pipeline", cores[i]);
		exact = cycles_of(whole, ROUNDS, NULL);
		assert_in_range(sampled, exact - exact / NEAR, exact + exact / NEAR);
		assert_int_not_equal(sampled, exact);
		assert_int_equal(cycles_of(cores[i], ROUNDS, NULL), sampled);
	}
}

/* Returns the cycles of ROUNDS rounds in ring 0. boots: windows are sampled. */
static uint64_t kernel_cycles(const char *core, bool boots)
{
	struct loop loop;
	uint64_t cycles;

	loop_begin(&loop, core);
	if (boots)
		core_sample_kernel(loop.guest.core);
	loop.guest.page.ring = CORE_RING_KERNEL;
	run(&loop, ROUNDS);
	loop.guest.page.end = CORE_STOPPED_BETWEEN;
	cycles = guest_count_at(&loop.guest, LOOP, CORE_RING_KERNEL, CORE_CYCLES);
	loop_end(&loop);
	return cycles;
}

/* A kernel below a program is simulated whole, one that boots in windows. */
static void test_kernel(void **state)
{
	uint64_t exact = kernel_cycles("skylake,detail=pipeline", false),
		 sampled = kernel_cycles("skylake", true);

	(void)state;
	assert_int_equal(kernel_cycles("skylake", false), exact);
	assert_int_not_equal(sampled, exact);
	assert_in_range(sampled, exact - exact / NEAR, exact + exact / NEAR);
}

/* A run that is shorter than the first phase is whole, as is one in which details are counted or
 * samples taken. */
static void test_exact(void **state)
{
	static const struct core_processor counts = {
	    .counting = true, .ring = CORE_RING_USER, .end = CORE_STOPPED_AT};
	struct core_processor details = counts, sampled = counts;
	uint64_t exact = cycles_of("skylake,detail=pipeline", ROUNDS, NULL);

	(void)state;
	details.details = true;
	sampled.nr_watches = 1;
	sampled.watches[0] = (struct core_watch){
	    .left = 50000, .terms = {CORE_CYCLES}, .rings = 1 << CORE_RING_USER};
	assert_int_equal(cycles_of("skylake", ROUNDS, &details), exact);
	assert_int_equal(cycles_of("skylake", ROUNDS, &sampled), exact);
	assert_int_equal(cycles_of("skylake", 100000, NULL),
			 cycles_of("skylake,detail=pipeline", 100000, NULL));
}

/* After each entry and each look at the clock the pipeline is simulated again: short parts of a
 * long run are exact. */
static void test_looks(void **state)
{
	struct loop sampled, whole;

	(void)state;
	loop_begin(&sampled, "skylake");
	loop_begin(&whole, "skylake,detail=pipeline");
	for (unsigned i = 0; i < 8; i++) {
		run(&sampled, ROUNDS / 8);
		run(&whole, ROUNDS / 8);
		if (i % 2) {
			assert_int_equal(count(&sampled, CORE_CYCLES), count(&whole, CORE_CYCLES));
		} else {
			core_look_at_clock(sampled.guest.core);
			core_look_at_clock(whole.guest.core);
		}
	}
	loop_end(&sampled);
	loop_end(&whole);
}

/* As an NMI after a watch has run out: the guest leaves, and the kernel runs a block. */
static void answer(struct loop *loop)
{
	count(loop, CORE_CYCLES);
	loop->guest.page.ring = CORE_RING_KERNEL;
	core_block(loop->guest.core, loop->odd);
	count(loop, CORE_CYCLES);
	loop->guest.page.ring = CORE_RING_USER;
}

/* Windows continue after samples, if these are far apart. */
static void test_samples(void **state)
{
	struct loop sampled;
	uint64_t exact = cycles_of("skylake,detail=pipeline", ROUNDS, NULL);
	unsigned stops = 0;

	(void)state;
	loop_begin(&sampled, "skylake");
	sampled.guest.page.nr_watches = 1;
	sampled.guest.page.watches[0] = (struct core_watch){
	    .left = 200000, .terms = {CORE_CYCLES}, .rings = 1 << CORE_RING_USER};
	for (unsigned i = 0; i < ROUNDS; i++)
		if (run(&sampled, 1)) {
			answer(&sampled);
			stops++;
		}
	assert_in_range(count(&sampled, CORE_CYCLES), exact - exact / NEAR, exact + exact / NEAR);
	assert_in_range(stops, exact / 200000 - 2, exact / 200000);
	assert_in_range(sampled.guest.page.error, 1, 20000);
	loop_end(&sampled);
}

static void test_functional(void **state)
{
	static const enum core_quantity quantities[] = {CORE_BRANCHES, CORE_MISPREDICTED,
							CORE_L1D_LOAD_MISSES, CORE_L2_LOAD_MISSES};
	struct loop light, whole;

	(void)state;
	loop_begin(&light, "skylake,detail=functional");
	loop_begin(&whole, "skylake,detail=pipeline");
	run(&light, ROUNDS);
	run(&whole, ROUNDS);
	assert_int_equal(count(&light, CORE_CYCLES), ROUNDS * INSNS);
	count(&whole, CORE_CYCLES);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t exact = whole.guest.counts[CORE_RING_USER][quantities[i]];

		assert_in_range(light.guest.counts[CORE_RING_USER][quantities[i]],
				exact - exact / NEAR, exact + exact / NEAR);
	}
	loop_end(&light);
	loop_end(&whole);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_windows), cmocka_unit_test(test_kernel),
	    cmocka_unit_test(test_exact),   cmocka_unit_test(test_looks),
	    cmocka_unit_test(test_samples), cmocka_unit_test(test_functional),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
