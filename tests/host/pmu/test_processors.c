/* SPDX-License-Identifier: BSD-2-Clause */
/* Every processor that the drivers know, by made-up CPUID values: its tables, its counters, its
 * constraints, and the codes of generic events, as Linux has them (arch/x86/events). */
#include <stdio.h>
#include "arch/x86/cpu/cpuid.h"
#include "pmu/amd/amd.h"
#include "pmu/base/cpu.h"
#include "pmu/intel/intel.h"
#include "tests/host/pmu/intel_test.h"
#include "pmu/base/hardware.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CODE_BITS    0xf0000ffffull

static struct {
	uint32_t signature;
	unsigned counters; /* 0: the personality's */
	bool hybrid;
	uint32_t core; /* leaf 1AH */
} machine;

static void set_cpuid(uint32_t leaf, uint32_t regs[4])
{
	if (leaf == 1)
		regs[0] = machine.signature;
	if (leaf == 0xa && machine.counters)
		regs[0] = (regs[0] & ~0xff00u) | machine.counters << 8;
	if (leaf == 7 && machine.hybrid)
		regs[3] |= 1 << 15;
	if (leaf == 0x1a && machine.hybrid)
		regs[0] = machine.core;
}

/* CPUID leaf 1, EAX. */
static uint32_t signature(unsigned family, unsigned model)
{
	unsigned low = family < 15 ? family : 15;

	return (model & 0xf) << 4 | low << 8 | (model >> 4) << 16 | (family - low) << 20;
}

static void boot(const char *personality, unsigned family, unsigned model, unsigned counters)
{
	machine.signature = signature(family, model);
	machine.counters = counters;
	fake_cpuid = set_cpuid;
	fake_boot(personality);
}

static void finish(void)
{
	fake_cpuid = NULL;
	machine.hybrid = false;
	end();
}

/* ---- Intel ---- */

/* A raw event, and the counters that Linux's constraints give it. */
struct limit {
	uint64_t code, counters;
};

#define LIMITS 3

/* Expected of a generation. Stalls are raw configs; 0: ENOENT. */
struct generation {
	const char *table, *personality;
	unsigned counters;
	uint64_t front, back;
	struct limit limits[LIMITS];
};

#define UOPS_NOT_ISSUED 0x180010e
#define FIXED0          0x100000000

static const struct generation generations[] = {
    {"Core 2", "intel-v2", 2, 0, 0, {{0x11, 2}, {0x10, 1}, {0xcb, 1}}},
    {"Nehalem", "intel-v3", 4, UOPS_NOT_ISSUED, 0x1803fb1, {{0x40, 3}, {0x63, 3}, {0x60, 15}}},
    {"Westmere", "intel-v3", 4, UOPS_NOT_ISSUED, 0x1803fb1, {{0x60, 1}, {0xb3, 1}, {0x40, 15}}},
    {"Sandy Bridge",
     "intel-v4",
     8,
     UOPS_NOT_ISSUED,
     0x18001b1,
     {{0x02a3, 4}, {0x01cd, 8}, {0x81d0, 15}}},
    {"Ivy Bridge", "intel-v4", 8, UOPS_NOT_ISSUED, 0, {{0x0148, 4}, {0x08a3, 4}, {0x01d1, 15}}},
    {"Haswell", "intel-v4", 8, 0, 0, {{0x0148, 4}, {0x01cd, 8}, {0x81d0, 15}}},
    {"Broadwell", "intel-v4", 8, 0, 0, {{0x0148, 4}, {0x08a3, 4}, {0x01cd, 15}}},
    {"Skylake", "intel-v4", 8, 0, 0, {{0x01c0, 2}, {0x01c6, 15}, {0x0e08, 255}}},
    {"Ice Lake", "intel-v5", 8, 0, 0, {{0x0151, 15}, {0x04a3, 255}, {0x01c0, FIXED0 | 255}}},
    {"Golden Cove", "intel-v5", 8, 0, 0, {{0x04a4, 1}, {0x0148, 15}, {0x02cd, 1}}},
    {"Redwood Cove", "intel-v5", 8, 0, 0, {{0x04a4, 1}, {0x0148, 15}, {0x01ce, 1}}},
    {"Lion Cove", "intel-v5", 8, 0, 0, {{0x04a4, 1}, {0x01b1, 8}, {0x01cd, 0xfc}}},
    {"Bonnell", "intel-v3", 2, 0, 0, {{0x2140, 3}, {0xcb, 3}, {0x0508, 3}}},
    {"Silvermont", "intel-v3", 2, 0, 0, {{0x0104, 3}, {0x0804, 3}, {0x0205, 3}}},
    {"Knights Landing", "intel-v3", 2, 0, 0, {{0x0104, 3}, {0x0804, 3}, {0x0205, 3}}},
    {"Goldmont", "intel-v4", 4, 0, 0, {{0x81d0, 15}, {0x0380, 15}, {0x0481, 15}}},
    {"Goldmont Plus", "intel-v4", 4, 0, 0, {{0x81d0, 15}, {0x0e08, 15}, {0x0481, 15}}},
    {"Tremont", "intel-v5", 4, 0, 0, {{0x81d0, 15}, {0x0e08, 15}, {0x0481, 15}}},
    {"Gracemont", "intel-v5", 6, 0, 0, {{0x81d0, 63}, {0x0e08, 63}, {0x0481, 63}}},
    {"Crestmont", "intel-v5", 8, 0, 0, {{0x81d0, 255}, {0x0e08, 255}, {0x0481, 255}}},
    {"Skymont", "intel-v5", 8, 0, 0, {{0x81d0, 255}, {0x013c, FIXED0 << 2 | 255}, {0x0481, 255}}},
};

/* The models of family 6 that Linux assigns to a generation (asm/intel-family.h). */
static const struct {
	const char *table;
	uint8_t models[8];
} families[] = {
    {"Core 2", {0x0f, 0x16, 0x17, 0x1d}},
    {"Nehalem", {0x1a, 0x1e, 0x2e}},
    {"Westmere", {0x25, 0x2c, 0x2f}},
    {"Sandy Bridge", {0x2a, 0x2d}},
    {"Ivy Bridge", {0x3a, 0x3e}},
    {"Haswell", {0x3c, 0x3f, 0x45, 0x46}},
    {"Broadwell", {0x3d, 0x47, 0x4f, 0x56}},
    {"Skylake", {0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6}},
    {"Ice Lake", {0x7d, 0x7e, 0x9d, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7}},
    {"Golden Cove", {0x8f, 0xcf, 0xd7, 0x97, 0x9a, 0xb7, 0xba, 0xbf}},
    {"Redwood Cove", {0xad, 0xae, 0xaa, 0xac, 0xb5}},
    {"Lion Cove", {0xbd, 0xc5, 0xc6, 0xcc, 0xd5}},
    {"Bonnell", {0x1c, 0x26, 0x27, 0x35, 0x36}},
    {"Silvermont", {0x37, 0x4a, 0x4d, 0x5a, 0x4c, 0x75}},
    {"Knights Landing", {0x57, 0x85}},
    {"Goldmont", {0x5c, 0x5f}},
    {"Goldmont Plus", {0x7a}},
    {"Tremont", {0x86, 0x96, 0x9c}},
    {"Gracemont", {0xbe}},
    {"Crestmont", {0xaf, 0xb6}},
    {"Skymont", {0xdd}},
    {"Core Duo", {0x0e}},
};

static const struct generation *generation_of(const char *table)
{
	for (size_t i = 0; i < COUNT(generations); i++)
		if (strcmp(generations[i].table, table) == 0)
			return &generations[i];
	return NULL;
}

static const char *expected_table(uint8_t model)
{
	for (size_t i = 0; i < COUNT(families); i++)
		for (size_t m = 0; m < COUNT(families[i].models) && families[i].models[m]; m++)
			if (families[i].models[m] == model)
				return families[i].table;
	return NULL;
}

static uint64_t allowed(uint64_t code)
{
	static struct context context;
	struct perf_event event = {.attr = user_attr(PERF_TYPE_RAW, code)};

	context.cpu = 0;
	event.ctx = &context;
	event.leader = &event;
	event.pmu = hardware_pmu;
	event.cpu = -1;
	assert_int_equal(hardware_pmu->event_init(&event), 0);
	return event.hw.allowed;
}

static void check_generation(const struct generation *g, unsigned model)
{
	const struct hw_kind *kind = &hw_kinds[HW_FIRST];

	assert_non_null(g);
	assert_string_equal(kind->model->name, g->table);
	if (kind->general != (1ul << g->counters) - 1)
		fail_msg("model %x: counters %lx", model, kind->general);
	if (kind->generic[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] != g->front ||
	    kind->generic[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] != g->back)
		fail_msg("model %x: stalls", model);
	assert_int_equal(kind->generic[PERF_COUNT_HW_CPU_CYCLES], 0x3c);
	assert_int_equal(kind->generic[PERF_COUNT_HW_INSTRUCTIONS], 0xc0);
	assert_int_equal(kind->generic[PERF_COUNT_HW_CACHE_REFERENCES], 0x4f2e);
	assert_int_equal(kind->generic[PERF_COUNT_HW_CACHE_MISSES], 0x412e);
	assert_int_equal(kind->generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS], 0xc4);
	assert_int_equal(kind->generic[PERF_COUNT_HW_REF_CPU_CYCLES], 0x300);
	for (size_t i = 0; i < LIMITS; i++)
		if (allowed(g->limits[i].code) != g->limits[i].counters)
			fail_msg("model %x: event %lx on %lx", model, g->limits[i].code,
				 allowed(g->limits[i].code));
}

static void intel_rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < intel_processors_count; i++) {
		const struct intel_processor *row = &intel_processors[i];
		const char *table = expected_table(row->number);
		const struct generation *g;

		if (!table)
			fail_msg("%s: no such model is expected", row->name);
		g = generation_of(table);
		if (!g) /* Core Duo, of 32 bits */
			continue;
		boot(g->personality, row->family, row->number, g->counters);
		check_generation(g, row->number);
		finish();
	}
}

/* No model that Linux knows is left out, and none has two rows. */
static void every_model_has_a_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(families); i++)
		for (size_t m = 0; m < COUNT(families[i].models) && families[i].models[m]; m++) {
			unsigned rows = 0;

			for (unsigned r = 0; r < intel_processors_count; r++)
				rows += intel_processors[r].number == families[i].models[m];
			if (rows != 1)
				fail_msg("model %x has %u rows", families[i].models[m], rows);
		}
}

/* ---- kinds of cores ---- */

static void hybrid_kinds(void **state)
{
	static const struct {
		uint32_t core;
		uint8_t model;
		unsigned kind;
		const char *table;
	} cases[] = {
	    {0x40000001, 0x97, HW_FIRST, "Golden Cove"}, {0x20000001, 0x97, HW_SECOND, "Gracemont"},
	    {0x20000002, 0xaa, HW_SECOND, "Crestmont"},  {0x40000003, 0xc6, HW_FIRST, "Lion Cove"},
	    {0x20000003, 0xc6, HW_SECOND, "Skymont"},    {0x20000003, 0xc5, HW_SECOND, "Skymont"},
	    {0x20000002, 0xc5, HW_THIRD, "Crestmont"},   {0x20000003, 0xcc, HW_SECOND, "Skymont"},
	    {0x20000003, 0xbd, HW_SECOND, "Skymont"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		machine.hybrid = true;
		machine.core = cases[i].core;
		boot("intel-v5", 6, cases[i].model, 6);
		assert_int_equal(hw_cpus[0].kind - hw_kinds, cases[i].kind);
		assert_string_equal(hw_cpus[0].kind->model->name, cases[i].table);
		assert_ptr_equal(hardware_pmu, &hw_pmus[cases[i].kind]);
		finish();
	}
}

/* ---- AMD ---- */

static const struct {
	uint16_t family;
	uint8_t model;
	const char *personality, *table;
	uint64_t front, back, reference;
	struct limit limits[LIMITS];
} amd_cases[] = {
    {0x0f, 0x41, "amd-k7", "K8", 0xd0, 0xd1, 0, {{0xe9, 15}, {0x00, 15}, {0x03, 15}}},
    {0x10, 0x04, "amd-k7", "K8", 0xd0, 0xd1, 0, {{0xe9, 15}, {0x00, 15}, {0x03, 15}}},
    {0x11, 0x03, "amd-k7", "K8", 0xd0, 0xd1, 0, {{0xe9, 15}, {0x00, 15}, {0x03, 15}}},
    {0x12, 0x01, "amd-k7", "K8", 0xd0, 0xd1, 0, {{0xe9, 15}, {0x00, 15}, {0x03, 15}}},
    {0x14, 0x02, "amd-k7", "K8", 0xd0, 0xd1, 0, {{0xe9, 15}, {0x00, 15}, {0x03, 15}}},
    {0x15, 0x02, "amd-core", "family 15h", 0xd0, 0xd1, 0, {{0x76, 7}, {0xc0, 63}, {0x03, 8}}},
    {0x15, 0x60, "amd-core", "family 15h", 0xd0, 0xd1, 0, {{0x2e, 9}, {0x8f, 1}, {0xdb, 63}}},
    {0x16, 0x30, "amd-k7", "K8", 0xd0, 0xd1, 0, {{0xe9, 15}, {0x00, 15}, {0x03, 15}}},
    {0x17, 0x01, "amd-core", "Zen", 0x287, 0x187, 0, {{0xc0, 63}, {0xff03, 21}, {0x76, 63}}},
    {0x17, 0x71, "amd-core", "Zen 2", 0xa9, 0, 0, {{0xc0, 63}, {0xff03, 21}, {0x76, 63}}},
    {0x18, 0x01, "amd-core", "Zen", 0x287, 0x187, 0, {{0xc0, 63}, {0xff03, 21}, {0x76, 63}}},
    {0x19, 0x21, "amd-core", "Zen 2", 0xa9, 0, 0, {{0xc0, 63}, {0xff03, 21}, {0x76, 63}}},
    {0x19, 0x11, "amd-v2", "Zen 4", 0xa9, 0, 0x100000120, {{0xc0, 63}, {0xff03, 21}, {0x76, 63}}},
    {0x19, 0x61, "amd-v2", "Zen 4", 0xa9, 0, 0x100000120, {{0xc0, 63}, {0xff03, 21}, {0x76, 63}}},
    {0x1a, 0x44, "amd-v2", "Zen 4", 0xa9, 0, 0x100000120, {{0xc0, 63}, {0xff03, 21}, {0x76, 63}}},
};

static void amd_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(amd_cases); i++) {
		const uint64_t *generic = hw_kinds[HW_FIRST].generic;

		boot(amd_cases[i].personality, amd_cases[i].family, amd_cases[i].model, 0);
		assert_string_equal(hw_kinds[HW_FIRST].model->name, amd_cases[i].table);
		assert_int_equal(generic[PERF_COUNT_HW_CPU_CYCLES], 0x76);
		assert_int_equal(generic[PERF_COUNT_HW_INSTRUCTIONS], 0xc0);
		assert_int_equal(generic[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND],
				 amd_cases[i].front);
		assert_int_equal(generic[PERF_COUNT_HW_STALLED_CYCLES_BACKEND], amd_cases[i].back);
		assert_int_equal(generic[PERF_COUNT_HW_REF_CPU_CYCLES], amd_cases[i].reference);
		for (size_t l = 0; l < LIMITS; l++)
			if (allowed(amd_cases[i].limits[l].code) != amd_cases[i].limits[l].counters)
				fail_msg("family %x, model %x: event %lx on %lx",
					 amd_cases[i].family, amd_cases[i].model,
					 amd_cases[i].limits[l].code,
					 allowed(amd_cases[i].limits[l].code));
		finish();
	}
}

/* Family 15h: the unit mask decides, and some events have no counter (BKDG; Linux). */
static void family15h_units(void **state)
{
	static const struct {
		uint64_t code;
		int error;
		uint64_t counters;
	} cases[] = {
	    {0x0f00, 0, 0x38},    {0x1100, 0, 8},         {0x0104, 0, 0x38},
	    {0x0304, 0, 8},       {0x0131, 0, 7},         {0x0331, -EINVAL, 0},
	    {0xb8e9, -EINVAL, 0}, {0xa0, -EINVAL, 0},     {0x1000000c0, 0, 0x38},
	    {0x100000087, 0, 1},  {0x1000000d6, 0, 0x3f}, {0x43, 0, 7},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perf_event_attr attr = user_attr(PERF_TYPE_RAW, cases[i].code);

		boot("amd-core", 0x15, 2, 0);
		if (cases[i].error)
			assert_int_equal(fake_open(&attr, 0, -1, -1, 0), cases[i].error);
		else
			assert_int_equal(allowed(cases[i].code), cases[i].counters);
		finish();
	}
}

/* ---- counters and registers that threads of a core share ---- */

static void share_core(uint64_t used, uint64_t exclusive)
{
	hw_cpus[0].neighbours = cpu_mask_of(1);
	hw_cpus[0].has_neighbours = true;
	hw_cpus[1].used = used;
	hw_cpus[1].exclusive = exclusive;
}

/* Errata BJ122, BV98, HSD29: a memory event's counter is free on the sibling, and half of the
 * counters are left to it. */
static void hyper_threading_erratum(void **state)
{
	static const uint8_t models[] = {0x2a, 0x3a, 0x3c};
	struct perf_event_attr loads = user_attr(PERF_TYPE_RAW, 0x81d0),
			       other = user_attr(PERF_TYPE_RAW, 0x0e08);

	(void)state;
	for (size_t i = 0; i < COUNT(models); i++) {
		int fds[3];

		boot("intel-v4", 6, models[i], 4);
		share_core(3, 0);
		fds[0] = open_ok(&loads, -1); /* not where the sibling counts anything */
		assert_int_equal(hw_cpus[0].exclusive, 4);
		share_core(1, 1);
		fds[1] = open_ok(&other, -1); /* not where the sibling has a memory event */
		assert_int_equal(hw_cpus[0].used, 6);
		fds[2] = open_ok(&other, -1); /* half of the counters are in use */
		assert_int_equal(hw_cpus[0].used, 6);
		for (size_t f = 0; f < 3; f++)
			fake_close(fds[f]);
		share_core(0, 0);
		finish();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(intel_rows),      cmocka_unit_test(every_model_has_a_row),
	    cmocka_unit_test(hybrid_kinds),    cmocka_unit_test(amd_rows),
	    cmocka_unit_test(family15h_units), cmocka_unit_test(hyper_threading_erratum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
