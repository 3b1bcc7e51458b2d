/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU `power`: energy counters (RAPL) of the package, its cores, its graphics, the memory, the
 * platform. SDM volume 3, "Running Average Power Limit"; PPR of family 17h, "RAPL". Counts are in
 * 2^-32 J whatever the registers' unit is, as on Linux, which the files `scale` say; the domains of
 * each model are Linux's.
 */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/free/free.h"
#include "pmu/hw/hw.h"
#include "pmu/intel/intel.h"

#define JOULES    "Joules"
#define SCALE     "2.3283064365386962890625e-10" /* 2^-32 */
#define UNIT_BITS 32
#define RAPL_BITS 32 /* of an energy register */

enum { CORES = 1, PACKAGE, MEMORY, GRAPHICS, PLATFORM, DOMAINS };

#define DOMAIN(name, msr)                                 \
	{                                                 \
		name, msr, RAPL_BITS, JOULES, SCALE, NULL \
	}

static const struct free_counter intel_rows[DOMAINS] = {
    [CORES] = DOMAIN("energy-cores", MSR_PP0_ENERGY),
    [PACKAGE] = DOMAIN("energy-pkg", MSR_PKG_ENERGY),
    [MEMORY] = DOMAIN("energy-ram", MSR_DRAM_ENERGY),
    [GRAPHICS] = DOMAIN("energy-gpu", MSR_PP1_ENERGY),
    [PLATFORM] = DOMAIN("energy-psys", MSR_PLATFORM_ENERGY),
};

static const struct free_counter amd_rows[DOMAINS] = {
    [PACKAGE] = DOMAIN("energy-pkg", MSR_AMD_PKG_ENERGY),
};

#define CLIENT_SNB (BIT(CORES) | BIT(PACKAGE) | BIT(GRAPHICS))
#define SERVER     (BIT(CORES) | BIT(PACKAGE) | BIT(MEMORY))
#define CLIENT_HSW (CLIENT_SNB | BIT(MEMORY))
#define CLIENT_SKL (CLIENT_HSW | BIT(PLATFORM))
#define SERVER_SPR (SERVER | BIT(PLATFORM))
#define KNIGHTS    (BIT(PACKAGE) | BIT(MEMORY))

#define OWN_UNIT 0xff
/* Models of family 6. The unit of memory and platform: 2^-n J, where it is not the others'. */
static const struct {
	uint8_t models[24]; /* ended by 0 */
	uint8_t domains, memory_unit, platform_unit;
} rows[] = {
    {{0x2a, 0x3a}, CLIENT_SNB, OWN_UNIT, OWN_UNIT},
    {{0x2d, 0x3e}, SERVER, OWN_UNIT, OWN_UNIT},
    {{0x3c, 0x45, 0x46, 0x3d, 0x47, 0x5c, 0x5f, 0x7a}, CLIENT_HSW, OWN_UNIT, OWN_UNIT},
    {{0x3f, 0x4f, 0x56, 0x55, 0x6a, 0x6c}, SERVER, 16, OWN_UNIT},
    {{0x57, 0x85}, KNIGHTS, 16, OWN_UNIT},
    {{0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7, 0x97,
      0x9a, 0xbe, 0xb7, 0xba, 0xbf, 0xaa, 0xac, 0xc5, 0xc6, 0xbd, 0xcc},
     CLIENT_SKL,
     OWN_UNIT,
     OWN_UNIT},
    {{0x8f, 0xcf}, SERVER_SPR, OWN_UNIT, 0},
};

static struct free_pmu power = {.name = "power", .nr = DOMAINS, .format = "config:0-7"};

static uint8_t shift_of(uint8_t unit)
{
	return (uint8_t)(UNIT_BITS - unit);
}

/* Returns whether there is an energy unit; sets the shifts of all domains, and how often they must
 * be read: at 200 W, twice before a register wraps (Linux). */
static bool find_unit(uint32_t msr)
{
	uint64_t value;
	uint8_t unit;

	if (!rdmsr_safe(msr, &value))
		return false;
	unit = (uint8_t)FIELD_GET(RAPL_ENERGY_UNIT, value);
	for (unsigned i = 0; i < DOMAINS; i++)
		power.shift[i] = shift_of(unit);
	power.poll_ns = 5000000ul << (UNIT_BITS - 1 - unit);
	return true;
}

/* A register that is not there faults, or is always 0. */
static void find_registers(uint64_t domains)
{
	for (unsigned i = 0; i < DOMAINS; i++) {
		uint64_t value;

		if ((domains & BIT(i)) && rdmsr_safe(power.rows[i].msr, &value) && (uint32_t)value)
			power.present |= BIT(i);
	}
}

static bool has_model(const uint8_t *models, uint32_t number)
{
	while (*models && *models != number)
		models++;
	return *models;
}

static void find_intel(void)
{
	uint32_t number = cpuid_model();

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!has_model(rows[i].models, number) || !find_unit(MSR_RAPL_UNIT))
			continue;
		power.rows = intel_rows;
		if (rows[i].memory_unit != OWN_UNIT)
			power.shift[MEMORY] = shift_of(rows[i].memory_unit);
		if (rows[i].platform_unit != OWN_UNIT)
			power.shift[PLATFORM] = shift_of(rows[i].platform_unit);
		find_registers(rows[i].domains);
	}
}

static void find_amd(void)
{
	if (!cpuid_has(CPUID_AMD_RAPL) || !find_unit(MSR_AMD_RAPL_UNIT))
		return;
	power.rows = amd_rows;
	find_registers(BIT(PACKAGE));
}

unsigned power_pmu_init(uint32_t type)
{
	power.present = 0;
	if (hw_caps.vendor == &intel_vendor && cpuid_family() == 6)
		find_intel();
	else if (hw_caps.vendor && hw_caps.vendor != &intel_vendor)
		find_amd();
	power.cpus = free_cpus_of_packages();
	return free_register(&power, type);
}
