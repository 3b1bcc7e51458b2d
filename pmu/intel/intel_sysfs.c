/* SPDX-License-Identifier: BSD-2-Clause */
/* Description of Intel's PMU in /sys: the fields of its event selects and the names of its events,
 * as on Linux. */
#include "arch/x86/cpu/cpuid.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "pmu/base/hardware.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/intel_ds.h"

/* Efficient cores, by the events that they name. */
enum atom { NO_ATOM, OLD_ATOM, TREMONT, GRACEMONT, CRESTMONT, SKYMONT };

/* Linux's name of a model, and optional features. */
static const struct naming {
	const char *model, *name;
	bool load_latency, frontend, topdown;
	enum atom atom;
} namings[] = {
    {"Core Duo", "core", false, false, false, NO_ATOM},
    {"Core 2", "core2", false, false, false, NO_ATOM},
    {"Nehalem", "nehalem", true, false, false, NO_ATOM},
    {"Westmere", "westmere", true, false, false, NO_ATOM},
    {"Sandy Bridge", "sandybridge", true, false, true, NO_ATOM},
    {"Ivy Bridge", "ivybridge", true, false, true, NO_ATOM},
    {"Haswell", "haswell", true, false, true, NO_ATOM},
    {"Broadwell", "broadwell", true, false, true, NO_ATOM},
    {"Skylake", "skylake", true, true, true, NO_ATOM},
    {"Ice Lake", "icelake", true, true, false, NO_ATOM},
    {"Golden Cove", "sapphire_rapids", true, true, false, NO_ATOM},
    {"Redwood Cove", "granite_rapids", true, true, false, NO_ATOM},
    {"Lion Cove", "lunarlake", true, true, false, NO_ATOM},
    {"Bonnell", "bonnell", false, false, false, OLD_ATOM},
    {"Silvermont", "silvermont", false, false, false, OLD_ATOM},
    {"Knights Landing", "knights-landing", false, false, false, OLD_ATOM},
    {"Goldmont", "goldmont", false, false, false, OLD_ATOM},
    {"Goldmont Plus", "goldmont_plus", false, false, false, OLD_ATOM},
    {"Tremont", "Tremont", false, false, false, TREMONT},
    {"Gracemont", "gracemont", true, false, false, GRACEMONT},
    {"Crestmont", "crestmont", true, false, false, CRESTMONT},
    {"Skymont", "skymont", true, false, false, SKYMONT},
};

/* Returns the names of the model's events; NULL: a model known only by its version. */
static const struct naming *naming(const struct hw_kind *kind)
{
	for (unsigned i = 0; i < sizeof(namings) / sizeof(namings[0]); i++)
		if (strcmp(namings[i].model, kind->model->name) == 0)
			return &namings[i];
	return NULL;
}

static void make_name(const struct hw_kind *kind, const struct pmu_word *word, struct text *out)
{
	const char *generic = hw_caps.version == 1  ? "generic_arch_v1"
			      : hw_caps.version < 5 ? "generic_arch_v2+"
						    : "generic_arch_v5+";

	(void)word;
	if (hardware_differs)
		generic = intel_hybrid_name();
	else if (naming(kind))
		generic = naming(kind)->name;
	text_print(out, "%s", generic);
}

static void make_precise(const struct hw_kind *kind, const struct pmu_word *word, struct text *out)
{
	(void)word;
	text_print(out, "%u", intel_ds_max_precise(kind));
}

static bool has_errata(const struct hw_kind *kind)
{
	return intel_model(kind)->errata;
}

static void make_errata(const struct hw_kind *kind, const struct pmu_word *word, struct text *out)
{
	(void)word;
	text_print(out, "%s", intel_model(kind)->errata);
}

static bool has_load_latency(const struct hw_kind *kind)
{
	return naming(kind) && naming(kind)->load_latency;
}

static enum atom atom_of(const struct hw_kind *kind)
{
	return naming(kind) ? naming(kind)->atom : NO_ATOM;
}

/* Predicates of the words of efficient cores. */
static bool is_atom(const struct hw_kind *kind)
{
	return atom_of(kind) >= GRACEMONT;
}

static bool is_tremont(const struct hw_kind *kind)
{
	return atom_of(kind) == TREMONT;
}

static bool is_crestmont(const struct hw_kind *kind)
{
	return atom_of(kind) == CRESTMONT;
}

static bool is_skymont(const struct hw_kind *kind)
{
	return atom_of(kind) == SKYMONT;
}

static bool retires_like_tremont(const struct hw_kind *kind)
{
	return atom_of(kind) == TREMONT || atom_of(kind) == GRACEMONT;
}

static bool is_bound_like_tremont(const struct hw_kind *kind)
{
	return atom_of(kind) >= TREMONT && atom_of(kind) <= CRESTMONT;
}

static bool has_records(const struct hw_kind *kind)
{
	return intel_kind(kind)->pebs && has_load_latency(kind) && !is_atom(kind);
}

static bool has_atom_records(const struct hw_kind *kind)
{
	return intel_kind(kind)->pebs && is_atom(kind);
}

static bool has_nehalem_loads(const struct hw_kind *kind)
{
	return has_records(kind) && intel_model(kind)->memory == &intel_memory_nehalem;
}

static bool has_loads(const struct hw_kind *kind)
{
	return has_records(kind) && !has_nehalem_loads(kind);
}

/* Loads need another event beside them. */
static bool has_aux(const struct hw_kind *kind)
{
	return has_records(kind) && intel_model(kind)->loads_need_aux;
}

/* Stores that are sampled with their latency, or have records of their own. */
static bool has_store_samples(const struct hw_kind *kind)
{
	return has_aux(kind) ||
	       (has_records(kind) && intel_model(kind)->memory == &intel_memory_sandy_bridge);
}

static bool has_plain_stores(const struct hw_kind *kind)
{
	return has_loads(kind) && !has_store_samples(kind);
}

static bool has_any_thread(const struct hw_kind *kind)
{
	(void)kind;
	return hw_caps.version >= 2 && !cpuid_has(CPUID_PMU_ANYTHREAD_DEPRECATED);
}

static bool has_offcore(const struct hw_kind *kind)
{
	return intel_kind(kind)->extra & 3; /* OFFCORE_RSP_0 and _1 */
}

static bool has_snoops(const struct hw_kind *kind)
{
	return intel_kind(kind)->extra & (BIT(EXTRA_SNOOP0) | BIT(EXTRA_SNOOP1));
}

/* Version 6: a second byte of the unit mask, and comparison for equality. */
static bool has_wide_masks(const struct hw_kind *kind)
{
	return intel_kind(kind)->more_fields & EVTSEL_UMASK2;
}

static bool has_plain_masks(const struct hw_kind *kind)
{
	return !has_wide_masks(kind);
}

static bool has_equal(const struct hw_kind *kind)
{
	return intel_kind(kind)->more_fields & EVTSEL_EQUAL;
}

static bool has_frontend(const struct hw_kind *kind)
{
	return naming(kind) && naming(kind)->frontend;
}

static bool has_topdown(const struct hw_kind *kind)
{
	return naming(kind) && naming(kind)->topdown;
}

static bool has_metrics(const struct hw_kind *kind)
{
	return intel_kind(kind)->metrics;
}

static bool has_metrics_level2(const struct hw_kind *kind)
{
	return intel_kind(kind)->metrics > 4;
}

#define FORMAT(field, bits, has)                                      \
	{                                                             \
		.name = "format/" field, .text = bits, .present = has \
	}
#define EVENT_WORD(event, code, has)                                  \
	{                                                             \
		.name = "events/" event, .text = code, .present = has \
	}

#define GENERIC(event, code, id)                                                          \
	{                                                                                 \
		.name = "events/" event, .text = code, .generic = 1 + PERF_COUNT_HW_##id, \
	}

const struct pmu_word intel_words[] = {
    FORMAT("event", "config:0-7", NULL),
    FORMAT("umask", "config:8-15", has_plain_masks),
    FORMAT("umask", "config:8-15,40-47", has_wide_masks),
    FORMAT("edge", "config:18", NULL),
    FORMAT("pc", "config:19", NULL),
    FORMAT("any", "config:21", has_any_thread),
    FORMAT("inv", "config:23", NULL),
    FORMAT("cmask", "config:24-31", NULL),
    FORMAT("eq", "config:36", has_equal),
    FORMAT("offcore_rsp", "config1:0-63", has_offcore),
    FORMAT("ldlat", "config1:0-15", has_load_latency),
    FORMAT("frontend", "config1:0-23", has_frontend),
    FORMAT("snoop_rsp", "config1:0-63", has_snoops),
    GENERIC("cpu-cycles", "event=0x3c", CPU_CYCLES),
    GENERIC("instructions", "event=0xc0", INSTRUCTIONS),
    GENERIC("cache-references", "event=0x2e,umask=0x4f", CACHE_REFERENCES),
    GENERIC("cache-misses", "event=0x2e,umask=0x41", CACHE_MISSES),
    GENERIC("branch-instructions", "event=0xc4", BRANCH_INSTRUCTIONS),
    GENERIC("branch-misses", "event=0xc5", BRANCH_MISSES),
    GENERIC("bus-cycles", "event=0x3c,umask=0x01", BUS_CYCLES),
    GENERIC("ref-cycles", "event=0x00,umask=0x03", REF_CPU_CYCLES),
    EVENT_WORD("mem-loads", "event=0x0b,umask=0x10,ldlat=3", has_nehalem_loads),
    EVENT_WORD("mem-loads", "event=0xcd,umask=0x1,ldlat=3", has_loads),
    EVENT_WORD("mem-stores", "event=0xd0,umask=0x82", has_plain_stores),
    EVENT_WORD("mem-stores", "event=0xcd,umask=0x2", has_store_samples),
    EVENT_WORD("mem-loads-aux", "event=0x03,umask=0x82", has_aux),
    EVENT_WORD("topdown-total-slots", "event=0x3c,umask=0x0", has_topdown),
    EVENT_WORD("topdown-total-slots.scale", "4", has_topdown),
    EVENT_WORD("topdown-slots-issued", "event=0xe,umask=0x1", has_topdown),
    EVENT_WORD("topdown-slots-retired", "event=0xc2,umask=0x2", has_topdown),
    EVENT_WORD("topdown-fetch-bubbles", "event=0x9c,umask=0x1", has_topdown),
    EVENT_WORD("topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1", has_topdown),
    EVENT_WORD("topdown-recovery-bubbles.scale", "4", has_topdown),
    EVENT_WORD("mem-loads", "event=0xd0,umask=0x5,ldlat=3", has_atom_records),
    EVENT_WORD("mem-stores", "event=0xd0,umask=0x6", has_atom_records),
    EVENT_WORD("topdown-retiring", "event=0xc2,umask=0x0", retires_like_tremont),
    EVENT_WORD("topdown-retiring", "event=0x72,umask=0x0", is_crestmont),
    EVENT_WORD("topdown-retiring", "event=0xc2,umask=0x02", is_skymont),
    EVENT_WORD("topdown-bad-spec", "event=0x73,umask=0x6", is_tremont),
    EVENT_WORD("topdown-bad-spec", "event=0x73,umask=0x0", is_atom),
    EVENT_WORD("topdown-fe-bound", "event=0x71,umask=0x0", is_bound_like_tremont),
    EVENT_WORD("topdown-fe-bound", "event=0x9c,umask=0x01", is_skymont),
    EVENT_WORD("topdown-be-bound", "event=0x74,umask=0x0", is_bound_like_tremont),
    EVENT_WORD("topdown-be-bound", "event=0xa4,umask=0x02", is_skymont),
    EVENT_WORD("slots", "event=0x00,umask=0x4", has_metrics),
    EVENT_WORD("topdown-retiring", "event=0x00,umask=0x80", has_metrics),
    EVENT_WORD("topdown-bad-spec", "event=0x00,umask=0x81", has_metrics),
    EVENT_WORD("topdown-fe-bound", "event=0x00,umask=0x82", has_metrics),
    EVENT_WORD("topdown-be-bound", "event=0x00,umask=0x83", has_metrics),
    EVENT_WORD("topdown-heavy-ops", "event=0x00,umask=0x84", has_metrics_level2),
    EVENT_WORD("topdown-br-mispredict", "event=0x00,umask=0x85", has_metrics_level2),
    EVENT_WORD("topdown-fetch-lat", "event=0x00,umask=0x86", has_metrics_level2),
    EVENT_WORD("topdown-mem-bound", "event=0x00,umask=0x87", has_metrics_level2),
    {.name = "caps/pmu_name", .make = make_name},
    {.name = "caps/max_precise", .make = make_precise},
    {.name = "caps/errata", .make = make_errata, .present = has_errata}, /* not Linux's */
    {.name = NULL},
};
