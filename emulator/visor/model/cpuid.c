/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUID of the personality's processor: identity and PMU come from the personality, the rest from
 * the machine. Source: Intel SDM vol. 2, CPUID; AMD APM vol. 3, appendix E.
 */
#include "emulator/visor/model/base/cpuid_field.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"
#include "emulator/visor/model/clock.h"
#include "emulator/visor/model/core/model.h"
#include "emulator/visor/model/cpuid.h"
#include "emulator/visor/model/geometry.h"
#include "emulator/visor/model/intel/intel.h"
#include "emulator/visor/model/intel/pt_registers.h"

static const struct cpuid_field dtes64 = {ECX, 2, 2}; /* leaf 1 */
static const struct cpuid_field ds_cpl = {ECX, 4, 4};
static const struct cpuid_field vmx = {ECX, 5, 5};
static const struct cpuid_field pdcm = {ECX, 15, 15};
static const struct cpuid_field ds = {EDX, 21, 21};
static const struct cpuid_field hle = {EBX, 4, 4}; /* leaf 7 */
static const struct cpuid_field rtm = {EBX, 11, 11};
static const struct cpuid_field processor_trace = {EBX, 25, 25};
static const struct cpuid_field hybrid = {EDX, 15, 15};
static const struct cpuid_field arch_lbr = {EDX, 19, 19};
static const struct cpuid_field arch_capabilities = {EDX, 29, 29};
static const struct cpuid_field last_subleaf = {EAX, 0, 31};
static const struct cpuid_field perfmon_extended = {EAX, 8, 8}; /* leaf 7, subleaf 1 */
static const struct cpuid_field nx = {EDX, 20, 20};             /* leaf 80000001H */

#define LEAF_EXTENDED  0x80000001
#define LIMITED_LEAVES 2 /* the highest leaf then */

static void vendor_leaf(const struct personality *p, uint32_t regs[4])
{
	uint32_t last = p->version >= 6                  ? CPUID_LEAF_PERFMON_EXTENDED
			: p->features & FEATURE_LBR_ARCH ? CPUID_LEAF_LBR
			: p->features & FEATURE_CRYSTAL  ? CPUID_LEAF_CRYSTAL
							 : CPUID_LEAF_PERFMON;

	if (regs[EAX] < last)
		regs[EAX] = last;
	cpuid_put_vendor(p, regs);
}

static void feature_leaf(const struct personality *p, uint32_t regs[4])
{
	regs[EAX] = p->signature;
	cpuid_set(regs, dtes64, (p->features & FEATURE_PEBS) != 0);
	cpuid_set(regs, ds_cpl, (p->features & FEATURE_PEBS) != 0);
	cpuid_set(regs, vmx, 0);
	cpuid_set(regs, pdcm, (p->features & FEATURE_CAPABILITIES) != 0);
	cpuid_set(regs, ds, (p->features & FEATURE_PEBS) != 0);
}

static void structured_leaf(const struct personality *p, uint32_t regs[4])
{
	cpuid_set(regs, hle, 0);
	cpuid_set(regs, rtm, 0);
	cpuid_set(regs, processor_trace, (p->features & FEATURE_PT) != 0);
	cpuid_set(regs, hybrid, (p->features & FEATURE_HYBRID) != 0);
	cpuid_set(regs, arch_lbr, (p->features & FEATURE_LBR_ARCH) != 0);
	cpuid_set(regs, arch_capabilities, (p->features & FEATURE_IMMUNE) != 0);
	if (p->version >= 6 && !regs[EAX])
		cpuid_set(regs, last_subleaf, 1);
}

/* Hides features that software has disabled in IA32_MISC_ENABLE. */
static void disabled_features(const struct model *model, uint32_t leaf, uint32_t regs[4])
{
	if (leaf == 0 && (model->misc_enable & MISC_ENABLE_LIMIT_CPUID))
		regs[EAX] = LIMITED_LEAVES;
	if (leaf == LEAF_EXTENDED && !model_offers_nx(model))
		cpuid_set(regs, nx, 0);
}

void model_cpuid(const struct model *model, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	const struct personality *p = model->personality;

	switch (leaf) {
	case 0:
		vendor_leaf(p, regs);
		break;
	case 1:
		feature_leaf(p, regs);
		break;
	case 7:
		if (subleaf == 0)
			structured_leaf(p, regs);
		if (subleaf == 1)
			cpuid_set(regs, perfmon_extended, p->version >= 6);
		break;
	default:
		p->vendor->cpuid(p, leaf, regs);
	}
	clock_cpuid(model, leaf, regs);
	if (leaf == CPUID_LEAF_PT)
		pt_cpuid(model, subleaf, regs);
	if (leaf == CPUID_LEAF_PERFMON_EXTENDED && p->vendor == &vendor_intel)
		intel_cpuid_perfmon_extended(p, subleaf, regs);
	disabled_features(model, leaf, regs);
	if (model->geometry)
		geometry_cpuid(model->geometry, p->vendor == &vendor_amd, leaf, subleaf, regs);
}
