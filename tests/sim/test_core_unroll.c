/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of accesses through a whole core: a line takes as many cycles, however many of them a
 * block of instructions has. */
#include "tests/sim/fake_guest.h"

#define LINE          64
#define PIECE         8 /* bytes of a vector that QEMU accesses at once */
#define ACCESSES      2
#define WARM_WALKS    2
#define STEPS         4096
#define MOST_UNROLLED 16
#define TOLERANCE     1.1

static const uint8_t loop[] = {0xff, 0xcd, 0x0f, 0x85}; /* DEC EBP; JNE, 4 bytes follow */

/* An access of a step: by its n-th instruction, to the step's line or to a second stream. */
struct step_access {
	uint8_t insn, offset, size;
	bool store, second;
};

/* A step's code for one line, ended by additions to its pointers. */
struct kind {
	const char *name;
	uint8_t bytes, insns, code[32];
	struct step_access access[ACCESSES];
	unsigned accesses;
	bool random; /* lines in random order */
};

/* The places where the lines are: how many, and whether no walk was there before. */
enum { PLACE_L1D, PLACE_L2, PLACE_L3, PLACE_MEMORY, PLACES };

static const struct place {
	const char *name;
	uint64_t lines;
	bool cold;
} places[PLACES] = {
    [PLACE_L1D] = {"L1D", 128, false},
    [PLACE_L2] = {"L2", 1024, false},
    [PLACE_L3] = {"L3", 4096, false},
    [PLACE_MEMORY] = {"memory", STEPS, true},
};

#define ADD_RSI 0x48, 0x83, 0xc6, 0x40
#define ADD_RDI 0x48, 0x83, 0xc7, 0x40

/* clang-format off */
static const struct kind kinds[] = {
    {"loads", 7, 2, {0x48, 0x8b, 0x06, ADD_RSI}, {{0, 0, 8, false, false}}, 1, false},
    {"loads of random lines", 7, 2, {0x48, 0x8b, 0x06, ADD_RSI}, {{0, 0, 8, false, false}}, 1, true},
    {"loads of YMM", 13, 3, {0xc5, 0xfe, 0x6f, 0x06, 0xc5, 0xfe, 0x6f, 0x4e, 0x20, ADD_RSI},
     {{0, 0, 32, false, false}, {1, 32, 32, false, false}}, 2, false},
    {"stores", 7, 2, {0x48, 0x89, 0x07, ADD_RDI}, {{0, 0, 8, true, false}}, 1, false},
    {"stores to random lines", 7, 2, {0x48, 0x89, 0x07, ADD_RDI}, {{0, 0, 8, true, false}}, 1, true},
    {"stores of YMM", 13, 3, {0xc5, 0xfe, 0x7f, 0x07, 0xc5, 0xfe, 0x7f, 0x47, 0x20, ADD_RDI},
     {{0, 0, 32, true, false}, {1, 32, 32, true, false}}, 2, false},
    {"stores that pass the caches by", 13, 3,
     {0xc5, 0xfd, 0xe7, 0x07, 0xc5, 0xfd, 0xe7, 0x47, 0x20, ADD_RDI},
     {{0, 0, 32, true, false}, {1, 32, 32, true, false}}, 2, false},
    {"copies", 14, 4, {0x48, 0x8b, 0x06, 0x48, 0x89, 0x07, ADD_RSI, ADD_RDI},
     {{0, 0, 8, false, false}, {1, 0, 8, true, true}}, 2, false},
    {"additions in memory", 8, 2, {0x48, 0x83, 0x07, 0x01, ADD_RDI},
     {{0, 0, 8, false, false}, {0, 0, 8, true, false}}, 2, false},
    {"loads over a line's end", 8, 2, {0x48, 0x8b, 0x46, 0x3c, ADD_RSI}, {{0, 60, 8, false, false}}, 1, false},
    {"stores over a line's end", 8, 2, {0x48, 0x89, 0x47, 0x3c, ADD_RDI}, {{0, 60, 8, true, false}}, 1, false},
    {"stores and loads of their bytes", 10, 3, {0x48, 0x89, 0x07, 0x48, 0x8b, 0x1f, ADD_RDI},
     {{0, 0, 8, true, false}, {1, 0, 8, false, false}}, 2, false},
    {"stores and loads in a chain", 10, 3, {0x48, 0x89, 0x07, 0x48, 0x8b, 0x07, ADD_RDI},
     {{0, 0, 8, true, false}, {1, 0, 8, false, false}}, 2, false},
};
/* clang-format on */

static struct code_block *loop_of(struct guest *guest, const struct kind *kind, unsigned unrolled)
{
	uint8_t code[512];
	size_t size = 0;
	int32_t back;

	for (unsigned i = 0; i < unrolled; i++, size += kind->bytes)
		memcpy(code + size, kind->code, kind->bytes);
	memcpy(code + size, loop, sizeof(loop));
	size += sizeof(loop) + sizeof(back);
	back = -(int32_t)size;
	memcpy(code + size - sizeof(back), &back, sizeof(back));
	return guest_block(guest, code, size, 0x400000);
}

/* The n-th step of a block works on that line. */
static void run_step(struct guest *guest, struct code_block *block, const struct kind *kind,
		     unsigned n, uint64_t line)
{
	for (unsigned i = 0; i < kind->accesses; i++) {
		const struct step_access *access = &kind->access[i];
		uint64_t address = (1ULL << 32) + line * LINE + access->offset +
				   (access->second ? (1ULL << 31) + 62 * LINE : 0);

		for (unsigned at = 0; at < access->size; at += PIECE)
			core_access(guest->core, &block->insn[n * kind->insns + access->insn],
				    address + at, address + at, PIECE, access->store);
	}
}

/* Cycles a line of walks through the lines: of the first walk, or of later ones. */
static double cycles_of(const char *core, const struct kind *kind, unsigned unrolled,
			const struct place *place)
{
	uint64_t warm = place->cold ? 0 : WARM_WALKS * place->lines, before = 0, after;
	uint64_t random = 88172645463325252;
	struct code_block *block;
	struct guest guest;

	guest_begin(&guest, core);
	block = loop_of(&guest, kind, unrolled);
	for (uint64_t i = 0; i < warm + STEPS; i++) {
		if (i == warm)
			before = guest_count(&guest, block, CORE_RING_USER, CORE_CYCLES);
		if (i % unrolled == 0)
			core_block(guest.core, block);
		run_step(&guest, block, kind, i % unrolled,
			 kind->random && i >= warm ? test_random(&random) % place->lines
						   : i % place->lines);
	}
	after = guest_count(&guest, block, CORE_RING_USER, CORE_CYCLES);
	guest_free_block(block);
	guest_end(&guest);
	return (double)(after - before) / STEPS;
}

/* A block's own branch takes at most a cycle, which is not the lines'. */
static void assert_equal_by_unroll(const char *core, const struct kind *kind,
				   const struct place *place)
{
	double first = cycles_of(core, kind, MOST_UNROLLED, place);

	print_message("# %-8.7s %-32s %-7s %6.2f", core, kind->name, place->name, first);
	for (unsigned unrolled = MOST_UNROLLED / 4; unrolled; unrolled /= 4) {
		double cycles = cycles_of(core, kind, unrolled, place);

		print_message(" %6.2f", cycles);
		if (cycles < first / TOLERANCE || cycles > first * TOLERANCE + 0.3 / unrolled)
			fail_msg("%s, %s: %.2f cycles a line, %u in a block; %.2f with %u",
				 kind->name, place->name, cycles, unrolled, first, MOST_UNROLLED);
	}
	print_message("\n");
}

static void time_of_lines_is_independent_of_blocks(void **state)
{
	static const char *const cores[] = {"skylake,l2=128K/4", "zen2,l2=128K/4"};

	(void)state;
	for (unsigned c = 0; c < sizeof(cores) / sizeof(*cores); c++)
		for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			for (unsigned p = 0; p < PLACES; p++)
				assert_equal_by_unroll(cores[c], &kinds[k], &places[p]);
}

/* Lines come no faster than the table says, and streams of them as fast: the last ones also wait
 * for the first pages' walks. */
static void bandwidths_are_the_tables(void **state)
{
	static const char core[] = "skylake,l2=128K/4";
	const struct memory_config memory = test_core(core).memory;
	const double gaps[PLACES] = {0, memory.l2_gap, memory.l3_gap, memory.memory_gap};

	(void)state;
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (unsigned p = PLACE_L2; p < PLACES; p++) {
			double cycles = cycles_of(core, &kinds[k], 4, &places[p]);

			if (kinds[k].random || kinds[k].accesses != 1)
				continue;
			if (cycles < gaps[p] * 0.99 || cycles > gaps[p] * 1.12)
				fail_msg("%s, %s: %.2f cycles a line", kinds[k].name,
					 places[p].name, cycles);
		}
}

/* A miss has a fill buffer until its line is there, be it a load's or a store's. */
static void misses_wait_for_fill_buffers(void **state)
{
	static const char core[] = "skylake,prefetch=off,tlb=off";
	const struct memory_config memory = test_core(core).memory;

	(void)state;
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		if (kinds[k].accesses == 1 && !kinds[k].random && !kinds[k].access[0].offset)
			assert_in_range(cycles_of(core, &kinds[k], 4, &places[PLACE_MEMORY]) * 100,
					memory.memory_latency * 98 / memory.fill_buffers,
					memory.memory_latency * 105 / memory.fill_buffers);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(time_of_lines_is_independent_of_blocks),
	    cmocka_unit_test(bandwidths_are_the_tables),
	    cmocka_unit_test(misses_wait_for_fill_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
