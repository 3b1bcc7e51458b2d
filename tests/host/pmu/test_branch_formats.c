/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch records of every generation, decoded from made-up register values: SDM volume 3, "Last
 * Branch, Interrupt, and Exception Recording"; PPR of family 19h; Linux for their quirks. */
#include "pmu/amd/amd.h"
#include "pmu/intel/tables/intel_tables.h"
#include "tests/host/pmu/intel_test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define USER         0x401234ul
#define TARGET       0x402000ul
#define KERNEL       0xffffffff81000010ul
#define BIT63        0x8000000000000000ul

static bool has_rtm;

static void set_rtm(uint32_t leaf, uint32_t regs[4])
{
	if (leaf == 7 && has_rtm)
		regs[1] |= 1 << 11;
}

/* A case: the contents of the registers, and the entry of a sample. */
struct record {
	uint64_t format; /* PERF_CAPABILITIES[5:0] */
	bool rtm;
	struct lbr_record raw;
	struct perf_branch_entry entry;
};

static const struct record records[] = {
    {1, false, {USER, TARGET, 0}, {.from = USER, .to = TARGET}},
    {2, false, {USER, TARGET, 0}, {.from = USER, .to = TARGET}},
    /* Nehalem to Ivy Bridge: bit 63 of FROM, whose sign is in bit 62 */
    {3, false, {USER, TARGET, 0}, {.from = USER, .to = TARGET, .predicted = 1}},
    {3, false, {USER | BIT63, TARGET, 0}, {.from = USER, .to = TARGET, .mispred = 1}},
    {3, false, {KERNEL & ~BIT63, TARGET, 0}, {.from = KERNEL, .to = TARGET, .predicted = 1}},
    /* Haswell, Broadwell: transactions in bits 62 and 61, if there are any */
    {4,
     true,
     {USER | 1ul << 62, TARGET, 0},
     {.from = USER, .to = TARGET, .predicted = 1, .in_tx = 1}},
    {4,
     true,
     {USER | 3ul << 61, TARGET, 0},
     {.from = USER, .to = TARGET, .predicted = 1, .in_tx = 1, .abort = 1}},
    {4,
     true,
     {USER | 7ul << 61, TARGET, 0},
     {.from = USER, .to = TARGET, .mispred = 1, .in_tx = 1, .abort = 1}},
    {4, true, {KERNEL & ~(7ul << 61), TARGET, 0}, {.from = KERNEL, .to = TARGET, .predicted = 1}},
    {4, false, {KERNEL & ~BIT63, TARGET, 0}, {.from = KERNEL, .to = TARGET, .predicted = 1}},
    /* Skylake: LBR_INFO */
    {5,
     true,
     {USER, TARGET, 0x1234},
     {.from = USER, .to = TARGET, .predicted = 1, .cycles = 0x1234}},
    {5,
     true,
     {USER, TARGET, 7ul << 61 | 9},
     {.from = USER, .to = TARGET, .mispred = 1, .in_tx = 1, .abort = 1, .cycles = 9}},
    {7, true, {USER, TARGET, BIT63 | 3}, {.from = USER, .to = TARGET, .mispred = 1, .cycles = 3}},
    /* Goldmont: cycles above the address in TO */
    {6,
     false,
     {USER, TARGET | 0x55ul << 48, 0},
     {.from = USER, .to = TARGET, .predicted = 1, .cycles = 0x55}},
    {6,
     false,
     {USER | BIT63, (KERNEL & ~(0xfffful << 48)) | 0x8001ul << 48, 0},
     {.from = USER, .to = KERNEL, .mispred = 1, .cycles = 0x8001}},
};

static void check_entry(const struct perf_branch_entry *found,
			const struct perf_branch_entry *wanted, size_t i)
{
	if (memcmp(found, wanted, sizeof(*found)) != 0)
		fail_msg("record %zu: %lx to %lx, mispred %u, predicted %u, in_tx %u, abort %u, "
			 "cycles %u",
			 i, (unsigned long)found->from, (unsigned long)found->to, found->mispred,
			 found->predicted, found->in_tx, found->abort, found->cycles);
}

static void intel_records(void **state)
{
	(void)state;
	fake_boot("intel-v3");
	fake_cpuid = set_rtm;
	for (size_t i = 0; i < COUNT(records); i++) {
		struct perf_branch_entry entry;

		has_rtm = records[i].rtm;
		assert_true(intel_branch_format(records[i].format, &intel_nehalem)
				->show(&records[i].raw, true, &entry));
		check_entry(&entry, &records[i].entry, i);
	}
	fake_cpuid = NULL;
	assert_null(intel_branch_format(0, &intel_nehalem)); /* of 32 bits */
	assert_null(intel_branch_format(8, &intel_nehalem)); /* a future one */
	end();
}

/* An unused record is empty in every format. */
static void empty_records(void **state)
{
	static const struct lbr_record none;

	(void)state;
	fake_boot("intel-v3");
	for (uint64_t format = 1; format < 8; format++) {
		struct perf_branch_entry entry;

		assert_false(
		    intel_branch_format(format, &intel_nehalem)->show(&none, true, &entry));
	}
	end();
}

/* The number of records and their registers, by model and format. */
static void layouts(void **state)
{
	static const struct {
		const struct intel_model *model;
		uint64_t format;
		const char *name;
		uint32_t from, info;
		uint8_t depth;
		bool call_stack;
	} cases[] = {
	    {&intel_core2, 1, "Core 2", 0x40, 0, 4, false},
	    {&intel_bonnell, 1, "Bonnell", 0x40, 0, 8, false},
	    {&intel_silvermont, 3, "Silvermont", 0x40, 0, 8, false},
	    {&intel_knights, 3, "Knights Landing", 0x680, 0, 8, false},
	    {&intel_nehalem, 3, "Nehalem", 0x680, 0, 16, false},
	    {&intel_westmere, 3, "Nehalem", 0x680, 0, 16, false},
	    {&intel_sandy_bridge, 3, "Sandy Bridge", 0x680, 0, 16, false},
	    {&intel_ivy_bridge_x, 3, "Sandy Bridge", 0x680, 0, 16, false},
	    {&intel_haswell, 4, "Haswell", 0x680, 0, 16, true},
	    {&intel_broadwell, 4, "Haswell", 0x680, 0, 16, true},
	    {&intel_skylake, 5, "Skylake", 0x680, 0xdc0, 32, true},
	    {&intel_goldmont, 6, "Goldmont", 0x680, 0, 32, true},
	    {&intel_goldmont_plus, 5, "Skylake", 0x680, 0xdc0, 32, true},
	    {&intel_tremont, 5, "Skylake", 0x680, 0xdc0, 32, true},
	};

	(void)state;
	fake_boot("intel-v3");
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct lbr_format *format =
		    intel_branch_format(cases[i].format, cases[i].model);

		assert_string_equal(format->name, cases[i].name);
		assert_int_equal(format->from, cases[i].from);
		assert_int_equal(format->info, cases[i].info);
		assert_int_equal(format->depth, cases[i].depth);
		assert_int_equal(format->call_stack != 0, cases[i].call_stack);
	}
	end();
}

/* LbrExtV2: addresses of 58 bits; valid and speculative records, and their sum. */
static void amd_records(void **state)
{
	static const struct {
		struct lbr_record raw;
		struct perf_branch_entry entry;
		bool shown;
	} cases[] = {
	    {{USER, TARGET | BIT63, 0},
	     {.from = USER, .to = TARGET, .predicted = 1, .spec = PERF_BR_NON_SPEC_CORRECT_PATH},
	     true},
	    {{USER | BIT63, TARGET | BIT63, 0},
	     {.from = USER, .to = TARGET, .mispred = 1, .spec = PERF_BR_NON_SPEC_CORRECT_PATH},
	     true},
	    {{USER, TARGET | 3ul << 62, 0},
	     {.from = USER, .to = TARGET, .predicted = 1, .spec = PERF_BR_SPEC_CORRECT_PATH},
	     true},
	    {{USER, TARGET | 1ul << 62, 0},
	     {.from = USER, .to = TARGET, .predicted = 1, .spec = PERF_BR_SPEC_WRONG_PATH},
	     true},
	    {{KERNEL & ~(63ul << 58), TARGET | BIT63, 0},
	     {.from = KERNEL, .to = TARGET, .predicted = 1, .spec = PERF_BR_NON_SPEC_CORRECT_PATH},
	     true},
	    {{USER, TARGET, 0}, {0}, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perf_branch_entry entry;

		assert_int_equal(amd_lbr.show(&cases[i].raw, true, &entry), cases[i].shown);
		if (cases[i].shown)
			check_entry(&entry, &cases[i].entry, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(intel_records),
	    cmocka_unit_test(empty_records),
	    cmocka_unit_test(layouts),
	    cmocka_unit_test(amd_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
