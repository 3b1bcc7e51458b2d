/* SPDX-License-Identifier: BSD-2-Clause */
/* The directories in /sys of the software PMUs and the processors': types, events and formats. */
#include <linux/errno.h>
#include "abi/visor_cpuid.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/fs/synthetic.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/core/rdpmc.h"
#include "pmu/core/sysfs.h"
#include "pmu/hw/hw.h"

static void make_word(const struct hw_kind *kind, struct text *out, uint64_t id)
{
	const struct pmu_word *word = (const struct pmu_word *)id;

	if (word->make)
		word->make(kind, word, out);
	else
		text_print(out, "%s", word->text);
	text_char(out, '\n');
}

static void make_first_word(struct text *out, uint64_t id)
{
	make_word(&hw_kinds[HW_FIRST], out, id);
}

static void make_second_word(struct text *out, uint64_t id)
{
	make_word(&hw_kinds[HW_SECOND], out, id);
}

static void make_third_word(struct text *out, uint64_t id)
{
	make_word(&hw_kinds[HW_THIRD], out, id);
}

static const struct synthetic word_files[HW_KINDS] = {
    {.make = make_first_word}, {.make = make_second_word}, {.make = make_third_word}};

static bool has_word(const struct hw_kind *kind, const struct pmu_word *word)
{
	if (word->generic && kind->generic[word->generic - 1] == EVENT_NONE)
		return false;
	return !word->present || word->present(kind);
}

/* ---- events of the components of a simulated core ---- */

static void make_component(struct text *out, uint64_t number)
{
	text_print(out, "event=0x%02x,umask=0x%02x\n", VISOR_EVENT_SELECT, (unsigned)number);
}

static const struct synthetic component_file = {.make = make_component};

/* Reads the name of a component's event. False: there is none. */
static bool component_name(unsigned number, char name[VISOR_EVENT_BYTES])
{
	const uint32_t leaves = VISOR_EVENT_BYTES / sizeof(struct cpuid_regs);

	for (uint32_t i = 0; i < leaves; i++) {
		struct cpuid_regs r = cpuid(VISOR_LEAF_EVENTS, number * leaves + i);

		memcpy(name + i * sizeof(r), &r, sizeof(r));
	}
	name[VISOR_EVENT_BYTES - 1] = 0;
	return *name;
}

static void add_components(const char *pmu)
{
	char name[VISOR_EVENT_BYTES], path[VISOR_EVENT_BYTES + sizeof("events/")];
	struct text text;

	if (!cpuid_is_visor() || cpuid(VISOR_LEAF, 0).eax < VISOR_LEAF_EVENTS)
		return;
	for (unsigned i = 0; i < VISOR_EVENTS_MAX && component_name(i, name); i++) {
		text_init(&text, path, sizeof(path));
		text_print(&text, "events/%s", name);
		sysfs_add_file(pmu, path, &component_file, i);
	}
}

static void add_hardware(const char *name, unsigned number)
{
	const struct hw_kind *kind = &hw_kinds[number];

	if (cpu_mask_empty(&kind->cpus))
		return;
	sysfs_add_pmu(name, hw_pmus[number].type);
	for (const struct pmu_word *word = hw_caps.vendor->words; word->name; word++)
		if (has_word(kind, word))
			sysfs_add_file(name, word->name, &word_files[number], (uint64_t)word);
	add_components(name);
	if (lbr_format)
		sysfs_add_file(name, "caps/branches", &sysfs_number_file, lbr_depth);
	if (hardware_differs)
		sysfs_add_cpus(name, "cpus", &kind->cpus);
	sysfs_add_file(name, "rdpmc", &rdpmc_file, 0);
}

void sysfs_init(void)
{
	sysfs_add_pmu("software", PERF_TYPE_SOFTWARE);
	sysfs_add_pmu("breakpoint", PERF_TYPE_BREAKPOINT);
	if (!hardware_pmu)
		return;
	add_hardware(hardware_differs ? hw_caps.vendor->kinds[HW_FIRST] : "cpu", HW_FIRST);
	for (unsigned i = HW_SECOND; i < HW_KINDS; i++)
		add_hardware(hw_caps.vendor->kinds[i], i);
}
