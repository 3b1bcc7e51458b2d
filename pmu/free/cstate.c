/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs `cstate_core` and `cstate_pkg`: time in idle states, in ticks of the TSC. SDM volume 4,
 * MSR_CORE_Cx_RESIDENCY, MSR_PKG_Cx_RESIDENCY; the states of each model are Linux's. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/free/free.h"
#include "pmu/hw/hw.h"
#include "pmu/intel/intel.h"

#define STATE(name, msr)                                    \
	{                                                   \
		name "-residency", msr, 0, NULL, NULL, NULL \
	}

enum { CORE_C1, CORE_C3, CORE_C6, CORE_C7, CORE_STATES };
enum { PKG_C2, PKG_C3, PKG_C6, PKG_C7, PKG_C8, PKG_C9, PKG_C10, PKG_STATES };

static const struct free_counter core_rows[CORE_STATES] = {
    [CORE_C1] = STATE("c1", MSR_CORE_C1),
    [CORE_C3] = STATE("c3", MSR_CORE_C3),
    [CORE_C6] = STATE("c6", MSR_CORE_C6),
    [CORE_C7] = STATE("c7", MSR_CORE_C7),
};

static const struct free_counter package_rows[PKG_STATES] = {
    [PKG_C2] = STATE("c2", MSR_PKG_C2),    [PKG_C3] = STATE("c3", MSR_PKG_C3),
    [PKG_C6] = STATE("c6", MSR_PKG_C6),    [PKG_C7] = STATE("c7", MSR_PKG_C7),
    [PKG_C8] = STATE("c8", MSR_PKG_C8),    [PKG_C9] = STATE("c9", MSR_PKG_C9),
    [PKG_C10] = STATE("c10", MSR_PKG_C10),
};

#define CORE_36  (BIT(CORE_C3) | BIT(CORE_C6))
#define CORE_367 (CORE_36 | BIT(CORE_C7))
#define CORE_67  (BIT(CORE_C6) | BIT(CORE_C7))
#define CORE_16  (BIT(CORE_C1) | BIT(CORE_C6))
#define PKG_2367 (BIT(PKG_C2) | BIT(PKG_C3) | BIT(PKG_C6) | BIT(PKG_C7))
#define PKG_DEEP (BIT(PKG_C8) | BIT(PKG_C9) | BIT(PKG_C10))

/* Models of family 6. */
static const struct {
	uint8_t models[16]; /* ended by 0 */
	uint8_t core, package;
} rows[] = {
    {{0x1a, 0x1e, 0x2e, 0x25, 0x2c, 0x2f}, CORE_36, BIT(PKG_C3) | BIT(PKG_C6) | BIT(PKG_C7)},
    {{0x2a, 0x2d, 0x3a, 0x3e, 0x3c, 0x3f, 0x46, 0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x5e, 0x55},
     CORE_367,
     PKG_2367},
    {{0x45, 0x8e, 0x9e, 0xa5, 0xa6}, CORE_367, PKG_2367 | PKG_DEEP},
    {{0x7d, 0x7e, 0x8c, 0x8d, 0xa7}, CORE_67, PKG_2367 | PKG_DEEP},
    {{0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae}, CORE_16, BIT(PKG_C2) | BIT(PKG_C6)},
    {{0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xbe, 0xaa, 0xac, 0xc5, 0xc6, 0xbd},
     BIT(CORE_C1) | CORE_67,
     PKG_2367 | PKG_DEEP},
    {{0x5c, 0x5f, 0x7a, 0x86, 0x96, 0x9c},
     BIT(CORE_C1) | CORE_36,
     BIT(PKG_C2) | BIT(PKG_C3) | BIT(PKG_C6) | BIT(PKG_C10)},
    {{0xaf, 0xb6}, CORE_16, BIT(PKG_C2) | BIT(PKG_C6)},
};

static struct free_pmu cstate_core = {
    .name = "cstate_core", .rows = core_rows, .nr = CORE_STATES, .format = "config:0-63"};
static struct free_pmu cstate_pkg = {
    .name = "cstate_pkg", .rows = package_rows, .nr = PKG_STATES, .format = "config:0-63"};

static void find(struct free_pmu *pmu, uint64_t states)
{
	for (unsigned i = 0; i < pmu->nr; i++) {
		uint64_t value;

		if ((states & BIT(i)) && rdmsr_safe(pmu->rows[i].msr, &value))
			pmu->present |= BIT(i);
	}
}

static bool has_model(const uint8_t *models, uint32_t number)
{
	while (*models && *models != number)
		models++;
	return *models;
}

static void find_states(void)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (has_model(rows[i].models, cpuid_model())) {
			find(&cstate_core, rows[i].core);
			find(&cstate_pkg, rows[i].package);
		}
}

unsigned cstate_pmu_init(uint32_t type)
{
	unsigned registered;

	cstate_core.present = cstate_pkg.present = 0;
	if (hw_caps.vendor == &intel_vendor && cpuid_family() == 6)
		find_states();
	cstate_core.cpus = free_cpus_of_cores();
	cstate_pkg.cpus = free_cpus_of_packages();
	registered = free_register(&cstate_core, type);
	return registered + free_register(&cstate_pkg, type + registered);
}
