/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's format of last branch records, LbrExtV2: FROM and TO in turn. PPR of family 19h, "Last
 * Branch Record Stack". */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/amd.h"
#include "pmu/hw/lbr_select.h"

#define ADDRESS_BITS   58 /* of FROM and TO, whose other bits are flags */
#define TO_SPECULATIVE BIT(62)
#define TO_VALID       BIT(63)

static uint8_t amd_depth(const struct lbr_format *format)
{
	uint32_t depth = cpuid_read(CPUID_AMD_LBR_DEPTH);

	if (!cpuid_has(CPUID_AMD_LBR_V2))
		return 0;
	return depth < format->depth ? (uint8_t)depth : format->depth;
}

static void amd_start(uint64_t filter)
{
	wrmsr(MSR_AMD_LBR_SELECT, filter);
	wrmsr(MSR_DEBUGCTL, rdmsr(MSR_DEBUGCTL) | DEBUGCTL_FREEZE_LBR_ON_PMI);
	wrmsr(MSR_AMD_DBG_EXTN_CFG, rdmsr(MSR_AMD_DBG_EXTN_CFG) | AMD_DBG_EXTN_LBRV2);
}

static void amd_stop(void)
{
	wrmsr(MSR_AMD_DBG_EXTN_CFG, rdmsr(MSR_AMD_DBG_EXTN_CFG) & ~AMD_DBG_EXTN_LBRV2);
	wrmsr(MSR_DEBUGCTL, rdmsr(MSR_DEBUGCTL) & ~DEBUGCTL_FREEZE_LBR_ON_PMI);
}

static uint64_t amd_address(uint64_t value)
{
	unsigned shift = 64 - ADDRESS_BITS;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static bool amd_show(const struct lbr_record *record, bool info, struct perf_branch_entry *entry)
{
	bool valid = record->to & TO_VALID, speculative = record->to & TO_SPECULATIVE;

	(void)info;
	*entry = (struct perf_branch_entry){
	    .from = amd_address(record->from),
	    .to = amd_address(record->to),
	    .mispred = record->from >> FROM_MISPREDICTED,
	    .predicted = ~record->from >> FROM_MISPREDICTED,
	    .spec = valid ? speculative ? PERF_BR_SPEC_CORRECT_PATH : PERF_BR_NON_SPEC_CORRECT_PATH
			  : PERF_BR_SPEC_WRONG_PATH,
	};
	return valid || speculative;
}

const struct lbr_format amd_lbr = {
    .name = "LbrExtV2",
    .from = MSR_AMD_LBR_FROM0,
    .to = MSR_AMD_LBR_FROM0 + 1,
    .step = 2,
    .depth = 16,
    .empty = LBR_EMPTY_IS_SKIPPED,
    .only_samples = true,
    .inverted = SELECT_INVERTED,
    .filters = {SELECT_FILTERS, ASK(ABORT_TX) = LBR_UNSUPPORTED, ASK(IN_TX) = LBR_UNSUPPORTED,
		ASK(NO_TX) = LBR_UNSUPPORTED, ASK(CALL_STACK) = LBR_UNSUPPORTED,
		ASK(NO_FLAGS) = LBR_UNSUPPORTED, ASK(NO_CYCLES) = LBR_UNSUPPORTED},
    .find_depth = amd_depth,
    .start = amd_start,
    .stop = amd_stop,
    .reset = lbr_clear,
    .show = amd_show,
};
