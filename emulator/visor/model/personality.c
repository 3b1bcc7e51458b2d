/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processors that can be modelled, one row each. Source: Intel SDM vol. 3, "Architectural
 * Performance Monitoring" and the sections of the two microarchitectures; vol. 4 for family and
 * model.
 */
#include <stddef.h>
#include "emulator/visor/model/personalities.h"

#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/types.h"
#include "emulator/visor/model/base/vendor.h"
#include "emulator/visor/model/core/pmi.h"

/* CPUID leaf 1AH, EAX. */
#define CORE_TYPE_ATOM 0x20000000
#define CORE_TYPE_CORE 0x40000000

#define PEBS_FORMAT(format) \
	(PERF_CAP_PEBS_TRAP | PERF_CAP_PEBS_REGS | (format) << PERF_CAP_FORMAT_SHIFT)
#define PEBS_CAPABILITIES (PEBS_FORMAT(4ull) | PERF_CAP_FW_WRITE | PERF_CAP_PEBS_BASELINE)

/* Facts that both kinds of cores of an Alder Lake (06_97H) share. */
#define ALDER_LAKE                                                                          \
	.name = "alder-lake", .alias = "intel-hybrid",                                      \
	.processor = "Alder Lake, 2 kinds of cores", .year = 2021, .vendor = &vendor_intel, \
	.signature = 0x90672, .version = 5, .general_width = 48, .fixed_width = 48,         \
	.masks_lvtpc = true, .freeze = freeze_by_status

#define ALDER_LAKE_FEATURES                                                                      \
	(FEATURE_CRYSTAL | FEATURE_CAPABILITIES | FEATURE_FW_WRITE | FEATURE_OFFCORE |           \
	 FEATURE_PEBS | FEATURE_PEBS_ADAPTIVE | FEATURE_LBR_ARCH | FEATURE_HYBRID | FEATURE_PT | \
	 FEATURE_PTWRITE | FEATURE_RAPL | FEATURE_IMMUNE)

/* Its efficient cores. */
static const struct personality gracemont = {
    ALDER_LAKE,
    .core = "gracemont",
    .general = 6,
    .fixed = 3,
    .arch_events = 7,
    .events = EVENTS_ARCH | EVENTS_GRACEMONT,
    .features = ALDER_LAKE_FEATURES,
    .capabilities = PEBS_CAPABILITIES,
    .core_type = CORE_TYPE_ATOM | 1,
};

/* Facts that both kinds of cores of a Lunar Lake (06_BDH) share. A performance core has ten general
 * counters; here it has the eight that earlier processors have. */
#define LUNAR_LAKE                                                                        \
	.name = "lunar-lake", .processor = "Lunar Lake, 2 kinds of cores", .year = 2024,  \
	.vendor = &vendor_intel, .signature = 0xb06d1, .version = 6, .general_width = 48, \
	.fixed_width = 48, .stand_in = true, .masks_lvtpc = true, .freeze = freeze_by_status

/* Its efficient cores. */
static const struct personality skymont = {
    LUNAR_LAKE,
    .core = "gracemont",
    .general = 8,
    .fixed = 3,
    .arch_events = 7,
    .events = EVENTS_ARCH | EVENTS_SKYMONT,
    .features = ALDER_LAKE_FEATURES,
    .capabilities = PEBS_CAPABILITIES,
    .core_type = CORE_TYPE_ATOM | 3,
};

/* The PMU of Sapphire Rapids and the servers after it. */
#define SERVER_COVE                                                                           \
	.vendor = &vendor_intel, .version = 5, .general = 8, .fixed = 4, .general_width = 48, \
	.fixed_width = 48, .arch_events = 8, .events = EVENTS_ARCH | EVENTS_GOLDEN_COVE,      \
	.capabilities = PEBS_CAPABILITIES | PERF_CAP_METRICS, .masks_lvtpc = true,            \
	.freeze = freeze_by_status
#define SERVER_COVE_FEATURES                                                           \
	(FEATURE_CRYSTAL | FEATURE_CAPABILITIES | FEATURE_FW_WRITE | FEATURE_OFFCORE | \
	 FEATURE_PEBS | FEATURE_PEBS_ADAPTIVE | FEATURE_FRONTEND | FEATURE_METRICS |   \
	 FEATURE_LBR_ARCH | FEATURE_PT | FEATURE_PTWRITE | FEATURE_IMMUNE)

/* The PMU of Sandy Bridge to Haswell, without hyper-threading. */
#define BRIDGE_TO_WELL                                                                        \
	.vendor = &vendor_intel, .version = 3, .general = 8, .fixed = 3, .general_width = 48, \
	.fixed_width = 48, .arch_events = 7, .masks_lvtpc = true, .freeze = freeze_by_enables
#define BRIDGE_TO_WELL_FEATURES                                                     \
	(FEATURE_CAPABILITIES | FEATURE_FW_WRITE | FEATURE_OFFCORE | FEATURE_PEBS | \
	 FEATURE_PEBS_FOUR | FEATURE_LBR_RING | FEATURE_RAPL)

/* The PMU of Zen 4 and Zen 5; `own`: further sets of events. */
#define ZEN4_PMU(own)                                                           \
	.vendor = &vendor_amd, .version = 2, .general = 6, .general_width = 48, \
	.events = EVENTS_AMD | EVENTS_ZEN2 | EVENTS_ZEN4 | (own), .freeze = freeze_by_status
#define ZEN4_FEATURES \
	(FEATURE_CORE | FEATURE_LBR_AMD | FEATURE_IBS | FEATURE_IBS_EXTENDED | FEATURE_IBS_L3_MISS)

static const struct personality personalities[] = {
    {
	/* Core Duo (Yonah, 06_0EH), without debug store and LBR stack; but with 64-bit mode. */
	.name = "core-duo",
	.alias = "intel-v1",
	.processor = "Core Duo",
	.year = 2006,
	.core = "yonah",
	/* libpfm4 has Core Duo in its 32-bit build only; of Core 2 it knows the architectural
	   events. */
	.library = "coreduo",
	.library_instead = "core",
	.vendor = &vendor_intel,
	.signature = 0x6ec,
	.version = 1,
	.general = 2,
	.general_width = 40,
	.arch_events = 7,
	.events = EVENTS_ARCH,
	.masks_lvtpc = true,
    },
    {
	/* Core 2, 45 nm (Penryn, 06_17H), without debug store and LBR stack. */
	.name = "core2",
	.alias = "intel-v2",
	.processor = "Core 2, 45 nm",
	.year = 2008,
	.core = "core2",
	.library = "core",
	.vendor = &vendor_intel,
	.signature = 0x1067a,
	.version = 2,
	.general = 2,
	.fixed = 3,
	.general_width = 40,
	.fixed_width = 40,
	.arch_events = 7,
	.events = EVENTS_ARCH | EVENTS_CORE2,
	.features = FEATURE_CAPABILITIES | FEATURE_PEBS | FEATURE_LBR_CORE,
	.capabilities = PEBS_FORMAT(0ull),
	.masks_lvtpc = true,
	.freeze = freeze_by_enables,
    },
    {
	/* Nehalem (06_1AH) with hyper-threading off, without PEBS. Its CPUID takes back bus cycles
	 * and mispredicted branches, as the real one's (erratum AAJ80). */
	.name = "nehalem",
	.alias = "intel-v3",
	.processor = "Nehalem",
	.year = 2008,
	.core = "nehalem",
	.library = "nhm",
	.vendor = &vendor_intel,
	.signature = 0x106a5,
	.version = 3,
	.general = 4,
	.fixed = 3,
	.general_width = 48,
	.fixed_width = 48,
	.arch_events = 7,
	.missing_events = 0x44,
	.events = EVENTS_ARCH | EVENTS_NEHALEM,
	.features = FEATURE_CAPABILITIES | FEATURE_PEBS | FEATURE_PEBS_FOUR | FEATURE_LBR_RING,
	.capabilities = PEBS_FORMAT(1ull),
	.masks_lvtpc = true,
	.freeze = freeze_by_enables,
    },
    {
	/* Sandy Bridge client (06_2AH) with hyper-threading off. */
	.name = "sandy-bridge",
	.processor = "Sandy Bridge client",
	.year = 2011,
	.core = "skylake",
	.stand_in = true,
	.library = "snb",
	BRIDGE_TO_WELL,
	.signature = 0x206a7,
	.microcode = 0x2f, /* Linux uses its PEBS from revision 28H on */
	.events = EVENTS_ARCH | EVENTS_SANDY_BRIDGE,
	.features = BRIDGE_TO_WELL_FEATURES,
	.capabilities = PERF_CAP_FW_WRITE | PEBS_FORMAT(1ull),
    },
    {
	/* Haswell client (06_3CH) with hyper-threading off, without transactions. */
	.name = "haswell",
	.processor = "Haswell client",
	.year = 2013,
	.core = "skylake",
	.stand_in = true,
	.library = "hsw",
	BRIDGE_TO_WELL,
	.signature = 0x306c3,
	.events = EVENTS_ARCH | EVENTS_HASWELL,
	.features = BRIDGE_TO_WELL_FEATURES | FEATURE_LBR_TSX,
	.capabilities = PERF_CAP_FW_WRITE | PEBS_FORMAT(2ull),
    },
    {
	/* Skylake client (06_5EH) with hyper-threading off. */
	.name = "skylake",
	.alias = "intel-v4",
	.processor = "Skylake client",
	.year = 2015,
	.core = "skylake",
	.library = "skl",
	.vendor = &vendor_intel,
	.signature = 0x506e3,
	.version = 4,
	.general = 8,
	.fixed = 3,
	.general_width = 48,
	.fixed_width = 48,
	.arch_events = 7,
	.events = EVENTS_ARCH | EVENTS_SKYLAKE,
	.features = FEATURE_CRYSTAL | FEATURE_CAPABILITIES | FEATURE_FW_WRITE | FEATURE_OFFCORE |
		    FEATURE_PEBS | FEATURE_PEBS_FOUR | FEATURE_FRONTEND | FEATURE_LBR_RING |
		    FEATURE_LBR_INFO | FEATURE_PT | FEATURE_RAPL,
	.capabilities = PERF_CAP_FW_WRITE | PEBS_FORMAT(3ull),
	.masks_lvtpc = true,
	.freeze = freeze_by_status,
    },
    {
	/* Ice Lake client (06_7EH) with hyper-threading off. */
	.name = "ice-lake",
	.processor = "Ice Lake client",
	.year = 2019,
	.core = "golden-cove",
	.stand_in = true,
	.library = "icl",
	.vendor = &vendor_intel,
	.signature = 0x706e5,
	.version = 5,
	.general = 8,
	.fixed = 4,
	.general_width = 48,
	.fixed_width = 48,
	.arch_events = 8,
	.events = EVENTS_ARCH | EVENTS_ICE_LAKE,
	.features = FEATURE_CRYSTAL | FEATURE_CAPABILITIES | FEATURE_FW_WRITE | FEATURE_OFFCORE |
		    FEATURE_PEBS | FEATURE_PEBS_ADAPTIVE | FEATURE_FRONTEND | FEATURE_METRICS |
		    FEATURE_LBR_RING | FEATURE_LBR_INFO | FEATURE_PT | FEATURE_RAPL |
		    FEATURE_IMMUNE,
	.capabilities = PEBS_CAPABILITIES | PERF_CAP_METRICS,
	.masks_lvtpc = true,
	.freeze = freeze_by_status,
    },
    {
	/* Sapphire Rapids (06_8FH) with hyper-threading off. */
	.name = "sapphire-rapids",
	.alias = "intel-v5",
	.processor = "Sapphire Rapids",
	.year = 2023,
	.core = "golden-cove",
	.library = "spr",
	SERVER_COVE,
	.signature = 0x806f8,
	.features = SERVER_COVE_FEATURES | FEATURE_RAPL | FEATURE_C1,
    },
    {
	/* Granite Rapids (06_ADH) with hyper-threading off: Sapphire Rapids' PMU beside a later
	   core. */
	.name = "granite-rapids",
	.processor = "Granite Rapids",
	.year = 2024,
	.core = "golden-cove",
	.stand_in = true,
	.library = "gnr", /* since 4.14 */
	.library_instead = "spr",
	SERVER_COVE,
	.signature = 0xa06d1,
	.features = SERVER_COVE_FEATURES | FEATURE_RAPL | FEATURE_C1,
    },
    {
	/* Alder Lake N (06_BEH): efficient cores alone. */
	.name = "gracemont",
	.processor = "Alder Lake N, efficient cores",
	.year = 2023,
	.core = "gracemont",
	.library = "adl_grt", /* since 4.14 */
	.vendor = &vendor_intel,
	.signature = 0xb06e0,
	.version = 5,
	.general = 6,
	.fixed = 3,
	.general_width = 48,
	.fixed_width = 48,
	.arch_events = 7,
	.events = EVENTS_ARCH | EVENTS_GRACEMONT,
	.features = FEATURE_CRYSTAL | FEATURE_CAPABILITIES | FEATURE_FW_WRITE | FEATURE_OFFCORE |
		    FEATURE_PEBS | FEATURE_PEBS_ADAPTIVE | FEATURE_LBR_ARCH | FEATURE_PT |
		    FEATURE_PTWRITE | FEATURE_RAPL | FEATURE_IMMUNE,
	.capabilities = PEBS_CAPABILITIES,
	.masks_lvtpc = true,
	.freeze = freeze_by_status,
    },
    {
	/* Alder Lake with hyper-threading off; this is its performance cores. */
	ALDER_LAKE,
	.core = "golden-cove",
	.library = "adl_glc", /* since 4.13 */
	.library_instead = "spr",
	.general = 8,
	.fixed = 4,
	.arch_events = 8,
	.events = EVENTS_ARCH | EVENTS_GOLDEN_COVE,
	.features = ALDER_LAKE_FEATURES | FEATURE_FRONTEND | FEATURE_METRICS,
	.capabilities = PEBS_CAPABILITIES | PERF_CAP_METRICS,
	.core_type = CORE_TYPE_CORE | 1,
	.efficient = &gracemont,
    },
    {
	/* Lunar Lake (06_BDH); this is its performance cores. */
	LUNAR_LAKE,
	.core = "golden-cove",
	.library = "lnl_lnc", /* not yet; some events are as before */
	.library_instead = "spr",
	.general = 8,
	.fixed = 4,
	.arch_events = 8,
	.events = EVENTS_ARCH | EVENTS_LION_COVE,
	.features = ALDER_LAKE_FEATURES | FEATURE_FRONTEND | FEATURE_METRICS,
	.capabilities = PEBS_CAPABILITIES | PERF_CAP_METRICS,
	.core_type = CORE_TYPE_CORE | 3,
	.efficient = &skymont,
    },
    {
	/* Phenom II (10_04H): the four counters of K7 and K8. */
	.name = "k10",
	.alias = "amd-k7",
	.processor = "Phenom II",
	.year = 2009,
	.core = "k10",
	.library = "amd64_fam10h_shanghai",
	.vendor = &vendor_amd,
	.signature = 0x100f42,
	.version = 1,
	.general = 4,
	.general_width = 48,
	.events = EVENTS_AMD | EVENTS_FAM10H,
	.features = FEATURE_IBS,
	.ibs_lvt = 1,
    },
    {
	/* Zen 2 (17_71H) with SMT off. Its PMIs are late. */
	.name = "zen2",
	.alias = "amd-core",
	.processor = "Zen 2",
	.year = 2019,
	.core = "zen2",
	.library = "amd64_fam17h_zen2",
	.vendor = &vendor_amd,
	.signature = 0x870f10,
	.version = 1,
	.general = 6,
	.general_width = 48,
	.events = EVENTS_AMD | EVENTS_ZEN2,
	.features =
	    FEATURE_CORE | FEATURE_IBS | FEATURE_IBS_EXTENDED | FEATURE_IBS_STICKY | FEATURE_RAPL,
	.pmi_delay = 32,
    },
    {
	/* Zen 3 (19_21H) with SMT off, without branch sampling. */
	.name = "zen3",
	.processor = "Zen 3",
	.year = 2020,
	.core = "zen2",
	.stand_in = true,
	.library = "amd64_fam19h_zen3",
	.vendor = &vendor_amd,
	.signature = 0xa20f12,
	.version = 1,
	.general = 6,
	.general_width = 48,
	.events = EVENTS_AMD | EVENTS_ZEN2,
	.features = FEATURE_CORE | FEATURE_IBS | FEATURE_IBS_EXTENDED | FEATURE_RAPL,
    },
    {
	/* Zen 4 (19_61H) with SMT off: PerfMonV2. */
	.name = "zen4",
	.alias = "amd-v2",
	.processor = "Zen 4",
	.year = 2022,
	.core = "zen4",
	.library = "amd64_fam19h_zen4",
	ZEN4_PMU(EVENTS_ZEN4_ALONE),
	.signature = 0xa60f12,
	.features = ZEN4_FEATURES | FEATURE_RAPL,
    },
    {
	/* Zen 5 (1A_44H) with SMT off: Zen 4's PMU beside a later core. */
	.name = "zen5",
	.processor = "Zen 5",
	.year = 2024,
	.core = "zen4",
	.stand_in = true,
	.library = "amd64_fam1ah_zen5", /* since 4.14 */
	.library_instead = "amd64_fam19h_zen4",
	ZEN4_PMU(0),
	.signature = 0xb40f40,
	.features = ZEN4_FEATURES | FEATURE_RAPL | FEATURE_IBS_LATENCY,
    },
    {
	/* A Skylake under a hypervisor without a PMU. */
	.name = "none",
	.processor = "no PMU: QEMU as it is, without the visor",
	.vendor = &vendor_intel,
	.signature = 0x506e3,
	.features = FEATURE_CRYSTAL,
	.masks_lvtpc = true,
    },
};

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

const struct personality *personality_at(unsigned index)
{
	return index < sizeof(personalities) / sizeof(personalities[0]) ? &personalities[index]
									: NULL;
}

const struct personality *personality_find(const char *name)
{
	const struct personality *p;

	for (unsigned i = 0; (p = personality_at(i)); i++)
		if (same_name(p->name, name) || (p->alias && same_name(p->alias, name)))
			return p;
	return NULL;
}

const struct personality *personality_of_processor(const struct personality *personality,
						   unsigned index, unsigned nr)
{
	return personality->efficient && index >= (nr + 1) / 2 ? personality->efficient
							       : personality;
}

const char *personality_name(const struct personality *personality)
{
	return personality->name;
}

unsigned personality_branch_records(const struct personality *personality)
{
	if (personality->features & (FEATURE_LBR_INFO | FEATURE_LBR_ARCH))
		return 32;
	if (personality->features & (FEATURE_LBR_RING | FEATURE_LBR_AMD))
		return 16;
	return personality->features & FEATURE_LBR_CORE ? 4 : 0;
}

uint32_t personality_microcode(const struct personality *personality)
{
	return personality->microcode;
}

int personality_pebs(const struct personality *personality)
{
	if (!(personality->features & FEATURE_PEBS))
		return -1;
	return (int)((personality->capabilities & PERF_CAP_PEBS_FORMAT) >> PERF_CAP_FORMAT_SHIFT);
}
