/* SPDX-License-Identifier: BSD-2-Clause */
/* The folders of PMUs in /sys, from which tools learn types, events and formats. */
#include "pmu/sysfs.h"
#include "kernel/synthetic.h"
#include "pmu/cpu.h"
#include "pmu/hw.h"
#include "pmu/rdpmc.h"

#define PATH_LONGEST 96

static void make_number(struct text *out, uint64_t number)
{
	text_print(out, "%lu\n", number);
}

static const struct synthetic number_file = {.make = make_number};

static void make_word(struct text *out, uint64_t id)
{
	const struct pmu_word *word = (const struct pmu_word *)id;

	if (word->make)
		word->make(out);
	else
		text_print(out, "%s", word->text);
	text_char(out, '\n');
}

static const struct synthetic word_file = {.make = make_word};

static void add(const char *pmu, const char *name, const struct synthetic *file, uint64_t id)
{
	char path[PATH_LONGEST];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "/sys/devices/%s/%s", pmu, name);
	synthetic_add_at(path, file, id);
}

/* The bus's link; the target's string stays with it. */
static void add_to_bus(const char *name)
{
	char path[PATH_LONGEST];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "/sys/bus/event_source/devices/%s", name);
	synthetic_link(path, "../../../devices/", name);
}

void sysfs_add_pmu(const char *name, uint32_t type, const struct pmu_word *words)
{
	add(name, "type", &number_file, type);
	add(name, "perf_event_mux_interval_ms", &number_file, TICK_NS / 1000000);
	for (const struct pmu_word *word = words; word && word->name; word++)
		if (!word->present || word->present())
			add(name, word->name, &word_file, (uint64_t)word);
	add_to_bus(name);
}

void sysfs_init(void)
{
	sysfs_add_pmu("software", PERF_TYPE_SOFTWARE, NULL);
	if (!hardware_pmu)
		return;
	sysfs_add_pmu("cpu", PERF_TYPE_RAW, hw_caps.vendor->words);
	if (lbr_format)
		add("cpu", "caps/branches", &number_file, lbr_depth);
	add("cpu", "rdpmc", &rdpmc_file, 0);
}
