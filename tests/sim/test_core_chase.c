/* SPDX-License-Identifier: BSD-2-Clause */
/* Chases and streams through a whole core: what a load costs at each level, however many of them a
 * block of instructions has. */
#include "tests/sim/fake_guest.h"

#define LINE       64
#define MOST_STEPS 10000

static const uint8_t load[] = {0x48, 0x8b, 0x00}; /* MOV RAX, [RAX] */
/* MOV RAX, [RAX]; MOV RBX, [RBX] */
static const uint8_t two_chains[] = {0x48, 0x8b, 0x00, 0x48, 0x8b, 0x1b};
/* MOV RCX, [RAX + 8]; MOV RAX, [RAX] */
static const uint8_t field_first[] = {0x48, 0x8b, 0x48, 0x08, 0x48, 0x8b, 0x00};
static const uint8_t loop[] = {0xff, 0xcd, 0x0f, 0x85}; /* DEC EBP; JNE, 4 bytes follow */

struct chase {
	struct guest guest;
	struct code_block *block;
	uint32_t *next; /* by line: the one after it */
	uint64_t lines, at;
};

/* A cycle through all lines by chance (Sattolo's way). */
static void shuffle(struct chase *chase, uint64_t lines)
{
	uint64_t random = 88172645463325252;

	chase->lines = lines;
	chase->next = calloc(lines, sizeof(*chase->next));
	for (uint64_t i = 0; i < lines; i++)
		chase->next[i] = (uint32_t)i;
	for (uint64_t i = lines - 1; i; i--) {
		uint64_t other = test_random(&random) % i;
		uint32_t line = chase->next[i];

		chase->next[i] = chase->next[other];
		chase->next[other] = line;
	}
}

/* A loop's block: `unrolled` times what one step is, and the branch back. */
static struct code_block *loop_of(struct guest *guest, const uint8_t *step, size_t bytes,
				  unsigned unrolled)
{
	uint8_t code[512];
	size_t size = 0;
	int32_t back;

	for (unsigned i = 0; i < unrolled; i++, size += bytes)
		memcpy(code + size, step, bytes);
	memcpy(code + size, loop, sizeof(loop));
	size += sizeof(loop) + sizeof(back);
	back = -(int32_t)size;
	memcpy(code + size - sizeof(back), &back, sizeof(back));
	return guest_block(guest, code, size, 0x400000);
}

static void chase_begin(struct chase *chase, const char *core, uint64_t bytes, unsigned unrolled)
{
	guest_begin(&chase->guest, core);
	shuffle(chase, bytes / LINE);
	chase->at = 0;
	chase->block = loop_of(&chase->guest, load, sizeof(load), unrolled);
}

static void chase_end(struct chase *chase)
{
	guest_free_block(chase->block);
	free(chase->next);
	guest_end(&chase->guest);
}

static void chase_rounds(struct chase *chase, uint64_t steps, unsigned unrolled)
{
	for (uint64_t step = 0; step < steps; step += unrolled) {
		core_block(chase->guest.core, chase->block);
		for (unsigned i = 0; i < unrolled; i++) {
			guest_access(&chase->guest, chase->block, i,
				     0x10000000 + (uint64_t)chase->next[chase->at] * LINE, false);
			chase->at = chase->next[chase->at];
		}
	}
}

/* Cycles a step when all lines were visited before. */
static double chase_of(const char *core, uint64_t bytes, unsigned unrolled)
{
	uint64_t before, after, steps = bytes / LINE < MOST_STEPS ? bytes / LINE : MOST_STEPS;
	struct chase chase;

	steps += unrolled - steps % unrolled;
	chase_begin(&chase, core, bytes, unrolled);
	/* Memory larger than the last level also misses the first time. */
	if (bytes < chase.guest.config.memory.l3.size)
		chase_rounds(&chase, bytes / LINE * 2, unrolled);
	before = guest_count(&chase.guest, chase.block, CORE_RING_USER, CORE_CYCLES);
	chase_rounds(&chase, steps, unrolled);
	after = guest_count(&chase.guest, chase.block, CORE_RING_USER, CORE_CYCLES);
	chase_end(&chase);
	return (double)(after - before) / (double)steps;
}

static void assert_within(double value, double expected, const char *what)
{
	print_message("# %-48s %7.1f (%5.1f)\n", what, value, expected);
	if (value < expected * 0.9 || value > expected * 1.1)
		fail_msg("%s: %.1f is not within 10%% of %.1f", what, value, expected);
}

/* The tables' latencies of each level, without TLBs and prefetchers, which add their own. */
static void levels_cost_what_the_table_says(void **state)
{
	static const char *const cores[] = {"skylake", "zen2"};
	static const unsigned unrolled[] = {1, 8, 100};

	(void)state;
	for (unsigned c = 0; c < sizeof(cores) / sizeof(*cores); c++)
		for (unsigned u = 0; u < sizeof(unrolled) / sizeof(*unrolled); u++) {
			char text[64], what[64];
			struct memory_config memory;

			sprintf(text, "%s,prefetch=off,tlb=off", cores[c]);
			memory = test_core(text).memory;
			const struct {
				uint64_t bytes;
				double latency;
			} levels[] = {{16 << 10, memory.l1d.latency},
				      {memory.l2.size / 2, memory.l2.latency},
				      {memory.l3.size / 4, memory.l3.latency},
				      {memory.l3.size * 4ULL, memory.memory_latency}};
			for (unsigned i = 0; i < 4; i++) {
				sprintf(what, "%s, %u KiB, %u a block", cores[c],
					(unsigned)(levels[i].bytes >> 10), unrolled[u]);
				assert_within(chase_of(text, levels[i].bytes, unrolled[u]),
					      levels[i].latency, what);
			}
		}
}

/* Cycles a step of which two loads miss everything. same: both have one line. */
static double pairs(const uint8_t *step, size_t bytes, unsigned unrolled, bool same)
{
	enum { STEPS = 8000 };
	uint64_t address = 1ULL << 32, cycles;
	struct code_block *block;
	struct guest guest;

	guest_begin(&guest, "skylake,prefetch=off,tlb=off");
	block = loop_of(&guest, step, bytes, unrolled);
	for (unsigned i = 0; i < STEPS; i++, address += 2 * LINE) {
		if (i % unrolled == 0)
			core_block(guest.core, block);
		guest_access(&guest, block, i % unrolled * 2, address + (same ? 8 : LINE), false);
		guest_access(&guest, block, i % unrolled * 2 + 1, address, false);
	}
	cycles = guest_count(&guest, block, CORE_RING_USER, CORE_CYCLES);
	guest_free_block(block);
	guest_end(&guest);
	return (double)cycles / STEPS;
}

/* Chains that know nothing of each other overlap, in one block as in many. */
static void two_chains_take_the_time_of_one(void **state)
{
	(void)state;
	for (unsigned unrolled = 1; unrolled <= 32; unrolled *= 4)
		assert_within(pairs(two_chains, sizeof(two_chains), unrolled, false), 246,
			      "two chains");
}

/* A load of a line in flight has it when it arrives, and not before. */
static void a_line_on_its_way_is_waited_for(void **state)
{
	(void)state;
	for (unsigned unrolled = 1; unrolled <= 32; unrolled *= 4)
		assert_within(pairs(field_first, sizeof(field_first), unrolled, true), 246,
			      "a chase whose line was asked for just before");
}

struct warm {
	uint64_t before, misses, wrong, cycles;
};

/* Counts a chase through a quarter of L2, after rounds that are counted or not. */
static struct warm behind_rounds(bool counted)
{
	struct warm warm;
	struct chase chase;
	struct guest *guest = &chase.guest;

	chase_begin(&chase, "skylake", 64 << 10, 1);
	guest->page.counting = guest->page.details = counted;
	chase_rounds(&chase, chase.lines * 4, 1);
	warm.before = guest_count(guest, chase.block, CORE_RING_USER, CORE_CYCLES);
	guest->page.counting = guest->page.details = true;
	memset(guest->counts, 0, sizeof(guest->counts));
	chase_rounds(&chase, chase.lines * 4, 1);
	warm.cycles = guest_count(guest, chase.block, CORE_RING_USER, CORE_CYCLES);
	warm.misses = guest->counts[CORE_RING_USER][CORE_L1D_LOAD_MISSES];
	warm.wrong = guest->counts[CORE_RING_USER][CORE_MISPREDICTED];
	chase_end(&chase);
	return warm;
}

/* While nothing is counted, the pipeline is not simulated and an instruction is a cycle; caches
 * and predictor are as warm as after counted rounds. */
static void what_nobody_counts_warms_alone(void **state)
{
	struct warm counted = behind_rounds(true), uncounted = behind_rounds(false);

	(void)state;
	assert_int_equal(uncounted.before, (64 << 10) / LINE * 4 * 3);
	assert_true(counted.before > 2 * uncounted.before);
	assert_true(counted.misses > (64 << 10) / LINE);
	assert_int_equal(uncounted.misses, counted.misses);
	assert_int_equal(uncounted.wrong, counted.wrong);
	assert_within((double)uncounted.cycles, (double)counted.cycles,
		      "cycles of what is counted");
}

/* MOV RAX, [RSI]; MOV [RDI], RAX; ADD RSI, 64; ADD RDI, 64 */
static const uint8_t copy[] = {0x48, 0x8b, 0x06, 0x48, 0x89, 0x07, 0x48,
			       0x83, 0xc6, 0x40, 0x48, 0x83, 0xc7, 0x40};
static const uint8_t read_only[] = {0x48, 0x8b, 0x06, 0x48, 0x83, 0xc6, 0x40};

/* Cycles a line of a walk through more than the caches hold, by several rounds. */
static double walk(const char *core, const uint8_t *step, size_t bytes, bool stores)
{
	enum { LINES = 1 << 16 };
	uint64_t before = 0, after;
	struct code_block *block;
	struct guest guest;

	guest_begin(&guest, core);
	block = loop_of(&guest, step, bytes, 1);
	for (uint64_t i = 0; i < 3 * LINES / 2; i++) {
		uint64_t from = (1ULL << 32) + i % LINES * LINE;

		if (i == LINES)
			before = guest_count(&guest, block, CORE_RING_USER, CORE_CYCLES);
		core_block(guest.core, block);
		guest_access(&guest, block, 0, from, false);
		if (stores)
			guest_access(&guest, block, 1, from + (1ULL << 31), true);
	}
	after = guest_count(&guest, block, CORE_RING_USER, CORE_CYCLES);
	guest_free_block(block);
	guest_end(&guest);
	return (double)(after - before) / (LINES / 2);
}

/* Memory sends a line in memory_gap cycles. A copy takes three of them: a line that is read, one
 * that the store takes, and one that leaves changed (J. McCalpin, STREAM: stores read first). */
static void write_backs_take_bandwidth(void **state)
{
	static const char *const cores[] = {"skylake,l3=1M/16", "zen2,l3=1M/16", "core2,l2=1M/16"};

	(void)state;
	for (unsigned i = 0; i < sizeof(cores) / sizeof(*cores); i++) {
		double gap = test_core(cores[i]).memory.memory_gap;

		assert_within(walk(cores[i], read_only, sizeof(read_only), false), gap, "a read");
		assert_within(walk(cores[i], copy, sizeof(copy), true), 3 * gap, "a copy");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(levels_cost_what_the_table_says),
	    cmocka_unit_test(two_chains_take_the_time_of_one),
	    cmocka_unit_test(a_line_on_its_way_is_waited_for),
	    cmocka_unit_test(what_nobody_counts_warms_alone),
	    cmocka_unit_test(write_backs_take_bandwidth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
