/* SPDX-License-Identifier: BSD-2-Clause */
/* The event tables of Intel's processors, by model. SDM volume 4, table 2-1. */
#include <stddef.h>
#include "arch/x86/cpu/cpuid.h"
#include "pmu/intel/tables/intel_tables.h"

/* ---- any other: architectural events only ---- */

static const struct hw_constraint no_constraints[] = {END};

static cache_table architectural_cache = {
    CACHE(LL) = {[READ] = ROW(0x4f2e, 0x412e)}, /* LONGEST_LAT_CACHE.REFERENCE, .MISS */
    CACHE(BPU) = {[READ] = ROW(0x00c4, 0x00c5)},
};

static const struct intel_model architectural = {
    .events.name = "architectural",
    .events.constraints = no_constraints,
    .events.cache = architectural_cache,
    .metrics = 4,
};

/* clang-format off */
#define ONE_KIND(number, name, model) { 6, number, name, NULL, {model} }
#define HYBRID(number, name, hybrid, ...) { 6, number, name, hybrid "_hybrid", {__VA_ARGS__} }
/* clang-format on */

const struct intel_processor intel_processors[] = {
    ONE_KIND(0x0e, "Core Duo", &intel_core),
    ONE_KIND(0x0f, "Core 2, 65 nm", &intel_merom),
    ONE_KIND(0x16, "Core 2, 65 nm (mobile)", &intel_core2),
    ONE_KIND(0x17, "Core 2, 45 nm", &intel_core2),
    ONE_KIND(0x1d, "Xeon 7400", &intel_core2),
    ONE_KIND(0x1a, "Nehalem: Core i7, Xeon 5500", &intel_nehalem),
    ONE_KIND(0x1e, "Nehalem: Core i5, i7", &intel_nehalem),
    ONE_KIND(0x2e, "Nehalem: Xeon 7500", &intel_nehalem),
    ONE_KIND(0x25, "Westmere: Core i3, i5", &intel_westmere),
    ONE_KIND(0x2c, "Westmere: Xeon 5600", &intel_westmere),
    ONE_KIND(0x2f, "Westmere: Xeon E7", &intel_westmere),
    ONE_KIND(0x2a, "Sandy Bridge", &intel_sandy_bridge),
    ONE_KIND(0x2d, "Sandy Bridge: Xeon E5", &intel_sandy_bridge_x),
    ONE_KIND(0x3a, "Ivy Bridge", &intel_ivy_bridge),
    ONE_KIND(0x3e, "Ivy Bridge: Xeon E5, E7 v2", &intel_ivy_bridge_x),
    ONE_KIND(0x3c, "Haswell", &intel_haswell),
    ONE_KIND(0x3f, "Haswell: Xeon E5, E7 v3", &intel_haswell),
    ONE_KIND(0x45, "Haswell (mobile)", &intel_haswell),
    ONE_KIND(0x46, "Haswell (with eDRAM)", &intel_haswell),
    ONE_KIND(0x3d, "Broadwell (mobile)", &intel_broadwell),
    ONE_KIND(0x47, "Broadwell", &intel_broadwell),
    ONE_KIND(0x4f, "Broadwell: Xeon E5, E7 v4", &intel_broadwell),
    ONE_KIND(0x56, "Broadwell: Xeon D", &intel_broadwell),
    ONE_KIND(0x4e, "Skylake (mobile)", &intel_skylake),
    ONE_KIND(0x5e, "Skylake", &intel_skylake),
    ONE_KIND(0x55, "Skylake, Cascade Lake, Cooper Lake: Xeon", &intel_skylake),
    ONE_KIND(0x8e, "Kaby, Whiskey, Amber, Coffee Lake (mobile)", &intel_skylake),
    ONE_KIND(0x9e, "Kaby Lake, Coffee Lake", &intel_skylake),
    ONE_KIND(0xa5, "Comet Lake", &intel_skylake),
    ONE_KIND(0xa6, "Comet Lake (mobile)", &intel_skylake),
    ONE_KIND(0x7d, "Ice Lake", &intel_ice_lake),
    ONE_KIND(0x7e, "Ice Lake (mobile)", &intel_ice_lake),
    ONE_KIND(0x9d, "Ice Lake: NNP-I", &intel_ice_lake),
    ONE_KIND(0x6a, "Ice Lake: Xeon", &intel_ice_lake),
    ONE_KIND(0x6c, "Ice Lake: Xeon D", &intel_ice_lake),
    ONE_KIND(0x8c, "Tiger Lake (mobile)", &intel_ice_lake),
    ONE_KIND(0x8d, "Tiger Lake", &intel_ice_lake),
    ONE_KIND(0xa7, "Rocket Lake", &intel_ice_lake),
    ONE_KIND(0x8f, "Sapphire Rapids", &intel_golden_cove),
    ONE_KIND(0xcf, "Emerald Rapids", &intel_golden_cove),
    ONE_KIND(0xad, "Granite Rapids", &intel_redwood_cove),
    ONE_KIND(0xae, "Granite Rapids D", &intel_redwood_cove),
    ONE_KIND(0xd7, "Bartlett Lake", &intel_golden_cove),
    HYBRID(0x97, "Alder Lake", "alderlake", &intel_golden_cove, &intel_gracemont),
    HYBRID(0x9a, "Alder Lake (mobile)", "alderlake", &intel_golden_cove, &intel_gracemont),
    HYBRID(0xb7, "Raptor Lake", "alderlake", &intel_golden_cove, &intel_gracemont),
    HYBRID(0xba, "Raptor Lake (mobile)", "alderlake", &intel_golden_cove, &intel_gracemont),
    HYBRID(0xbf, "Raptor Lake (Alder Lake's cores)", "alderlake", &intel_golden_cove,
	   &intel_gracemont),
    HYBRID(0xaa, "Meteor Lake (mobile)", "meteorlake", &intel_redwood_cove, &intel_crestmont),
    HYBRID(0xac, "Meteor Lake", "meteorlake", &intel_redwood_cove, &intel_crestmont),
    HYBRID(0xb5, "Arrow Lake U", "meteorlake", &intel_redwood_cove, &intel_crestmont),
    HYBRID(0xc5, "Arrow Lake H", "arrowlake_h", &intel_lion_cove, &intel_skymont, &intel_crestmont),
    HYBRID(0xc6, "Arrow Lake", "lunarlake", &intel_lion_cove, &intel_skymont),
    HYBRID(0xbd, "Lunar Lake", "lunarlake", &intel_lion_cove, &intel_skymont),
    HYBRID(0xcc, "Panther Lake", "pantherlake", &intel_lion_cove, &intel_skymont),
    HYBRID(0xd5, "Wildcat Lake", "pantherlake", &intel_lion_cove, &intel_skymont),
    ONE_KIND(0x1c, "Bonnell: Atom", &intel_bonnell),
    ONE_KIND(0x26, "Bonnell: Atom Z6xx", &intel_bonnell),
    ONE_KIND(0x27, "Saltwell: Atom Z2460", &intel_bonnell),
    ONE_KIND(0x35, "Saltwell: Atom Z2760", &intel_bonnell),
    ONE_KIND(0x36, "Saltwell: Atom D2xxx, N2xxx", &intel_bonnell),
    ONE_KIND(0x37, "Silvermont: Bay Trail", &intel_silvermont),
    ONE_KIND(0x4a, "Silvermont: Merrifield", &intel_silvermont),
    ONE_KIND(0x4d, "Silvermont: Avoton, Rangeley", &intel_silvermont),
    ONE_KIND(0x5a, "Silvermont: Moorefield", &intel_silvermont),
    ONE_KIND(0x4c, "Airmont: Cherry Trail, Braswell", &intel_silvermont),
    ONE_KIND(0x75, "Airmont: Lightning Mountain", &intel_silvermont),
    ONE_KIND(0x5c, "Goldmont: Apollo Lake", &intel_goldmont),
    ONE_KIND(0x5f, "Goldmont: Denverton", &intel_goldmont),
    ONE_KIND(0x7a, "Goldmont Plus: Gemini Lake", &intel_goldmont_plus),
    ONE_KIND(0x86, "Tremont: Snow Ridge", &intel_tremont),
    ONE_KIND(0x96, "Tremont: Elkhart Lake", &intel_tremont),
    ONE_KIND(0x9c, "Tremont: Jasper Lake", &intel_tremont),
    ONE_KIND(0xbe, "Gracemont: Alder Lake N", &intel_gracemont),
    ONE_KIND(0xaf, "Crestmont: Sierra Forest", &intel_crestmont),
    ONE_KIND(0xb6, "Crestmont: Grand Ridge", &intel_crestmont),
    ONE_KIND(0xdd, "Darkmont: Clearwater Forest", &intel_skymont),
    ONE_KIND(0x57, "Knights Landing", &intel_knights),
    ONE_KIND(0x85, "Knights Mill", &intel_knights),
};
const unsigned intel_processors_count = sizeof(intel_processors) / sizeof(intel_processors[0]);

const struct intel_model *intel_find_model(void)
{
	uint32_t family = cpuid_family(), number = cpuid_model();
	size_t kind = (size_t)(hw_this_kind() - hw_kinds);

	for (unsigned i = 0; i < intel_processors_count; i++)
		if (intel_processors[i].family == family && intel_processors[i].number == number &&
		    intel_processors[i].kinds[kind])
			return intel_processors[i].kinds[kind];
	return &architectural;
}

const char *intel_hybrid_name(void)
{
	uint32_t number = cpuid_model();

	for (unsigned i = 0; i < intel_processors_count; i++)
		if (intel_processors[i].number == number && intel_processors[i].hybrid)
			return intel_processors[i].hybrid;
	return "alderlake_hybrid";
}
