/* SPDX-License-Identifier: BSD-2-Clause */
/* MSRs and RDPMC: which exist, which raise #GP. */
#include "tests/bare/machine/guest.h"

#define MSR_EFER      0xc0000080
#define EFER_SVME     (1ull << 12)
#define CR4_PCE       (1ull << 8)
#define AMD_COUNTERS  0xc0010200
#define MAX_GENERAL   8
#define FIXED_COUNTER (1u << 30)
#define LBR_LINEAR    1 /* PERF_CAPABILITIES[5:0]: addresses alone, as Core 2 has them */
#define LBR_EFFECTIVE 2
#define LBR_SELECT    0x1c8
#define LBR_TOS       0x1c9
#define LBR_FROM      0x680
#define LBR_TO        0x6c0
#define LBR_INFO      0xdc0
#define ARCH_LBR_INFO 0x1200
#define ARCH_LBR_CTL  0x14ce
#define ARCH_LBR_FROM 0x1500
#define ARCH_LBR_TO   0x1600
#define LOWER_HALF    ((1ull << 47) - 1) /* canonical addresses, of a bit each */

static const struct {
	uint32_t msr;
	const char *name;
} absent[] = {
    {0x40, "the LBR of Core"},
    {AMD_COUNTERS, "AMD's counters"},
    {0xc0010117, "VM_HSAVE_PA"},
    {0x40000000, "beyond all maps"},
};

/* True if this personality has the register, which only some have. */
static bool is_here(uint32_t msr)
{
	switch (msr) {
	case 0x40:
		return machine.lbr_format == LBR_LINEAR || machine.lbr_format == LBR_EFFECTIVE;
	case 0x1500:
		return machine.arch_lbr;
	case 0x3f1:
	case 0x600:
		return machine.pebs;
	case AMD_COUNTERS:
		return machine.amd;
	default:
		return false;
	}
}

static void faults(uint64_t vector, const char *what)
{
	is(vector, GP_FAULT, what);
}

static uint64_t user_rdpmc(uint64_t index)
{
	uint64_t value;

	return try_rdpmc((uint32_t)index, &value);
}

static void pmu_registers(void)
{
	uint64_t value;

	pmu_reset();
	is(try_wrmsr(0x186, 0x4300c0), 0, "PERFEVTSEL0 takes an event");
	is(try_rdmsr(0x186, &value), 0, "an event select is read");
	is(value, 0x4300c0, "an event select reads as it was written");
	faults(try_wrmsr(0x186, 1ull << 32), "PERFEVTSEL0's upper half is reserved");
	if (machine.own_general < MAX_GENERAL)
		faults(try_wrmsr(0x186 + machine.own_general, 0), "no event select after the last");
	faults(try_wrmsr(0x38f, 1ull << machine.own_general),
	       "GLOBAL_CTRL has no bit after the last counter");
	faults(try_wrmsr(0x38e, 0), "GLOBAL_STATUS is read-only");
	faults(try_wrmsr(0x309, 1ull << machine.width), "a fixed counter takes no wider value");
	is(try_wrmsr(0xc1, 0x80000000), 0, "PMC0 takes 32 bits");
	is(general_read(0), minus(0x80000000), "a write to IA32_PMCx extends the sign");
	is(try_rdmsr(0x391, &value), machine.version >= 4 ? 0 : GP_FAULT,
	   "GLOBAL_STATUS_SET is there from version 4");
	is(try_wrmsr(0x4c1, 1), machine.full_width ? 0 : GP_FAULT,
	   "full-width writes are there if PERF_CAPABILITIES says so");
	pmu_reset();
}

void takes(uint32_t msr, uint64_t bits, const char *what)
{
	uint64_t taken = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (!try_wrmsr(msr, 1ull << bit))
			taken |= 1ull << bit;
	try_wrmsr(msr, 0);
	is(taken, bits, what);
}

/* Registers of branch records by PERF_CAPABILITIES[5:0]. SDM vol. 4; Linux' lbr.c has the flags. */
static const struct lbr_bits {
	unsigned format;
	uint64_t select, top, from, to, info;
} lbr_formats[] = {
    {LBR_LINEAR, 0, 0x7, 0, 0, 0},
    {LBR_EFFECTIVE, 0, 0x3, LOWER_HALF, LOWER_HALF, 0},
    {3, 0x1ff, 0xf, LOWER_HALF | 1ull << 63, LOWER_HALF, 0}, /* mispredicted */
    {4, 0x3ff, 0xf, LOWER_HALF | 7ull << 61, LOWER_HALF, 0}, /* and transactions */
    {5, 0x3ff, 0x1f, LOWER_HALF, LOWER_HALF, 7ull << 61 | 0xffff},
};

static void branch_records(void)
{
	for (unsigned i = 0; i < sizeof(lbr_formats) / sizeof(lbr_formats[0]); i++) {
		const struct lbr_bits *lbr = &lbr_formats[i];

		if (lbr->format != machine.lbr_format || machine.arch_lbr)
			continue;
		takes(LBR_SELECT, lbr->select, "LBR_SELECT: kinds of branches");
		takes(LBR_TOS, lbr->top, "LBR_TOS: as deep as the stack");
		takes(LBR_INFO, lbr->info, "LBR_INFO is of format 5");
		if (!lbr->from)
			continue;
		takes(lbr->format == LBR_EFFECTIVE ? 0x40 : LBR_FROM, lbr->from,
		      "LBR_FROM: canonical, with the format's flags");
		takes(lbr->format == LBR_EFFECTIVE ? 0x60 : LBR_TO, lbr->to, "LBR_TO: canonical");
	}
	if (!machine.arch_lbr)
		return;
	takes(ARCH_LBR_CTL, 0x7f000f, "IA32_LBR_CTL: as leaf 1CH lists");
	takes(ARCH_LBR_INFO, 0xffull << 56 | 0xffff, "IA32_LBR_0_INFO");
	takes(ARCH_LBR_FROM, LOWER_HALF, "IA32_LBR_0_FROM_IP: canonical");
	takes(ARCH_LBR_TO, LOWER_HALF, "IA32_LBR_0_TO_IP: canonical");
}

static void rdpmc_rules(void)
{
	uint64_t value;

	general_start(0, EVENT_INSTRUCTIONS, OS | USR, false, 12345);
	is(try_rdpmc(0, &value), 0, "RDPMC reads PMC0");
	is(value, 12345, "RDPMC of a stopped counter");
	is(try_rdpmc(FIXED_COUNTER, &value), 0, "RDPMC reads the first fixed counter");
	faults(try_rdpmc(machine.own_general, &value), "RDPMC after the last counter");
	faults(try_rdpmc(FIXED_COUNTER + machine.own_fixed, &value),
	       "RDPMC after the last fixed counter");
	faults(in_user(user_rdpmc, 0), "RDPMC in ring 3 without CR4.PCE");
	write_cr4(read_cr4() | CR4_PCE);
	is(in_user(user_rdpmc, 0), 0, "RDPMC in ring 3 with CR4.PCE");
	faults(in_user(user_rdpmc, machine.own_general), "RDPMC in ring 3 after the last counter");
	write_cr4(read_cr4() & ~CR4_PCE);
	pmu_reset();
}

void test_registers(void)
{
	uint64_t value;

	for (unsigned i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		if (is_here(absent[i].msr))
			continue;
		faults(try_rdmsr(absent[i].msr, &value), absent[i].name);
		faults(try_wrmsr(absent[i].msr, 0), absent[i].name);
	}
	is(rdmsr(MSR_EFER) & EFER_SVME, 0, "EFER shows no SVM");
	faults(try_wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME), "EFER takes no SVM");
	is(rdmsr(MSR_EFER) & 1, 1, "EFER.SCE is as it was set");
	faults(try_cr4(read_cr4() | 1ull << 63), "a reserved bit of CR4");
	if (machine.version >= 2) {
		pmu_registers();
		rdpmc_rules();
		if (!machine.amd)
			branch_records();
	} else if (!machine.version) {
		faults(try_rdmsr(0x186, &value), "no PERFEVTSEL0");
		if (!machine.amd)
			faults(try_rdpmc(0, &value), "no RDPMC");
	}
}
