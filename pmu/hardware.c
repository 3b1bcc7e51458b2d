/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the driver of the processor's PMU, and reports it. */
#include "abi/visor_cpuid.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/trap/nmi.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "pmu/amd/amd.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/intel/intel.h"
#include "pmu/record/userpage.h"

/* Vendors by their CPUID name. */
static const struct {
	char name[13];
	const struct hw_vendor *vendor;
} vendors[] = {
    {"GenuineIntel", &intel_vendor},
    {"AuthenticAMD", &amd_vendor},
    {"HygonGenuine", &amd_vendor},
};

/* Returns the driver of the processors' vendor; NULL: unknown. */
static const struct hw_vendor *find_vendor(void)
{
	struct cpuid_regs r = cpuid(0, 0);
	uint32_t name[3] = {r.ebx, r.edx, r.ecx};

	for (unsigned i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (memcmp(name, vendors[i].name, sizeof(name)) == 0)
			return vendors[i].vendor;
	return NULL;
}

static const char *emulated_as(char name[VISOR_NAME_BYTES + 1])
{
	struct cpuid_regs r;

	if (!cpuid_is_visor())
		return NULL;
	r = cpuid(VISOR_LEAF_NAME, 0);
	memcpy(name, &r, VISOR_NAME_BYTES);
	name[VISOR_NAME_BYTES] = 0;
	return name;
}

static void log_found(void)
{
	const struct hw_kind *kind = hw_this_kind();
	char line[200], name[VISOR_NAME_BYTES + 1];
	const char *emulated = emulated_as(name);
	struct text text;

	text_init(&text, line, sizeof(line));
	text_print(&text, "%s version %u, %s events, %u general counters of %u bits",
		   hw_caps.vendor->name, hw_caps.version, kind->model->name,
		   bits_set(kind->general), hw_caps.general_bits);
	if (kind->fixed)
		text_print(&text, ", %u fixed of %u bits", bits_set(kind->fixed),
			   hw_caps.fixed_bits);
	if (lbr_format)
		text_print(&text, ", branch records like %s", lbr_format->name);
	if (emulated)
		text_print(&text, ", emulated as %s", emulated);
	if (hardware_differs)
		text_print(&text, ": %u processors from %u on", cpu_mask_count(&kind->cpus),
			   cpu_mask_next(&kind->cpus, 0));
	log_info("PMU: %s", line);
}

/* Adds this processor to its kind. */
static void join_kind(void *unused)
{
	struct hw_cpu *cpu = hw_this_cpu();
	unsigned kind = HW_FIRST, id = this_cpu_read(id);

	(void)unused;
	if (hw_caps.vendor->find_kind && hw_caps.vendor->find_kind(&kind))
		__atomic_store_n(&hardware_differs, true, __ATOMIC_RELAXED);
	cpu->pauses = 1; /* until its PMU is known to work */
	cpu->kind = &hw_kinds[kind];
	__atomic_fetch_or(&cpu->kind->cpus.words[id / 64], BIT(id % 64), __ATOMIC_RELAXED);
}

/* Runs discovery, on the first processor of a kind. */
static void discover(void *found)
{
	bool *has = found;

	*has = hw_caps.vendor->discover();
	if (*has)
		log_found();
}

static void cpu_init(void *unused)
{
	(void)unused;
	hardware_pmu->cpu_init();
}

/* Discovers the PMU of a kind, which has no processors if it has no PMU. */
static void discover_kind(struct hw_kind *kind)
{
	bool has = false;

	if (!cpu_mask_empty(&kind->cpus))
		remote_call(cpu_mask_next(&kind->cpus, 0), discover, &has);
	if (!has)
		kind->cpus = (struct cpu_mask){0};
}

void hardware_init(void)
{
	struct cpu_mask served = {0};
	unsigned nr = 0;

	hw_caps.vendor = find_vendor();
	if (hw_caps.vendor)
		remote_call_all(join_kind, NULL);
	for (unsigned i = 0; i < HW_KINDS; i++) {
		discover_kind(&hw_kinds[i]);
		cpu_mask_join(&served, &hw_kinds[i].cpus);
		if (!cpu_mask_empty(&hw_kinds[i].cpus))
			hardware_pmus[nr++] = &hw_pmus[i];
	}
	hardware_pmu = hardware_pmus[0];
	if (!hardware_pmu) {
		log_info("PMU: none that this kernel drives; software events only");
		return;
	}
	nmi_register(hw_pmi);
	remote_call_mask(&served, cpu_init, NULL);
}
