/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the driver of the processor's PMU, and says what was found. */
#include "arch/x86/cpu.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "arch/x86/remote.h"
#include "kernel/log.h"
#include "kernel/string.h"
#include "kernel/text.h"
#include "pmu/amd.h"
#include "pmu/cpu.h"
#include "pmu/intel.h"

const struct pmu *hardware_pmu;

enum vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD };

static const struct {
	char name[13];
	enum vendor vendor;
} vendors[] = {
    {"GenuineIntel", VENDOR_INTEL},
    {"AuthenticAMD", VENDOR_AMD},
    {"HygonGenuine", VENDOR_AMD},
};

static enum vendor find_vendor(void)
{
	struct cpuid_regs r = cpuid(0, 0);
	uint32_t name[3] = {r.ebx, r.edx, r.ecx};

	for (unsigned i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (memcmp(name, vendors[i].name, sizeof(name)) == 0)
			return vendors[i].vendor;
	return VENDOR_OTHER;
}

/* Leaves of the visor: docs/architecture.md, "Who emulates". */
#define VISOR_LEAF     0x40000000
#define VISOR_PERSONAL 0x40000002

static const char *emulated_as(char name[17])
{
	struct cpuid_regs r = cpuid(VISOR_LEAF, 0);
	uint32_t signature[3] = {r.ebx, r.ecx, r.edx};

	if (!cpuid_hypervisor_leaf(VISOR_PERSONAL) || memcmp(signature, "barepmuVISOR", 12) != 0)
		return NULL;
	r = cpuid(VISOR_PERSONAL, 0);
	memcpy(name, &r, 16);
	name[16] = 0;
	return name;
}

static unsigned count_bits(uint64_t mask)
{
	unsigned n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static void log_found(const char *vendor, uint32_t version)
{
	char line[200], name[17];
	const char *emulated = emulated_as(name);
	struct text text;

	text_init(&text, line, sizeof(line));
	text_print(&text, "%s version %u, %s events, %u general counters of %u bits", vendor,
		   version, hw_caps.model->name, count_bits(hw_caps.general), hw_caps.general_bits);
	if (hw_caps.fixed)
		text_print(&text, ", %u fixed of %u bits", count_bits(hw_caps.fixed),
			   hw_caps.fixed_bits);
	if (lbr_format)
		text_print(&text, ", branch records like %s", lbr_format->name);
	if (emulated)
		text_print(&text, ", emulated as %s", emulated);
	log_info("PMU: %s", line);
}

static void cpu_init(void *unused)
{
	(void)unused;
	hardware_pmu->cpu_init();
}

void hardware_init(void)
{
	switch (find_vendor()) {
	case VENDOR_INTEL:
		if (intel_init()) {
			hardware_pmu = &hw_pmu;
			log_found("Intel", intel_caps.version);
		}
		break;
	case VENDOR_AMD:
		if (amd_init()) {
			hardware_pmu = &hw_pmu;
			log_found("AMD", amd_caps.version);
		}
		break;
	case VENDOR_OTHER:
		break;
	}
	if (!hardware_pmu) {
		log_info("PMU: none that this kernel drives; software events only");
		return;
	}
	remote_call_mask(cpus_online(), cpu_init, NULL);
}
