/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID through the visor: the personality's processor, the visor's own leaves, nothing of AMD. */
#include "tests/visor/pmu.h"

static void check_registers(struct cpuid_regs got, uint32_t eax, uint32_t ebx, uint32_t ecx,
			    uint32_t edx, const char *name)
{
	is((uint64_t)got.eax << 32 | got.ebx, (uint64_t)eax << 32 | ebx, name);
	is((uint64_t)got.ecx << 32 | got.edx, (uint64_t)ecx << 32 | edx, name);
}

static void test_signature(void)
{
	uint32_t eax = cpuid(1, 0).eax;
	uint32_t family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff),
		 model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);

	is(family, 6, "the family is Intel's");
	is(model, option("intel-v2") ? 0x17 : 0x5e, "the model is the personality's");
}

void test_identity(void)
{
	struct cpuid_regs leaf = cpuid(0, 0);

	check_registers(leaf, leaf.eax, 0x756e6547, 0x6c65746e, 0x49656e69,
			"the vendor is GenuineIntel");
	ok(leaf.eax >= 0xa, "leaf 0AH can be asked");
	test_signature();
	leaf = cpuid(1, 0);
	is(leaf.ecx >> 15 & 1, version4(), "PDCM where PERF_CAPABILITIES is");
	is(leaf.ecx >> 31, 1, "there is a hypervisor");
	leaf = cpuid(0xa, 0);
	if (option("none"))
		check_registers(leaf, 0, 0, 0, 0, "leaf 0AH: no PMU");
	else if (version4())
		check_registers(leaf, 0x07300804, 0, 0, 0x603, "leaf 0AH: version 4");
	else
		check_registers(leaf, 0x07280202, 0, 0, 0x503, "leaf 0AH: version 2");
	is(cpuid(0x80000000, 0).eax, 0x80000008, "the extended leaves end where Intel's do");
	is(cpuid(0x80000001, 0).ecx & 1 << 2, 0, "SVM is hidden");
	check_registers(cpuid(0x8000000a, 0), 0, 0, 0, 0, "leaf 8000000AH is empty");
	leaf = cpuid(0x40000000, 0);
	check_registers(leaf, leaf.eax, 0x65726162, 0x56756d70, 0x524f5349, "the visor signs");
	ok(leaf.eax >= 0x40000010, "the visor's leaves are there");
	is(cpuid(0x40000001, 0).eax, option("exact") ? 7 : 3, "emulated, exact, stepped as told");
	leaf = cpuid(0x40000002, 0);
	if (version4())
		check_registers(leaf, 0x65746e69, 0x34762d6c, 0, 0, "the PMU's name");
	else if (option("intel-v2"))
		check_registers(leaf, 0x65746e69, 0x32762d6c, 0, 0, "the PMU's name");
	else
		check_registers(leaf, 0x656e6f6e, 0, 0, 0, "the PMU's name");
}
