/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores of random options run one program: each figure is one that a processor can have. */
#include "emulator/sim/options/options.h"
#include "tests/sim/fake_guest.h"

#define CORES   150
#define ROUNDS  200
#define INSNS   6    /* of a round, with one load and one store */
#define ENTRIES 1024 /* of the largest buffer */

/* MOV RAX, [RDI]; ADD RAX, RCX; MOV [RSI], RAX; IMUL RAX, RCX; DEC RCX; JNE */
static const uint8_t loop[] = {0x48, 0x8b, 0x07, 0x48, 0x01, 0xc8, 0x48, 0x89, 0x06,
			       0x48, 0x0f, 0xaf, 0xc1, 0x48, 0xff, 0xc9, 0x75, 0xee};

/* Appends ",NAME=VALUE" of a random option: a number in its range, or a text. */
static void add_word(char *text, uint64_t *random)
{
	static const char *const values[] = {"1K/1",    "4K/2", "32K/8", "6K/3",  "1M/16", "64/4",
					     "8/8",     "none", "off",   "on",    "lru",   "plru",
					     "bimodal", "next", "4/4",   "512/4", "16/16"};
	const struct config_word *word = &config_words[test_random(random) % config_word_count];

	text += strlen(text);
	if (word->max > word->min)
		sprintf(text, ",%s=%lu", word->name,
			word->min + test_random(random) % (word->max - word->min + 1ul));
	else
		sprintf(text, ",%s=%s", word->name,
			values[test_random(random) % (sizeof(values) / sizeof(values[0]))]);
}

/* Loads that hit and that miss, stores, and a branch that is taken except at the end. */
static void run_rounds(struct guest *guest, struct code_block *block, uint64_t *random)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t range = i % 4 ? 0x1000 : 0x4000000;

		core_block(guest->core, block);
		guest_access(guest, block, 0, 0x10000000 + test_random(random) % range / 8 * 8,
			     false);
		guest_access(guest, block, 2, 0x20000000 + test_random(random) % 0x8000 / 8 * 8,
			     true);
	}
}

/* Sums over things that overlap: of each buffer's entries and of the walks that wait for memory. */
static bool overlaps(unsigned quantity)
{
	return quantity >= CORE_OUTSTANDING_L1D || quantity == CORE_DTLB_LOAD_WALK_CYCLES ||
	       quantity == CORE_DTLB_STORE_WALK_CYCLES;
}

/* The bounds: no core is wider than 8, and each of a round's accesses and fetches takes a few lines
 * from memory (its own and the ones of page tables), one after another at worst. */
static void check_counts(struct guest *guest, struct code_block *block, const char *text)
{
	uint64_t cycles = guest_count(guest, block, CORE_RING_USER, CORE_CYCLES),
		 slow = guest->config.memory.memory_latency;
	const uint64_t *counts = guest->counts[CORE_RING_USER];

	if (slow < guest->config.memory.hitm_latency)
		slow = guest->config.memory.hitm_latency;
	if (counts[CORE_INSTRUCTIONS] != ROUNDS * INSNS)
		fail_msg("%s: %lu instructions", text, counts[CORE_INSTRUCTIONS]);
	if (cycles < ROUNDS * INSNS / 8 || cycles > ROUNDS * INSNS * (slow + 200))
		fail_msg("%s: %lu cycles", text, cycles);
	for (unsigned q = 0; q < CORE_NR_QUANTITIES; q++)
		if (counts[q] > (cycles + ROUNDS * INSNS) * (overlaps(q) ? ENTRIES : 16))
			fail_msg("%s: quantity %u is %lu in %lu cycles", text, q, counts[q],
				 cycles);
}

static void test_figures(void **state)
{
	uint64_t random = 88172645463325252;
	unsigned accepted = 0;

	(void)state;
	while (accepted < CORES) {
		size_t cores = 0;
		char text[256], error[512];
		struct core_config config;
		struct code_block *block;
		struct guest guest;

		while (core_config_at(cores))
			cores++;
		strcpy(text, core_config_at(test_random(&random) % cores)->name);
		for (unsigned n = test_random(&random) % 3 + 1; n--;)
			add_word(text, &random);
		if (core_config_parse(text, &config, error, sizeof(error)))
			continue;
		accepted++;
		guest_begin(&guest, text);
		block = guest_block(&guest, loop, sizeof(loop), 0x400000);
		run_rounds(&guest, block, &random);
		check_counts(&guest, block, text);
		guest_free_block(block);
		guest_end(&guest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
