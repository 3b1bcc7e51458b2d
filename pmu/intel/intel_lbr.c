/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's formats of last branch records: Core 2's, Nehalem's, Skylake's, the architectural ones.
 * SDM volume 3, "Last Branch, Interrupt, and Exception Recording", "Last Branch Records".
 */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/hw/lbr_select.h"
#include "pmu/intel/intel.h"

/* ---- with DEBUGCTL ---- */

/* Returns the DEBUGCTL value for the filter. A call stack is not frozen: it would miss the calls
 * and returns of the PMI handler. */
static uint64_t debugctl(uint64_t filter)
{
	return DEBUGCTL_LBR | (filter & SELECT_CALL_STACK ? 0 : DEBUGCTL_FREEZE_LBR_ON_PMI);
}

#define DEBUGCTL_OURS (DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBR_ON_PMI)

static void debugctl_start(uint64_t filter)
{
	wrmsr(MSR_LBR_SELECT, filter);
	wrmsr(MSR_DEBUGCTL, (rdmsr(MSR_DEBUGCTL) & ~DEBUGCTL_OURS) | debugctl(filter));
}

static void debugctl_stop(void)
{
	wrmsr(MSR_DEBUGCTL, rdmsr(MSR_DEBUGCTL) & ~DEBUGCTL_OURS);
}

/* Sets the LBR bit again, which freezing in versions up to 3 clears. */
static void debugctl_thaw(void)
{
	wrmsr(MSR_DEBUGCTL, rdmsr(MSR_DEBUGCTL) | DEBUGCTL_LBR);
}

/* Core 2 has no hardware filter. */
static void unfiltered_start(uint64_t filter)
{
	(void)filter;
	wrmsr(MSR_DEBUGCTL, rdmsr(MSR_DEBUGCTL) | DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBR_ON_PMI);
}

static bool plain_show(const struct lbr_record *record, bool info, struct perf_branch_entry *entry)
{
	(void)info;
	*entry = (struct perf_branch_entry){.from = record->from, .to = record->to};
	return record->from;
}

/* The flag is in bit 63 of FROM, in place of the address's sign. */
static bool flags_show(const struct lbr_record *record, bool info, struct perf_branch_entry *entry)
{
	(void)info;
	*entry = (struct perf_branch_entry){
	    .from = (uint64_t)((int64_t)(record->from << 1) >> 1),
	    .to = record->to,
	    .mispred = record->from >> FROM_MISPREDICTED,
	    .predicted = ~record->from >> FROM_MISPREDICTED,
	};
	return record->from;
}

#define TSX_IN_TX 62 /* the numbers of FROM's bits */
#define TSX_ABORT 61
#define TSX_BITS  3

/* Haswell's: bits of transactions beside it, on processors that have them. */
static bool tsx_show(const struct lbr_record *record, bool info, struct perf_branch_entry *entry)
{
	flags_show(record, info, entry);
	entry->from = (uint64_t)((int64_t)(record->from << TSX_BITS) >> TSX_BITS);
	entry->in_tx = record->from >> TSX_IN_TX & 1;
	entry->abort = record->from >> TSX_ABORT & 1;
	return record->from;
}

#define TIME_CYCLES FIELD(63, 48)

/* Goldmont's: the upper bits of TO are cycles since the last branch. */
static bool time_show(const struct lbr_record *record, bool info, struct perf_branch_entry *entry)
{
	flags_show(record, info, entry);
	entry->to = (uint64_t)((int64_t)(record->to << 16) >> 16);
	entry->cycles = FIELD_GET(TIME_CYCLES, record->to) & 0xffff;
	return record->from;
}

#define INFO_CYCLES       FIELD(15, 0)
#define INFO_TYPE         FIELD(59, 56)
#define INFO_CYCLES_VALID BIT(60)
/* Numbers of bits. */
#define INFO_ABORT        61
#define INFO_IN_TX        62
#define INFO_MISPREDICTED 63

/* If the event does not want it, `info` was not read: it is zero. */
static bool info_show(const struct lbr_record *record, bool info, struct perf_branch_entry *entry)
{
	uint64_t flags = record->info;

	*entry = (struct perf_branch_entry){
	    .from = record->from,
	    .to = record->to,
	    .mispred = flags >> INFO_MISPREDICTED,
	    .predicted = info && !(flags >> INFO_MISPREDICTED),
	    .in_tx = flags >> INFO_IN_TX & 1,
	    .abort = flags >> INFO_ABORT & 1,
	    .cycles = flags & INFO_CYCLES,
	};
	return record->from;
}

/* The layouts of registers; the format that PERF_CAPABILITIES names decodes a record. */

#define UNFILTERED(records)                                                                \
	.from = MSR_LBR_CORE_FROM0, .to = MSR_LBR_CORE_TO0, .step = 1, .depth = (records), \
	.top = MSR_LBR_TOS, .empty = LBR_EMPTY_SHOWS, .start = unfiltered_start,           \
	.stop = debugctl_stop, .thaw = debugctl_thaw, .reset = lbr_clear

static const struct lbr_format core2 = {.name = "Core 2", UNFILTERED(4)};
const struct lbr_format intel_lbr_bonnell = {.name = "Bonnell", UNFILTERED(8)};

#define FILTERED                                                                              \
	.step = 1, .top = MSR_LBR_TOS, .empty = LBR_EMPTY_SHOWS, .inverted = SELECT_INVERTED, \
	.start = debugctl_start, .stop = debugctl_stop, .reset = lbr_clear

/* Nehalem's filter loses calls unless it lets jumps through (Linux). */
#define NEHALEM_FILTERS                                                                \
	ASK(USER) = SELECT_RING3, ASK(KERNEL) = SELECT_RING0, ASK(ANY) = SELECT_KINDS, \
	ASK(ANY_CALL) = SELECT_CALLS | SELECT_JUMPS | SELECT_FAR,                      \
	ASK(ANY_RETURN) = SELECT_RET | SELECT_JUMPS | SELECT_FAR,                      \
	ASK(IND_CALL) = SELECT_IND_CALL | SELECT_IND_JMP, ASK(COND) = SELECT_JCC,      \
	ASK(IND_JUMP) = SELECT_IND_JMP, ASK(CALL) = SELECT_CALLS | SELECT_JUMPS

static const struct lbr_format nehalem = {
    .name = "Nehalem",
    .from = MSR_LBR_FROM0,
    .to = MSR_LBR_TO0,
    .depth = 16,
    .filters = {NEHALEM_FILTERS},
    .thaw = debugctl_thaw,
    FILTERED,
};

const struct lbr_format intel_lbr_silvermont = {
    .name = "Silvermont",
    .from = MSR_LBR_CORE_FROM0,
    .to = MSR_LBR_CORE_TO0,
    .depth = 8,
    .filters = {NEHALEM_FILTERS},
    .thaw = debugctl_thaw,
    FILTERED,
};

const struct lbr_format intel_lbr_sandy_bridge = {
    .name = "Sandy Bridge",
    .from = MSR_LBR_FROM0,
    .to = MSR_LBR_TO0,
    .depth = 16,
    .filters = {SELECT_FILTERS, ASK(CALL_STACK) = LBR_UNSUPPORTED},
    .thaw = debugctl_thaw,
    FILTERED,
};

const struct lbr_format intel_lbr_knights = {
    .name = "Knights Landing",
    .from = MSR_LBR_FROM0,
    .to = MSR_LBR_TO0,
    .depth = 8,
    .filters = {SELECT_FILTERS, ASK(CALL_STACK) = LBR_UNSUPPORTED},
    .thaw = debugctl_thaw,
    FILTERED,
};

#define CALL_STACK_FILTERS \
	SELECT_FILTERS, ASK(CALL_STACK) = SELECT_CALLS | SELECT_RET | SELECT_CALL_STACK

/* An abort is recorded twice (Linux). */
static const struct lbr_format haswell = {
    .name = "Haswell",
    .from = MSR_LBR_FROM0,
    .to = MSR_LBR_TO0,
    .depth = 16,
    .call_stack = SELECT_CALL_STACK,
    .filters = {CALL_STACK_FILTERS},
    .double_abort = true,
    .thaw = debugctl_thaw,
    FILTERED,
};

static const struct lbr_format goldmont = {
    .name = "Goldmont",
    .from = MSR_LBR_FROM0,
    .to = MSR_LBR_TO0,
    .depth = 32,
    .call_stack = SELECT_CALL_STACK,
    .filters = {CALL_STACK_FILTERS},
    FILTERED,
};

static const struct lbr_format skylake = {
    .name = "Skylake",
    .from = MSR_LBR_FROM0,
    .to = MSR_LBR_TO0,
    .info = MSR_LBR_INFO0,
    .depth = 32,
    .call_stack = SELECT_CALL_STACK,
    .filters = {CALL_STACK_FILTERS},
    FILTERED,
};

/* ---- architectural: IA32_LBR_CTL, whose bits let branches through ---- */

#define CTL_ENABLE     BIT(0)
#define CTL_RING0      BIT(1)
#define CTL_RING3      BIT(2)
#define CTL_CALL_STACK BIT(3)
#define CTL_JCC        BIT(16)
#define CTL_IND_JMP    BIT(18)
#define CTL_CALL       BIT(19)
#define CTL_IND_CALL   BIT(20)
#define CTL_RET        BIT(21)
#define CTL_OTHER      BIT(22)
#define CTL_KINDS      FIELD(22, 16)
#define CTL_CALLS      (CTL_CALL | CTL_IND_CALL)

#define ARCH_STEP 8 /* records for each bit of CPUID's mask of depths */

/* Returns the depth if all features are there: filters by ring and kind, and call stacks. */
static uint8_t arch_depth(const struct lbr_format *format)
{
	uint32_t depths = cpuid_read(CPUID_LBR_DEPTHS), depth = 0;

	if (cpuid_read(CPUID_LBR_FILTERS) != LBR_FILTERS_ALL)
		return 0;
	for (uint32_t i = 0; i < format->depth / ARCH_STEP; i++)
		if (depths & BIT(i))
			depth = (i + 1) * ARCH_STEP;
	return depth && wrmsr_safe(MSR_ARCH_LBR_DEPTH, depth) ? (uint8_t)depth : 0;
}

static void arch_start(uint64_t filter)
{
	uint64_t freeze = filter & CTL_CALL_STACK ? 0 : DEBUGCTL_FREEZE_LBR_ON_PMI;

	wrmsr(MSR_DEBUGCTL, (rdmsr(MSR_DEBUGCTL) & ~DEBUGCTL_FREEZE_LBR_ON_PMI) | freeze);
	wrmsr(MSR_ARCH_LBR_CTL, filter | CTL_ENABLE);
}

static void arch_stop(void)
{
	wrmsr(MSR_ARCH_LBR_CTL, 0);
}

/* Clears the records: writing the depth does it. */
static void arch_reset(void)
{
	wrmsr(MSR_ARCH_LBR_DEPTH, lbr_depth);
}

/* Decodes a record; kind() refines the processor's branch type later. */
static bool arch_show(const struct lbr_record *record, bool info, struct perf_branch_entry *entry)
{
	(void)info;
	info_show(record, true, entry);
	if (!(record->info & INFO_CYCLES_VALID))
		entry->cycles = 0;
	entry->type = FIELD_GET(INFO_TYPE, record->info);
	return record->from;
}

static uint32_t arch_kind(const struct perf_branch_entry *entry)
{
	static const uint32_t kinds[] = {BRANCH_JCC,      BRANCH_IND_JMP, BRANCH_JMP,
					 BRANCH_IND_CALL, BRANCH_CALL,    BRANCH_RET};

	if (entry->type >= sizeof(kinds) / sizeof(kinds[0]))
		return 0;
	return kinds[entry->type] | branch_ring(entry->to);
}

static const struct lbr_format architectural = {
    .name = "architectural",
    .from = MSR_ARCH_LBR_FROM0,
    .to = MSR_ARCH_LBR_TO0,
    .info = MSR_ARCH_LBR_INFO0,
    .step = 1,
    .depth = 32,
    .empty = LBR_EMPTY_ENDS,
    .always_types = true,
    .call_stack = CTL_CALL_STACK,
    .filters = {ASK(USER) = CTL_RING3, ASK(KERNEL) = CTL_RING0, ASK(ANY) = CTL_KINDS,
		ASK(ANY_CALL) = CTL_CALLS | CTL_OTHER, ASK(ANY_RETURN) = CTL_RET | CTL_OTHER,
		ASK(IND_CALL) = CTL_IND_CALL, ASK(COND) = CTL_JCC,
		ASK(CALL_STACK) = CTL_CALLS | CTL_RET | CTL_CALL_STACK, ASK(IND_JUMP) = CTL_IND_JMP,
		ASK(CALL) = CTL_CALL},
    .find_depth = arch_depth,
    .start = arch_start,
    .stop = arch_stop,
    .reset = arch_reset,
    .show = arch_show,
    .kind = arch_kind,
};

/* ---- which it is ---- */

/* By PERF_CAPABILITIES[5:0]. */
static const struct {
	const struct lbr_format *layout; /* NULL: a format of 32-bit processors */
	bool (*show)(const struct lbr_record *record, bool info, struct perf_branch_entry *entry);
} formats[] = {
    [LBR_FORMAT_LINEAR] = {&core2, plain_show},  [LBR_FORMAT_EFFECTIVE] = {&core2, plain_show},
    [LBR_FORMAT_FLAGS] = {&nehalem, flags_show}, [LBR_FORMAT_TSX] = {&haswell, tsx_show},
    [LBR_FORMAT_INFO] = {&skylake, info_show},   [LBR_FORMAT_TIME] = {&goldmont, time_show},
    [LBR_FORMAT_INFO2] = {&skylake, info_show},
};

const struct lbr_format *intel_branch_format(uint64_t capabilities, const struct intel_model *model)
{
	static struct lbr_format chosen;
	uint64_t format = FIELD_GET(PERF_CAP_LBR_FORMAT, capabilities);

	if (cpuid_has(CPUID_ARCH_LBR))
		return &architectural;
	if (format >= sizeof(formats) / sizeof(formats[0]) || !formats[format].layout)
		return NULL;
	chosen = model->branches ? *model->branches : *formats[format].layout;
	chosen.show = formats[format].show;
	if (format == LBR_FORMAT_TSX && !cpuid_has(CPUID_RTM))
		chosen.show = flags_show;
	return &chosen;
}
