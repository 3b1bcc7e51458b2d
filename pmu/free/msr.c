/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU `msr`: free-running registers of the processor. CPUID or the model shows which there are:
 * SDM volume 4 (MSR_SMI_COUNT, IA32_THERM_STATUS), volume 3, "Hardware Feedback" (APERF, MPERF);
 * APM volume 2, "Instructions Retired Performance Counter", "Performance Time Stamp Counter". */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/free/free.h"

#define MSR_MPERF 0xe7
#define MSR_APERF 0xe8
#define MSR_SMI   0x34
#define MSR_PPERF 0x64e
#define MSR_THERM 0x19c
#define SMI_BITS  32
#define NEHALEM   3 /* version of the PMU from which on there are SMI counts */

enum { TSC, APERF, MPERF, PPERF, SMI, PTSC, IRPERF, THERM, REGISTERS };

#define THERM_VALID  BIT(31) /* IA32_THERM_STATUS */
#define THERM_MARGIN FIELD(21, 16)

/* Returns the degrees (C) below the temperature at which the processor slows down, or -1. */
static int64_t thermal_margin(uint64_t value)
{
	return value & THERM_VALID ? (int64_t)FIELD_GET(THERM_MARGIN, value) : -1;
}

/* By Linux's numbers of the events. */
static const struct free_counter rows[REGISTERS] = {
    [TSC] = {"tsc", 0, 0, NULL, NULL, NULL},
    [APERF] = {"aperf", MSR_APERF, 0, NULL, NULL, NULL},
    [MPERF] = {"mperf", MSR_MPERF, 0, NULL, NULL, NULL},
    [PPERF] = {"pperf", MSR_PPERF, 0, NULL, NULL, NULL},
    [SMI] = {"smi", MSR_SMI, SMI_BITS, NULL, NULL, NULL},
    [PTSC] = {"ptsc", MSR_AMD_PTSC, 0, NULL, NULL, NULL},
    [IRPERF] = {"irperf", MSR_AMD_IRPERF, 0, NULL, NULL, NULL},
    [THERM] = {"cpu_thermal_margin", MSR_THERM, 0, "C", NULL, thermal_margin},
};

static struct free_pmu msr = {
    .name = "msr", .rows = rows, .nr = REGISTERS, .format = "config:0-63"};

/* True on the models of family 6 that count productive performance: SDM volume 4, MSR_PPERF. */
static bool has_pperf(void)
{
	static const uint8_t models[] = {
	    0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, /* Skylake to Comet Lake */
	    0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7, /* Ice Lake to Rocket Lake */
	    0x97, 0x9a, 0xb7, 0xba, 0xbf,             /* Alder Lake, Raptor Lake */
	};

	if (cpuid_family() != 6 || !cpuid_read(CPUID_PMU_VERSION))
		return false;
	for (unsigned i = 0; i < sizeof(models); i++)
		if (models[i] == cpuid_model())
			return true;
	return false;
}

static void find(unsigned row, bool announced)
{
	uint64_t value;

	if (announced && rdmsr_safe(rows[row].msr, &value))
		msr.present |= BIT(row);
}

unsigned msr_pmu_init(uint32_t type)
{
	bool feedback = cpuid_has(CPUID_APERFMPERF);

	msr.present = BIT(TSC);
	find(APERF, feedback);
	find(MPERF, feedback);
	find(PPERF, has_pperf());
	find(SMI, cpuid_read(CPUID_PMU_VERSION) >= NEHALEM);
	find(PTSC, cpuid_has(CPUID_AMD_PTSC));
	find(IRPERF, cpuid_has(CPUID_AMD_IRPERF));
	find(THERM, cpuid_has(CPUID_DTHERM));
	return free_register(&msr, type);
}
