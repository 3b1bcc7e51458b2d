/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model's counts: events, rings, known branches. Expectations: SDM vol. 3, "Performance
 * Monitoring", and the rates that docs/emulated-pmu.md promises.
 */
#include <string.h>

#include "emulator/visor/model/base/event_rows.h"
#include "abi/visor_cpuid.h"
#include "emulator/visor/model/base/counter.h"
#include "tests/host/model/model_test.h"

#define SCALE 16384 /* the rates of docs/emulated-pmu.md are per so many instructions */

/* Counts `select` on general counter 0 in both rings over `instructions`, from 0. */
static uint64_t count(const char *name, uint64_t select, uint64_t instructions)
{
	struct model m;

	reset(&m, name);
	wr(&m, IA32_PERFEVTSEL0, select | USR | OS | EN);
	retire(&m, MODEL_USER, instructions);
	return rdpmc(&m, 0);
}

static void test_documented_rates(void **state)
{
	static const struct {
		uint64_t select, per_scale;
	} rates[] = {
	    {INSTRUCTIONS, 16384}, {CYCLES, 12288},  {REF_CYCLES, 4096}, {LLC_REF, 256},
	    {LLC_MISS, 16},        {BRANCHES, 3072}, {BRANCH_MISS, 64},
	};

	(void)state;
	for (unsigned p = 0; p < WITH_PMU; p++)
		for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
			assert_int_equal(count(with_pmu[p], rates[i].select, SCALE),
					 rates[i].per_scale);
			assert_int_equal(count(with_pmu[p], rates[i].select, SCALE * 1000),
					 rates[i].per_scale * 1000);
		}
}

/* The events of one generation only, as docs/emulated-pmu.md lists them. */
static void test_documented_generations(void **state)
{
	static const struct {
		const char *name;
		uint64_t select, per_scale;
	} rates[] = {
	    {"intel-v2", 0x0f40, 4096},  {"intel-v2", 0x0140, 512},   {"intel-v2", 0x0f41, 2048},
	    {"intel-v2", 0x0141, 128},   {"intel-v2", 0x104e, 256},   {"intel-v2", 0x0080, 4096},
	    {"intel-v2", 0x0081, 32},    {"intel-v2", 0x4f29, 192},   {"intel-v2", 0x4129, 12},
	    {"intel-v2", 0x4f2a, 64},    {"intel-v2", 0x412a, 4},     {"intel-v2", 0x0208, 8},
	    {"intel-v2", 0x0808, 2},     {"intel-v2", 0x1282, 1},     {"intel-v4", 0x81d0, 4096},
	    {"intel-v4", 0x82d0, 2048},  {"intel-v4", 0x0151, 512},   {"intel-v4", 0x0283, 32},
	    {"intel-v4", 0x0e08, 8},     {"intel-v4", 0x0e49, 2},     {"intel-v4", 0x2085, 4},
	    {"intel-v4", 0x0e85, 1},     {"intel-v4", 0x010e, 19456}, {"intel-v4", 0x02c2, 18432},
	    {"intel-v4", 0x019c, 12288}, {"intel-v4", 0x010d, 512},   {"intel-v4", 0x01c0, 16384},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const char *other = !strcmp(rates[i].name, "intel-v2") ? "intel-v4" : "intel-v2";

		assert_int_equal(count(rates[i].name, rates[i].select, SCALE * 3),
				 rates[i].per_scale * 3);
		assert_int_equal(count(other, rates[i].select, SCALE), 0);
	}
}

/* The fixed counters: instructions, core cycles, reference cycles. */
static void test_fixed(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < WITH_PMU; p++) {
		reset(&m, with_pmu[p]);
		wr(&m, IA32_FIXED_CTR_CTRL, 0x333);
		retire(&m, MODEL_USER, SCALE);
		assert_int_equal(rdpmc(&m, 1u << 30),
				 0); /* GLOBAL_CTRL enables no fixed counter after reset */
		wr(&m, IA32_GLOBAL_CTRL, 7ull << 32);
		retire(&m, MODEL_KERNEL, SCALE);
		assert_int_equal(rdpmc(&m, 1u << 30), SCALE);
		assert_int_equal(rdpmc(&m, 1u << 30 | 1), 12288);
		assert_int_equal(rdpmc(&m, 1u << 30 | 2), SCALE);
	}
}

/* Reference cycles are four for three core cycles, and the bus clock a quarter of them. */
static void test_clock(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	wr(&m, IA32_FIXED_CTR_CTRL, 0x330);
	wr(&m, IA32_PERFEVTSEL0, REF_CYCLES | USR | EN);
	wr(&m, IA32_GLOBAL_CTRL, 7ull << 32 | 0xff);
	retire(&m, MODEL_USER, 1000000);
	assert_int_equal(rdpmc(&m, 1u << 30 | 2), 1000000);
	assert_int_equal(rdpmc(&m, 0), 250000);
	assert_int_equal(rdpmc(&m, 1u << 30 | 1), 750000);
}

/* With a simulated core, both clocks are the ones that it reports. */
static void test_core_clock(void **state)
{
	static const uint64_t quantities[CORE_NR_QUANTITIES] = {
	    [CORE_INSTRUCTIONS] = 1000,
	    [CORE_CYCLES] = 4000,
	    [CORE_REF_CYCLES] = 3400,
	    [CORE_BUS_CYCLES] = 850,
	};
	struct model_work work = {
	    .instructions = 1000, .ring = MODEL_USER, .quantities = quantities};
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	model_use_core(&m, NULL, 0, MODEL_STOPS_EVENTS);
	wr(&m, IA32_FIXED_CTR_CTRL, 0x330);
	wr(&m, IA32_PERFEVTSEL0, REF_CYCLES | USR | EN);
	wr(&m, IA32_GLOBAL_CTRL, 7ull << 32 | 0xff);
	model_retire(&m, &work);
	assert_int_equal(rdpmc(&m, 1u << 30 | 2), 3400);
	assert_int_equal(rdpmc(&m, 0), 850);
}

/* Both rings count only where USR and OS say so, and both gates must be open. */
static void test_rings_and_enables(void **state)
{
	struct model m;

	(void)state;
	for (unsigned combination = 0; combination < 64; combination++) {
		uint64_t user = combination & 1, kernel = combination >> 1 & 1,
			 en = combination >> 2 & 1, global = combination >> 3 & 1,
			 fixed_user = combination >> 4 & 1, fixed_kernel = combination >> 5 & 1;

		reset(&m, "intel-v2");
		wr(&m, IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | user << 16 | kernel << 17 | en << 22);
		wr(&m, IA32_FIXED_CTR_CTRL, fixed_user << 1 | fixed_kernel);
		wr(&m, IA32_GLOBAL_CTRL, global << 1 | global << 32);
		retire(&m, MODEL_USER, 10);
		retire(&m, MODEL_KERNEL, 1000);
		assert_int_equal(rdpmc(&m, 1), (user * 10 + kernel * 1000) * en * global);
		assert_int_equal(rdpmc(&m, 1u << 30),
				 (fixed_user * 10 + fixed_kernel * 1000) * global);
		assert_int_equal(model_splits_rings(&m),
				 global && ((en && user != kernel) || fixed_user != fixed_kernel));
		assert_int_equal(model_counts(&m), global && ((en && (user || kernel)) ||
							      fixed_user || fixed_kernel));
	}
}

/* Events of components count where the core has them, and only there. */
static void test_component_events(void **state)
{
	static const uint64_t quantities[CORE_NR_QUANTITIES] = {
	    [CORE_INSTRUCTIONS] = 1000, [CORE_COMPONENT_0] = 7, [CORE_COMPONENT_1] = 30};
	static const char *const personalities[] = {"skylake", "zen4"};
	const struct model_work work = {
	    .instructions = 1000, .ring = MODEL_USER, .quantities = quantities};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct personality *personality = personality_find(personalities[i]);

		for (unsigned events = 0; events <= 2; events++) {
			struct model m;

			assert_int_equal(event_component(personality, 0x01fb), 1);
			assert_int_equal(event_component(personality, 0x01fa), -1);
			reset(&m, personalities[i]);
			model_use_core(&m, NULL, events, MODEL_STOPS_EVENTS);
			m.select[0] = VISOR_EVENT_SELECT | 1 << 8 | USR | EN;
			counters_decode(&m);
			assert_int_equal(m.counters[0].source, events == 2 ? VISOR_COUNTS_SIMULATED
									   : VISOR_COUNTS_NOTHING);
			m.global_control = 1;
			model_retire(&m, &work);
			assert_int_equal(m.counters[0].value, events == 2 ? 30 : 0);
		}
	}
}

static void test_unknown_events(void **state)
{
	(void)state;
	assert_int_equal(count("intel-v2", 0x00ff, SCALE), 0);
	assert_int_equal(count("intel-v4", 0x0000, SCALE), 0);
	assert_int_equal(count("intel-v4", 0x02c0, SCALE), 0);
	/* each generation has its own */
	assert_int_equal(count("intel-v4", 0x0f40, SCALE), 0);
	assert_int_equal(count("intel-v2", 0x81d0, SCALE), 0);
}

/* Every event that Linux 6.1's generic and cache tables use on the two generations counts, and
 * misses are fewer than accesses. */
static void test_cache_events(void **state)
{
	static const struct {
		const char *name;
		uint64_t access, miss;
	} pairs[] = {
	    {"intel-v2", 0x0f40, 0x0140},    {"intel-v2", 0x0f41, 0x0141},
	    {"intel-v2", 0x0080, 0x0081},    {"intel-v2", 0x4f29, 0x4129},
	    {"intel-v2", 0x4f2a, 0x412a},    {"intel-v2", 0x0f40, 0x0208},
	    {"intel-v2", 0x0f41, 0x0808},    {"intel-v2", 0x00c0, 0x1282},
	    {"intel-v2", 0x00c4, 0x00c5},    {"intel-v2", 0x0f40, 0x104e},
	    {"intel-v2", LLC_REF, LLC_MISS}, {"intel-v4", 0x81d0, 0x0151},
	    {"intel-v4", 0x82d0, 0x0e49},    {"intel-v4", 0x81d0, 0x0e08},
	    {"intel-v4", 0x2085, 0x0e85},    {"intel-v4", 0x00c4, 0x00c5},
	    {"intel-v4", 0x00c0, 0x0283},    {"intel-v4", LLC_REF, LLC_MISS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint64_t access = count(pairs[i].name, pairs[i].access, SCALE);
		uint64_t miss = count(pairs[i].name, pairs[i].miss, SCALE);

		assert_true(miss > 0);
		assert_true(miss < access);
	}
}

static uint64_t offcore(unsigned which, uint64_t response)
{
	struct model m;

	reset(&m, "intel-v4");
	wr(&m, IA32_PERFEVTSEL0, (which ? 0x01bb : 0x01b7) | USR | EN);
	wr(&m, MSR_OFFCORE_RSP_0 + which, response);
	retire(&m, MODEL_USER, SCALE);
	return rdpmc(&m, 0);
}

/* OFFCORE_RESPONSE as Linux programs it for LL loads and stores: the parts make up LLC references
 * and misses. */
static void test_offcore(void **state)
{
	const uint64_t read = 1, rfo = 2, any = 0x10000, hit = 0x1c0000, miss = 0x3c000000,
		       remote = 0x38000000, snoop = 0x3fc0000000;

	(void)state;
	for (unsigned which = 0; which < 2; which++) {
		assert_int_equal(offcore(which, 0), 0);
		assert_int_equal(offcore(which, any), 0);         /* no request */
		assert_int_equal(offcore(which, read), 0);        /* no response */
		assert_int_equal(offcore(which, read | miss), 0); /* no snoop response */
		assert_int_equal(offcore(which, read | rfo | any),
				 count("intel-v4", LLC_REF, SCALE));
		assert_int_equal(offcore(which, read | rfo | miss | snoop),
				 count("intel-v4", LLC_MISS, SCALE));
		assert_int_equal(offcore(which, read | any) + offcore(which, rfo | any),
				 offcore(which, read | rfo | any));
		assert_int_equal(offcore(which, read | hit | snoop) +
				     offcore(which, read | miss | snoop),
				 offcore(which, read | any));
		assert_true(offcore(which, rfo | miss | snoop) > 0);
		assert_int_equal(offcore(which, read | rfo | remote | snoop), 0); /* one node */
	}
}

/* The quantities of a core that requests and responses make: "" is an event that is not counted. */
static void test_offcore_core(void **state)
{
	const uint64_t any = 0x10000, hit = 0x1c0000, miss = 0x3c000000, snoop = 0x3fc0000000,
		       hitm = 0x1000000000;
	const struct {
		uint64_t rsp;
		uint8_t terms[CORE_TERMS];
	} cases[] = {
	    {0x1 | any, {CORE_LAST_LOADS}},
	    {0x3 | any, {CORE_LAST_LOADS, CORE_LAST_STORES}},
	    {0x1 | hit | snoop, {CORE_LOADS_L3, CORE_LOADS_HITM}},
	    {0x1 | hit | hitm, {CORE_LOADS_HITM}},
	    {0x1 | hit | 0x80000000, {0}}, /* hits without a snoop: not apart from others */
	    {0x1 | miss | snoop, {CORE_LAST_LOAD_MISSES}},
	    {0x2 | miss | snoop, {CORE_LAST_STORE_MISSES}},
	    {0x2 | hit | snoop, {0}},
	    {0x3 | hit | snoop, {0}}, /* not the loads alone */
	    {0x2 | hit | miss | snoop, {CORE_LAST_STORES}},
	    {0x4 | any, {CORE_L2_CODE_MISSES}},
	    {0x5 | miss | snoop, {0}},
	    {0x30 | any, {CORE_PREFETCHES_L2}},
	    {0x10 | any, {0}},
	    {0x81 | any,
	     {CORE_LAST_LOADS}}, /* and prefetches into the last level: there are none */
	    {0x8fff | any, {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_sum sum = event_offcore_sum(cases[i].rsp);

		if (memcmp(sum.terms, cases[i].terms, sizeof(sum.terms)))
			fail_msg("OFFCORE_RSP %#lx: counts quantity %u",
				 (unsigned long)cases[i].rsp, sum.terms[0]);
	}
}

/*
 * CMASK counts the cycles with at least that many events, INV the cycles with fewer: together all
 * cycles. E counts how often such cycles begin: at most as often as there are such cycles, and
 * others.
 */
static void test_cmask(void **state)
{
	static const uint64_t selects[] = {CYCLES, INSTRUCTIONS, BRANCHES, LLC_MISS,
					   0x010e, 0x02c2,       0x81d0};
	const uint64_t cycles = count("intel-v4", CYCLES, SCALE);

	(void)state;
	for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++) {
		uint64_t all = count("intel-v4", selects[i], SCALE), before = cycles;

		assert_int_equal(count("intel-v4", selects[i] | INV, SCALE),
				 all); /* INV needs CMASK */
		for (unsigned n = 1; n < 256; n++) {
			uint64_t some = count("intel-v4", selects[i] | CMASK(n), SCALE);
			uint64_t few = count("intel-v4", selects[i] | CMASK(n) | INV, SCALE);
			uint64_t edges = count("intel-v4", selects[i] | CMASK(n) | EDGE, SCALE);

			assert_int_equal(some + few, cycles);
			assert_true(some <= before && some * n <= all);
			assert_true(edges <= some && edges <= few);
			before = some;
		}
		assert_int_equal(before, 0); /* never 255 events in a cycle */
	}
	assert_int_equal(count("intel-v4", CYCLES | EDGE, SCALE),
			 0); /* never halted, so never begun */
}

/* Where branches are known they are counted, and the others keep their rate. */
static void test_exact(void **state)
{
	struct model_work work = {.instructions = 100,
				  .branches = 50,
				  .mispredicts = 3,
				  .ring = MODEL_USER,
				  .exact = true};
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	wr(&m, IA32_PERFEVTSEL0, BRANCHES | USR | EN | INT);
	wr(&m, IA32_PERFEVTSEL0 + 1, BRANCH_MISS | USR | EN);
	wr(&m, IA32_PERFEVTSEL0 + 2, INSTRUCTIONS | USR | EN);
	wr(&m, IA32_PERFEVTSEL0 + 3, BRANCHES | USR | EN | CMASK(1));
	wr(&m, IA32_PMC0, -60ull);
	model_retire(&m, &work);
	assert_int_equal(rdpmc(&m, 0), (1ull << 48) - 10);
	assert_int_equal(rdpmc(&m, 1), 3);
	assert_int_equal(rdpmc(&m, 2), 100);
	assert_int_equal(rdpmc(&m, 3), 50);
	assert_int_equal(model_until_overflow(&m, MODEL_USER, true),
			 10); /* if all of the next were branches */
	work.branches = 9;
	model_retire(&m, &work);
	assert_false(model_take_pmi(&m));
	assert_int_equal(model_until_overflow(&m, MODEL_USER, true), 1);
	work.branches = 1;
	model_retire(&m, &work);
	assert_true(model_take_pmi(&m));
}

/* A counter of branches counts known ones and rated ones together; an event that needs cycles keeps
 * its rate. */
static void test_exact_mixes(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v2");
	wr(&m, IA32_PERFEVTSEL0, BRANCHES | USR | EN);
	wr(&m, IA32_PERFEVTSEL0 + 1, BRANCHES | USR | EN | CMASK(1) | INV);
	model_retire(&m,
		     &(struct model_work){
			 .instructions = SCALE, .branches = 5, .ring = MODEL_USER, .exact = true});
	retire(&m, MODEL_USER, SCALE);
	assert_int_equal(rdpmc(&m, 0), 5 + 3072);
	assert_int_equal(rdpmc(&m, 1), 2 * (12288 - 3072));
}

/* A selection starts at a whole event, whatever was counted before: the same run gives the same
 * count. */
static void test_selection_starts_anew(void **state)
{
	struct model m;
	uint64_t first = 0;

	(void)state;
	reset(&m, "intel-v4");
	for (unsigned run = 0; run < 50; run++) {
		wr(&m, IA32_PMC0, 0);
		wr(&m, IA32_PERFEVTSEL0, BRANCHES | USR | EN);
		retire(&m, MODEL_USER, 1001);
		wr(&m, IA32_PERFEVTSEL0, 0);
		retire(&m, MODEL_USER, run);
		if (!run)
			first = rdpmc(&m, 0);
		assert_int_equal(rdpmc(&m, 0), first);
	}
	assert_int_equal(first, 1001 * 3 / 16);
}

/* Reloading a counter, and rewriting the field of another fixed counter, lose no part of an event:
 * 1000 periods do not drift. */
static void test_no_drift(void **state)
{
	uint64_t instructions = 0;
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	wr(&m, IA32_GLOBAL_CTRL, 3ull << 32);
	wr(&m, IA32_FIXED_CTR_CTRL, 0xb0);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t n;

		wr(&m, IA32_FIXED_CTR0 + 1, -100ull & ((1ull << 48) - 1));
		wr(&m, IA32_FIXED_CTR_CTRL, 0xb0 | (i & 3));
		n = model_until_overflow(&m, MODEL_USER, false);
		retire(&m, MODEL_USER, n);
		assert_true(model_take_pmi(&m));
		instructions += n;
	}
	assert_int_equal(instructions,
			 (100000ull * 4 + 2) / 3); /* cycles are 3/4 of instructions */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_documented_rates),
    cmocka_unit_test(test_documented_generations),
    cmocka_unit_test(test_fixed),
    cmocka_unit_test(test_clock),
    cmocka_unit_test(test_core_clock),
    cmocka_unit_test(test_rings_and_enables),
    cmocka_unit_test(test_component_events),
    cmocka_unit_test(test_unknown_events),
    cmocka_unit_test(test_cache_events),
    cmocka_unit_test(test_offcore),
    cmocka_unit_test(test_offcore_core),
    cmocka_unit_test(test_cmask),
    cmocka_unit_test(test_exact),
    cmocka_unit_test(test_exact_mixes),
    cmocka_unit_test(test_selection_starts_anew),
    cmocka_unit_test(test_no_drift),
};

TAP_MAIN("model: counting")
