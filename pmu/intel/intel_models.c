/* SPDX-License-Identifier: BSD-2-Clause */
/* The event tables of Intel's processors, by model. SDM volume 4, table 2-1. */
#include "arch/x86/cpu/cpuid.h"
#include "pmu/intel/intel_tables.h"

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

static const struct {
	uint8_t number; /* model of family 6 */
	const struct intel_model *model;
} models[] = {
    {0x0e, &intel_core},         {0x0f, &intel_merom},       {0x16, &intel_core2},
    {0x17, &intel_core2},        {0x1d, &intel_core2},       {0x1a, &intel_nehalem},
    {0x1e, &intel_nehalem},      {0x2e, &intel_nehalem},     {0x25, &intel_westmere},
    {0x2c, &intel_westmere},     {0x2f, &intel_westmere},    {0x2a, &intel_sandy_bridge},
    {0x2d, &intel_sandy_bridge}, {0x3a, &intel_ivy_bridge},  {0x3e, &intel_ivy_bridge},
    {0x3c, &intel_haswell},      {0x3f, &intel_haswell},     {0x45, &intel_haswell},
    {0x46, &intel_haswell},      {0x3d, &intel_broadwell},   {0x47, &intel_broadwell},
    {0x4f, &intel_broadwell},    {0x56, &intel_broadwell},   {0x4e, &intel_skylake}, /* client */
    {0x5e, &intel_skylake},      {0x55, &intel_skylake},                             /* server */
    {0x8e, &intel_skylake},                                  /* Kaby Lake, Coffee Lake */
    {0x9e, &intel_skylake},      {0xa5, &intel_skylake},     /* Comet Lake */
    {0xa6, &intel_skylake},      {0x7d, &intel_ice_lake},    /* client */
    {0x7e, &intel_ice_lake},     {0x6a, &intel_ice_lake},    /* server */
    {0x6c, &intel_ice_lake},     {0x8c, &intel_ice_lake},    /* Tiger Lake */
    {0x8d, &intel_ice_lake},     {0xa7, &intel_ice_lake},    /* Rocket Lake */
    {0x8f, &intel_golden_cove},                              /* Sapphire Rapids */
    {0x97, &intel_golden_cove},  {0x9a, &intel_golden_cove}, /* Alder Lake's performance cores */
    {0xb7, &intel_golden_cove},  {0xba, &intel_golden_cove}, /* Raptor Lake's */
    {0xbf, &intel_golden_cove},  {0xbe, &intel_gracemont},   /* Alder Lake-N */
};

const struct intel_model *intel_find_model(void)
{
	uint32_t number = cpuid_model();

	/* Efficient cores share the model number of the other cores. */
	if (hw_this_kind() == &hw_kinds[HW_SECOND])
		return &intel_gracemont;
	if (cpuid_family() == 6)
		for (unsigned i = 0; i < sizeof(models) / sizeof(models[0]); i++)
			if (models[i].number == number)
				return models[i].model;
	return &architectural;
}
