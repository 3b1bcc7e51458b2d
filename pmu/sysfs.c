/* SPDX-License-Identifier: BSD-2-Clause */
/* The directories in /sys of the software PMUs and the processors': types, events and formats. */
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "kernel/base/number.h"
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

static void add_hardware(const char *name, unsigned number)
{
	const struct hw_kind *kind = &hw_kinds[number];

	if (cpu_mask_empty(&kind->cpus))
		return;
	sysfs_add_pmu(name, hw_pmus[number].type);
	for (const struct pmu_word *word = hw_caps.vendor->words; word->name; word++)
		if (has_word(kind, word))
			sysfs_add_file(name, word->name, &word_files[number], (uint64_t)word);
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
