/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor Trace's registers and CPUID leaf 14H: what raises #GP, and when. Expectations: SDM vol.
 * 3, "Intel Processor Trace", "Trace Enabling" and "IA32_RTIT_CTL"; vol. 2, CPUID. */
#include "abi/pt_state.h"
#include "tests/host/model/model_test.h"
#include "tests/host/names.h"

enum {
	RTIT_BASE = 0x560,
	RTIT_MASK = 0x561,
	RTIT_CTL = 0x570,
	RTIT_STATUS = 0x571,
	RTIT_CR3 = 0x572,
	RTIT_ADDR0_A = 0x580,
	RTIT_ADDR1_B = 0x583,
	GLOBAL_STATUS = 0x38e,
	GLOBAL_STATUS_RESET = 0x390,
};

enum { EAX, EBX, ECX, EDX };

#define BITS(low, high) ((~0ull >> (63 - (high) + (low))) << (low))

/* With a crystal as fast as the TSC, as under -icount. */
static void reset_exact(struct model *m)
{
	reset(m, "intel-v4");
	model_set_clock(m, 1000000, 1000000);
}

/* A bit alone; MTCFreq, CYCThresh, PSBFreq and ADDRn_CFG have encodings, below. */
static void test_single_bits(void **state)
{
	static const struct {
		uint32_t msr;
		uint64_t writable, ignored;
	} rows[] = {
	    {RTIT_CTL,
	     BITS(0, 3) | BITS(7, 11) | BITS(13, 13) | BITS(19, 22) | BITS(24, 26) | BITS(32, 33) |
		 BITS(36, 37),
	     0},
	    {RTIT_STATUS, BITS(4, 5) | BITS(32, 48), BITS(0, 2)},
	    {RTIT_BASE, BITS(7, PT_ADDRESS_BITS - 1), 0},
	    {RTIT_MASK, BITS(7, 63), BITS(0, 6)},
	    {RTIT_CR3, BITS(5, 63), 0},
	    {RTIT_ADDR0_A, BITS(0, 46), 0},
	    {RTIT_ADDR1_B, BITS(0, 46), 0},
	};
	struct model m;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned bit = 0; bit < 64; bit++) {
			bool mtc =
			    rows[i].msr == RTIT_CTL && bit == 9; /* its field's 0 is not listed */

			reset_exact(&m);
			if (((rows[i].writable | rows[i].ignored) >> bit & 1) && !mtc)
				wr(&m, rows[i].msr, 1ull << bit);
			else
				wr_faults(&m, rows[i].msr, 1ull << bit);
		}
}

static void test_what_does_not_change(void **state)
{
	struct model m;

	(void)state;
	reset_exact(&m);
	wr(&m, RTIT_MASK, 0);
	assert_int_equal(rd(&m, RTIT_MASK), 0x7f);
	wr(&m, RTIT_STATUS, 7);
	assert_int_equal(rd(&m, RTIT_STATUS), 0);
}

/* An encoding may be written where CPUID lists it. */
static void test_encodings(void **state)
{
	struct model m;
	uint32_t regs[4] = {0};

	(void)state;
	reset_exact(&m);
	model_cpuid(&m, 0x14, 1, regs);
	for (uint64_t i = 0; i < 16; i++) {
		bool mtc = regs[EAX] >> 16 >> i & 1, cyc = regs[EBX] >> i & 1,
		     psb = regs[EBX] >> 16 >> i & 1;

		reset_exact(&m);
		(mtc ? wr : wr_faults)(&m, RTIT_CTL, PT_CTL_MTC | i << PT_CTL_MTC_FREQ);
		(cyc ? wr : wr_faults)(&m, RTIT_CTL, PT_CTL_CYC | i << PT_CTL_CYC_THRESH);
		(psb ? wr : wr_faults)(&m, RTIT_CTL, i << PT_CTL_PSB_FREQ);
		(i <= PT_RANGE_LAST ? wr : wr_faults)(&m, RTIT_CTL, i << PT_CTL_RANGE_CFG(0));
		(i <= PT_RANGE_LAST ? wr : wr_faults)(&m, RTIT_CTL, i << PT_CTL_RANGE_CFG(1));
	}
}

/* While TraceEn is set a write to any other register faults, even of its present value. RTIT_CTL
 * may be rewritten unchanged, or with TraceEn clear and any other bits. */
static void test_while_it_traces(void **state)
{
	static const uint32_t others[] = {RTIT_BASE, RTIT_MASK,    RTIT_STATUS,
					  RTIT_CR3,  RTIT_ADDR0_A, RTIT_ADDR1_B};
	const uint64_t on = PT_CTL_TRACE | PT_CTL_USR | PT_CTL_TOPA | PT_CTL_BRANCH;
	struct model m;

	(void)state;
	reset_exact(&m);
	wr(&m, RTIT_CTL, on);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		wr_faults(&m, others[i], rd(&m, others[i]));
	wr(&m, RTIT_CTL, on);
	wr_faults(&m, RTIT_CTL, on | PT_CTL_OS);
	wr(&m, RTIT_CTL, PT_CTL_OS);
	assert_int_equal(rd(&m, RTIT_CTL), PT_CTL_OS);
	wr(&m, RTIT_CR3, 0x1000);
}

/* Leaf 14H of the processors that have it, with MTC where the crystal's clock is known. */
static void test_leaf(void **state)
{
	struct model m;
	uint32_t regs[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

	(void)state;
	reset_exact(&m);
	model_cpuid(&m, 0x14, 0, regs);
	assert_int_equal(regs[EAX], 1);
	assert_int_equal(regs[EBX], 0xf);
	assert_int_equal(regs[ECX], 7);
	assert_int_equal(regs[EDX], 0);
	model_cpuid(&m, 0x14, 1, regs);
	assert_int_equal(regs[EAX] & 7, PT_RANGES);
	model_cpuid(&m, 0x14, 2, regs);
	assert_int_equal(regs[EAX] | regs[EBX] | regs[ECX] | regs[EDX], 0);
	reset(&m, "intel-v4");
	model_cpuid(&m, 0x14, 0, regs);
	assert_int_equal(regs[EBX], 7);
	wr_faults(&m, RTIT_CTL, PT_CTL_MTC | 9ull << PT_CTL_MTC_FREQ);
}

/* PTWRITE's bits are there where CPUID lists the instruction. */
static void test_ptwrite(void **state)
{
	static const struct {
		const char *name;
		bool has;
	} rows[] = {{"skylake", false},       {"ice-lake", false}, {"sapphire-rapids", true},
		    {"granite-rapids", true}, {"gracemont", true}, {"alder-lake", true},
		    {"lunar-lake", true}};
	struct model m;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t regs[4] = {0};

		reset(&m, rows[i].name);
		model_cpuid(&m, 0x14, 0, regs);
		assert_int_equal(regs[EBX] >> 4, rows[i].has);
		(rows[i].has ? wr : wr_faults)(&m, RTIT_CTL, PT_CTL_PTW);
		(rows[i].has ? wr : wr_faults)(&m, RTIT_CTL, PT_CTL_FUP_ON_PTW);
	}
}

static void test_absent(void **state)
{
	static const char *const without[] = {"none",   "intel-v1", "intel-v2", "intel-v3",
					      "amd-k7", "amd-core", "amd-v2"};
	struct model m;

	(void)state;
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		reset(&m, without[i]);
		for (uint32_t msr = 0x560; msr <= 0x587; msr++) {
			uint64_t value;

			assert_int_equal(model_rdmsr(&m, msr, &value), MODEL_GP);
			wr_faults(&m, msr, 0);
		}
	}
}

/* A full region's interrupt is a bit of the status, which software clears. */
static void test_interrupt(void **state)
{
	struct model m;

	(void)state;
	reset_exact(&m);
	model_pt_interrupt(&m);
	assert_false(model_take_pmi(&m));
	model_pt(&m)->interrupt = PT_INTERRUPT_DUE;
	model_pt_interrupt(&m);
	assert_true(model_take_pmi(&m));
	assert_false(model_take_pmi(&m));
	assert_int_equal(rd(&m, GLOBAL_STATUS), BITS(55, 55));
	wr(&m, GLOBAL_STATUS_RESET, BITS(55, 55));
	assert_int_equal(rd(&m, GLOBAL_STATUS), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_single_bits), cmocka_unit_test(test_what_does_not_change),
    cmocka_unit_test(test_encodings),   cmocka_unit_test(test_while_it_traces),
    cmocka_unit_test(test_leaf),        cmocka_unit_test(test_absent),
    cmocka_unit_test(test_interrupt),   cmocka_unit_test(test_ptwrite),
};

TAP_MAIN("model: Processor Trace")
