/* SPDX-License-Identifier: BSD-2-Clause */
/* Energy counters of the model: constants by event, units, and when they follow the work. */
#include "emulator/visor/model/base/model_state.h"
#include "tests/host/model/model_test.h"

#define PACKAGE       0x611
#define MEMORY        0x619
#define CORES         0x639
#define UNIT          0x606
#define AMD_UNIT      0xc0010299
#define AMD_PACKAGE   0xc001029b
#define SECOND        1000000000ull
#define UNITS(joules) ((uint64_t)(joules) << 14)

static const uint64_t alone[MODEL_ENERGY_DOMAINS];

static uint64_t read_at(struct model *m, uint32_t msr, uint64_t tsc)
{
	uint64_t value = 0;

	model_notice_read(m, msr, tsc, alone);
	assert_int_equal(model_rdmsr(m, msr, &value), MODEL_OK);
	return value;
}

/* A joule from before the start, then 1, 0.5, and 0.2 W. */
static void static_power(void **state)
{
	struct model m;

	(void)state;
	model_reset(&m, personality_find("skylake"));
	model_set_clock(&m, 1000000, 0);
	assert_int_equal(read_at(&m, UNIT, 0) >> 8 & 0x1f, 14);
	assert_int_equal(read_at(&m, PACKAGE, 10 * SECOND), UNITS(11));
	assert_int_equal(read_at(&m, MEMORY, 10 * SECOND), UNITS(6));
	assert_int_equal(read_at(&m, CORES, 10 * SECOND), UNITS(3));
	model_set_clock(&m, 2000000, 0); /* twice the ticks */
	assert_int_equal(read_at(&m, PACKAGE, 20 * SECOND), UNITS(11));
}

/* Work counts from the second read of the package's register on. */
static void work_after_the_second_read(void **state)
{
	struct model_work work = {.instructions = 1000000000, .ring = MODEL_USER};
	struct model m;

	(void)state;
	model_reset(&m, personality_find("skylake"));
	model_set_clock(&m, 1000000, 0);
	assert_false(model_notice_read(&m, PACKAGE, 0, alone));
	assert_false(model_counts(&m));
	model_retire(&m, &work);
	assert_true(model_notice_read(&m, PACKAGE, 0, alone));
	assert_false(model_notice_read(&m, PACKAGE, 0, alone));
	assert_true(model_counts(&m));
	assert_int_equal(read_at(&m, PACKAGE, 0), UNITS(1));
	for (unsigned i = 0; i < 10; i++)
		model_retire(&m, &work);
	assert_int_equal(read_at(&m, PACKAGE, 0), UNITS(4)); /* 300 pJ each */
	assert_int_equal(read_at(&m, CORES, 0), UNITS(4));
	assert_int_equal(read_at(&m, MEMORY, 0), UNITS(1));
}

/* Each quantity of a simulated core has its cost, in its domains. */
static void costs_by_event(void **state)
{
	static const struct {
		unsigned quantity;
		uint64_t package, cores, memory; /* joules of 10^12 events, beside the first */
	} cases[] = {
	    {CORE_CYCLES, 200, 200, 0},         {CORE_INSTRUCTIONS, 70, 70, 0},
	    {CORE_MISPREDICTED, 2000, 2000, 0}, {CORE_L1D_LOADS, 20, 20, 0},
	    {CORE_L2_LOADS, 100, 100, 0},       {CORE_LAST_REQUESTS, 1000, 0, 0},
	    {CORE_LAST_MISSES, 2000, 0, 16000}, {CORE_LOADS, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t quantities[CORE_NR_QUANTITIES] = {0};
		struct model_work work = {.ring = MODEL_USER, .quantities = quantities};
		struct model m;

		quantities[cases[i].quantity] = 1000000000000;
		model_reset(&m, personality_find("skylake"));
		model_count_energy(&m);
		model_retire(&m, &work);
		assert_int_equal(read_at(&m, PACKAGE, 0), UNITS(1 + cases[i].package));
		assert_int_equal(read_at(&m, CORES, 0), UNITS(1 + cases[i].cores));
		assert_int_equal(read_at(&m, MEMORY, 0), UNITS(1 + cases[i].memory));
	}
}

/* A package's energy has the other processors'; registers are read-only, of 32 bits, and only where
 * the processor has them. */
static void registers(void **state)
{
	uint64_t others[MODEL_ENERGY_DOMAINS] = {0, 5000000000000, 0}, value;
	struct model m;

	(void)state;
	model_reset(&m, personality_find("skylake"));
	model_notice_read(&m, PACKAGE, 0, others);
	assert_int_equal(model_rdmsr(&m, PACKAGE, &value), MODEL_OK);
	assert_int_equal(value, UNITS(6));
	assert_int_equal(model_wrmsr(&m, PACKAGE, 0), MODEL_GP);
	assert_int_equal(read_at(&m, PACKAGE, 300000 * SECOND), UNITS(300001) & 0xffffffff);
	model_reset(&m, personality_find("zen4"));
	assert_int_equal(read_at(&m, AMD_UNIT, 0) >> 8 & 0x1f, 16);
	assert_int_equal(read_at(&m, AMD_PACKAGE, 0), 1 << 16);
	assert_int_equal(model_rdmsr(&m, PACKAGE, &value), MODEL_GP);
	model_reset(&m, personality_find("nehalem"));
	assert_int_equal(model_rdmsr(&m, PACKAGE, &value), MODEL_GP);
}

/* Each personality with energy counters has its vendor's registers and unit: after ten seconds of
 * idling the package has 10 J, beside the first. */
static void units_by_personality(void **state)
{
	static const struct {
		const char *name;
		uint32_t unit, package;
		unsigned shift;
	} rows[] = {
	    {"sandy-bridge", UNIT, PACKAGE, 14},    {"haswell", UNIT, PACKAGE, 14},
	    {"skylake", UNIT, PACKAGE, 14},         {"ice-lake", UNIT, PACKAGE, 14},
	    {"sapphire-rapids", UNIT, PACKAGE, 14}, {"granite-rapids", UNIT, PACKAGE, 14},
	    {"gracemont", UNIT, PACKAGE, 14},       {"alder-lake", UNIT, PACKAGE, 14},
	    {"lunar-lake", UNIT, PACKAGE, 14},      {"zen2", AMD_UNIT, AMD_PACKAGE, 16},
	    {"zen3", AMD_UNIT, AMD_PACKAGE, 16},    {"zen4", AMD_UNIT, AMD_PACKAGE, 16},
	    {"zen5", AMD_UNIT, AMD_PACKAGE, 16},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct model m;

		print_message("# %s\n", rows[i].name);
		model_reset(&m, personality_find(rows[i].name));
		model_set_clock(&m, 1000000, 0);
		assert_int_equal(read_at(&m, rows[i].unit, 0) >> 8 & 0x1f, rows[i].shift);
		assert_int_equal(read_at(&m, rows[i].package, 10 * SECOND), 11ull << rows[i].shift);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(static_power),         cmocka_unit_test(work_after_the_second_read),
	    cmocka_unit_test(costs_by_event),       cmocka_unit_test(registers),
	    cmocka_unit_test(units_by_personality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
