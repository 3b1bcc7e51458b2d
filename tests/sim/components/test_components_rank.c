/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The components that come with the simulator rank as in their papers: predictors on eight kinds of
 * branches, policies on eight scans and below Belady's optimum, prefetchers on streams.
 */
#include "tests/sim/components/components_test.h"

#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/memory/prefetch.h"

/* ---- predictors ---- */

enum { BRANCHES = 60000 };

/* The i-th branch of a program: its place, and whether it is taken. */
typedef bool branch_program(unsigned i, uint64_t *random, uint64_t *pc);

/* Bits of chance, of which later branches depend on earlier ones. */
static bool history[1 << 17];

static bool correlated(unsigned i, uint64_t *random, uint64_t *pc)
{
	*pc = 0x400000 + i % 4 * 16;
	return i % 4 == 0 ? test_random(random) & 1 : history[i - i % 4] ^ (i % 4 == 2);
}

static bool far_correlated(unsigned i, uint64_t *random, uint64_t *pc)
{
	*pc = 0x401000 + i % 24 * 16;
	return i % 24 == 0    ? test_random(random) & 1
	       : i % 24 == 23 ? history[i - 23]
			      : i % 24 % 3 == 0;
}

static bool short_loop(unsigned i, uint64_t *random, uint64_t *pc)
{
	(void)random;
	*pc = 0x402000;
	return i % 7 != 6;
}

static bool long_loop(unsigned i, uint64_t *random, uint64_t *pc)
{
	(void)random;
	*pc = 0x403000;
	return i % 40 != 39;
}

static bool nested_loops(unsigned i, uint64_t *random, uint64_t *pc)
{
	(void)random;
	*pc = 0x404000 + (i % 6 == 5) * 64;
	return i % 6 == 5 ? i / 6 % 5 != 4 : i % 6 != 4;
}

static bool alternating(unsigned i, uint64_t *random, uint64_t *pc)
{
	(void)random;
	*pc = 0x405000 + i % 64 * 16;
	return (i / 64 + i % 64 % 3) & 1;
}

static bool biased(unsigned i, uint64_t *random, uint64_t *pc)
{
	*pc = 0x406000 + i % 200 * 16;
	return test_random(random) % 50 != 0;
}

/* An automaton whose state decides two branches. */
static bool parity(unsigned i, uint64_t *random, uint64_t *pc)
{
	*pc = 0x407000 + i % 3 * 32;
	return i % 3 < 2 ? test_random(random) & 1 : history[i - 1] ^ history[i - 2];
}

static branch_program *const programs[] = {correlated,   far_correlated, short_loop, long_loop,
					   nested_loops, alternating,    biased,     parity};

enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

/* Returns the mispredictions of the second half. */
static unsigned mispredictions(const char *core, branch_program *program)
{
	struct core_config config = test_core(core);
	struct predictor *p = predictor_new(&config, 0);
	uint64_t random = 88172645463325252;
	unsigned wrong = 0;

	for (unsigned i = 0; i < BRANCHES; i++) {
		uint64_t pc;
		bool taken = history[i] = program(i, &random, &pc);
		unsigned outcome = predictor_branch(p, pc, BRANCH_CONDITIONAL, taken,
						    taken ? pc - 64 : pc + 4, pc + 4);

		wrong += i >= BRANCHES / 2 && outcome & BRANCH_MISPREDICTED;
	}
	predictor_free(p);
	return wrong;
}

/* Sums and single programs: none may be much worse than the simpler one. */
static void assert_better(const char *better, const char *than, bool strictly)
{
	unsigned sum[2] = {0};

	for (unsigned i = 0; i < PROGRAMS; i++) {
		unsigned good = mispredictions(better, programs[i]),
			 bad = mispredictions(than, programs[i]);

		if (good > bad + BRANCHES / 2 / 50)
			fail_msg("program %u: %s mispredicts %u, %s %u", i, better, good, than,
				 bad);
		sum[0] += good;
		sum[1] += bad;
	}
	if (strictly ? sum[0] >= sum[1] : sum[0] > sum[1] + sum[1] / 10)
		fail_msg("%s mispredicts %u, %s %u", better, sum[0], than, sum[1]);
}

static void test_predictors(void **state)
{
	(void)state;
	assert_better("skylake,predictor=tage_sc_l",
		      "skylake,predictor=gshare:counters=13:history=13", true);
	assert_better("skylake,predictor=tage_sc_l", "skylake,predictor=tage", false);
}

/* A perceptron learns what a line separates, by a history for which gshare's table is too small; an
 * exclusive or it does not learn (Jimenez and Lin, section 4). */
static void test_perceptron(void **state)
{
	const char *gshare = "skylake,predictor=gshare:counters=13:history=13",
		   *perceptron = "skylake,predictor=perceptron";
	const unsigned chance_alone = BRANCHES / 2 / 24 / 2;

	(void)state;
	/* One branch in 24 is by chance: nothing predicts half of them. */
	assert_true(mispredictions(perceptron, far_correlated) <
		    chance_alone + (mispredictions(gshare, far_correlated) - chance_alone) / 4);
	/* Here two of three are. */
	assert_true(mispredictions(perceptron, parity) - BRANCHES / 6 >
		    4 * (mispredictions(gshare, parity) - BRANCHES / 6));
}

/* ---- policies ---- */

enum { L2_LINES = 256 << 10 >> 6, SEQUENCE = 120000, SCANNED = 100000 };

/* The line that the i-th access is to. */
typedef uint64_t line_program(unsigned i, uint64_t *random);

/* A loop over half as many lines again as the cache has: LRU keeps none of them. */
static uint64_t thrash(unsigned i, uint64_t *random)
{
	(void)random;
	return i % (L2_LINES * 3 / 2);
}

/* A working set that fits, and scans beside it, by another instruction. */
static uint64_t scan(unsigned i, uint64_t *random)
{
	return i % 8 < 4 ? test_random(random) % (L2_LINES / 2) : SCANNED + i;
}

static uint64_t fits(unsigned i, uint64_t *random)
{
	(void)i;
	return test_random(random) % (L2_LINES / 2);
}

static uint64_t chance(unsigned i, uint64_t *random)
{
	(void)i;
	return test_random(random) % (L2_LINES * 2);
}

static uint64_t sequence[SEQUENCE];
static uint64_t late; /* misses of the second half */

static struct memory *new_memory(const char *core, struct shared_cache **shared)
{
	static struct core_config config;

	config = test_core(core);
	*shared = shared_cache_new(&config);
	return memory_new(&config, *shared);
}

static void free_memory(struct memory *m, struct shared_cache *shared)
{
	memory_free(m);
	shared_cache_free(shared);
}

static void load_line(struct memory *m, uint64_t line, uint64_t ip, uint64_t now)
{
	struct access access = {
	    .vaddr = line * 64, .paddr = line * 64, .ip = ip, .now = now, .size = 8};
	struct access_result ignored;

	memory_access(m, &access, &ignored);
}

/* Fills the sequence; returns L2's misses of it, as long as L1 keeps nothing. */
static uint64_t misses(const char *policy, line_program *program)
{
	char core[128];
	struct shared_cache *shared;
	struct memory *m;
	uint64_t random = 88172645463325252, result;

	snprintf(core, sizeof(core), "skylake,prefetch=off,tlb=off,l1d=64/1,l2-policy=%s", policy);
	m = new_memory(core, &shared);
	for (unsigned i = 0; i < SEQUENCE; i++) {
		sequence[i] = program(i, &random);
		if (i == SEQUENCE / 2)
			late = memory_counts(m)->l2_misses;
		load_line(m, sequence[i], sequence[i] >= SCANNED ? 0x2000 : 0x1000, i * 1000ULL);
	}
	result = memory_counts(m)->l2_misses;
	late = result - late;
	free_memory(m, shared);
	return result;
}

/* Belady's optimum for the sequence, in a cache of 4 ways: the line that is needed last leaves. */
static uint64_t optimum(void)
{
	enum { WAYS = 4, SETS = L2_LINES / WAYS };
	static uint32_t next[SEQUENCE], seen[1 << 20];
	static struct {
		uint64_t line;
		uint32_t next;
	} cache[SETS][WAYS];
	uint64_t result = 0;

	memset(seen, 0xff, sizeof(seen));
	memset(cache, 0xff, sizeof(cache));
	for (unsigned i = SEQUENCE; i--;) {
		next[i] = seen[sequence[i]];
		seen[sequence[i]] = i;
	}
	for (unsigned i = 0; i < SEQUENCE; i++) {
		unsigned set = sequence[i] % SETS, victim = 0, way = 0;

		while (way < WAYS && cache[set][way].line != sequence[i])
			way++;
		for (unsigned w = 0; way == WAYS && w < WAYS; w++)
			if (cache[set][w].next > cache[set][victim].next)
				victim = w;
		if (way == WAYS) {
			result++;
			way = victim;
		}
		cache[set][way].line = sequence[i];
		cache[set][way].next = next[i];
	}
	return result;
}

/* Returns misses() after it compared them with the optimum of the sequence. */
static uint64_t bounded_misses(const char *policy, line_program *program)
{
	uint64_t count = misses(policy, program), least = optimum();

	if (count < least)
		fail_msg("%s misses %llu, the optimum %llu", policy, (unsigned long long)count,
			 (unsigned long long)least);
	return count;
}

enum { LRU, PLRU, SRRIP, DRRIP, BRRIP, SHIP, HAWKEYE, POLICIES };

static void test_policies(void **state)
{
	enum { THRASH, SCAN, FITS, CHANCE, KINDS };
	static line_program *const all[KINDS] = {thrash, scan, fits, chance};
	static const char *const names[POLICIES] = {"lru",          "plru", "drrip:kind=1", "drrip",
						    "drrip:kind=2", "ship", "hawkeye"};
	uint64_t m[KINDS][POLICIES], best[KINDS];

	(void)state;
	for (unsigned i = 0; i < KINDS; i++) {
		for (unsigned p = 0; p < POLICIES; p++)
			m[i][p] = bounded_misses(names[p], all[i]);
		best[i] = optimum();
	}
	/* Jaleel et al., figure 6: DRRIP keeps a part of a loop that LRU loses wholly. */
	assert_true(m[THRASH][DRRIP] < m[THRASH][LRU] * 9 / 10);
	/* Scans do not evict what is used again: section 1 there; Wu et al., section 3. */
	assert_true(m[SCAN][DRRIP] < m[SCAN][LRU]);
	assert_true(m[SCAN][SHIP] <= m[SCAN][DRRIP]);
	/* Where all fits they do no harm. */
	assert_in_range(m[FITS][DRRIP], 1, m[FITS][LRU] * 11 / 10);
	assert_in_range(m[FITS][SHIP], 1, m[FITS][LRU] * 11 / 10);
	/* Jain and Lin, section 3: the past's optimum keeps one instruction's lines from another's
	 * scan, closer to the optimum than DRRIP, whatever the order. */
	assert_true(m[SCAN][HAWKEYE] < m[SCAN][DRRIP]);
	assert_true(m[SCAN][HAWKEYE] < best[SCAN] * 21 / 20);
	assert_true(m[THRASH][HAWKEYE] < m[THRASH][LRU] * 9 / 10);
	assert_in_range(m[FITS][HAWKEYE], 1, m[FITS][LRU] * 11 / 10);
}

/* The second run of `opt` misses as often as the optimum, no access more or less. */
static void test_opt(void **state)
{
	line_program *const all[] = {thrash, scan, chance};
	char directory[] = "/tmp/components.XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t first = misses("opt:run=1", all[i]);

		assert_int_equal(first, misses("lru", all[i]));
		assert_int_equal(misses("opt:run=2", all[i]), optimum());
	}
	assert_int_equal(unlink("opt-l2-0.lines"), 0);
	assert_int_equal(rmdir(directory), 0);
}

/* A set of lines that is used again and again, and after each `used` accesses to it a scan of lines
 * that are used once: `mixed` of Jaleel et al., section 1. Scans of even numbers use it in order.
 */
static unsigned scan_number;

static uint64_t scan_of(unsigned i, uint64_t *random)
{
	static const struct {
		unsigned set, used, scanned;
	} scans[] = {{L2_LINES / 4, L2_LINES, L2_LINES},
		     {L2_LINES / 4, L2_LINES / 2, L2_LINES},
		     {L2_LINES / 2, L2_LINES, L2_LINES},
		     {L2_LINES / 2, L2_LINES * 2, L2_LINES * 2}};
	unsigned set = scans[scan_number / 2].set, used = scans[scan_number / 2].used,
		 at = i % (used + scans[scan_number / 2].scanned);

	if (at >= used)
		return SCANNED + i;
	return scan_number & 1 ? test_random(random) % set : at % set;
}

/* Half of a sequence warms the cache: DRRIP's followers keep the choice they made first for long.
 */
static uint64_t warm_misses(const char *policy)
{
	bounded_misses(policy, scan_of);
	return late;
}

static void test_scans(void **state)
{
	(void)state;
	for (scan_number = 0; scan_number < 8; scan_number++) {
		uint64_t lru = warm_misses("lru"), drrip = warm_misses("drrip"),
			 ship = warm_misses("ship"), hawkeye = warm_misses("hawkeye");

		if (drrip >= lru || ship > drrip || hawkeye >= lru)
			fail_msg("scan %u: LRU misses %llu, DRRIP %llu, SHiP %llu, Hawkeye %llu",
				 scan_number, (unsigned long long)lru, (unsigned long long)drrip,
				 (unsigned long long)ship, (unsigned long long)hawkeye);
	}
}

/* ---- prefetchers ---- */

static struct prefetch_counts l2_prefetches;

/* Returns the loads from memory of a walk with a stride of `stride` lines within pages in random
 * order; sets l2_prefetches. */
static uint64_t late_misses(const char *words, unsigned stride)
{
	char core[192];
	struct shared_cache *shared;
	struct memory *m;
	uint64_t random = 88172645463325252, result;

	snprintf(core, sizeof(core), "skylake,prefetch=off,tlb=off,%s", words);
	m = new_memory(core, &shared);
	for (unsigned page = 0; page < 2000; page++) {
		uint64_t base = test_random(&random) % (1 << 20) * 64;

		for (unsigned line = 0; line < 64; line += stride)
			load_line(m, base + line, 0x1000, (page * 64ULL + line) * 300);
	}
	result = memory_counts(m)->last_load_misses;
	l2_prefetches = memory_prefetch_counts(m)[SIM_L2];
	free_memory(m, shared);
	return result;
}

static void test_prefetchers(void **state)
{
	static const char *const all[] = {"l2-prefetch=best_offset", "l2-prefetch=spp",
					  "l1d-prefetch=berti", "l1d-prefetch=stride",
					  "l2-prefetch=streamer"};

	(void)state;
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint64_t none = late_misses("rob=224", 1), with = late_misses(all[i], 1);

		if (with > none / 2)
			fail_msg("%s: %llu misses of a stream, without %llu", all[i],
				 (unsigned long long)with, (unsigned long long)none);
	}
	/* Strides of several lines: Michaud's offsets, Kim's deltas, Berti's deltas. */
	for (unsigned i = 0; i < 3; i++)
		assert_true(late_misses(all[i], 3) < late_misses("rob=224", 3) * 3 / 4);
}

/* Lines that L1's prefetcher takes from L2 before the program does were useful there. */
static void test_two_levels(void **state)
{
	(void)state;
	late_misses("l2-prefetch=streamer", 1);
	assert_true(l2_prefetches.useful > l2_prefetches.issued * 9 / 10);
	late_misses("l2-prefetch=streamer,l1d-prefetch=stride", 1);
	assert_true(l2_prefetches.useful > l2_prefetches.issued * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_predictors), cmocka_unit_test(test_perceptron),
	    cmocka_unit_test(test_policies),   cmocka_unit_test(test_scans),
	    cmocka_unit_test(test_opt),        cmocka_unit_test(test_prefetchers),
	    cmocka_unit_test(test_two_levels),
	};

	return cmocka_run_group_tests(tests, find_components, NULL);
}
