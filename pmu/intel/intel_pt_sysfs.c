/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities of Processor Trace, by CPUID leaf 14H, and the files of /sys in which
 * decoders look for them. SDM volume 2. */
#include "arch/x86/cpu/cpuid.h"
#include "kernel/base/text.h"
#include "pmu/core/sysfs.h"
#include "pmu/intel/intel_pt.h"

#define PMU        "intel_pt"
#define TEXT_BYTES 24

static const struct {
	const char *name;
	struct cpuid_field field;
} rows[PT_CAPS] = {
    [PT_CAP_MAX_SUBLEAF] = {"caps/max_subleaf", {0x14, 0, CPUID_EAX, 0, 31}},
    [PT_CAP_CR3_FILTER] = {"caps/cr3_filtering", {0x14, 0, CPUID_EBX, 0, 0}},
    [PT_CAP_PSB_CYC] = {"caps/psb_cyc", {0x14, 0, CPUID_EBX, 1, 1}},
    [PT_CAP_IP_FILTER] = {"caps/ip_filtering", {0x14, 0, CPUID_EBX, 2, 2}},
    [PT_CAP_MTC] = {"caps/mtc", {0x14, 0, CPUID_EBX, 3, 3}},
    [PT_CAP_PTWRITE] = {"caps/ptwrite", {0x14, 0, CPUID_EBX, 4, 4}},
    [PT_CAP_POWER] = {"caps/power_event_trace", {0x14, 0, CPUID_EBX, 5, 5}},
    [PT_CAP_EVENT_TRACE] = {"caps/event_trace", {0x14, 0, CPUID_EBX, 7, 7}},
    [PT_CAP_TNT_DISABLE] = {"caps/tnt_disable", {0x14, 0, CPUID_EBX, 8, 8}},
    [PT_CAP_TOPA] = {"caps/topa_output", {0x14, 0, CPUID_ECX, 0, 0}},
    [PT_CAP_TOPA_ENTRIES] = {"caps/topa_multiple_entries", {0x14, 0, CPUID_ECX, 1, 1}},
    [PT_CAP_SINGLE_RANGE] = {"caps/single_range_output", {0x14, 0, CPUID_ECX, 2, 2}},
    [PT_CAP_OUTPUT_SUBSYS] = {"caps/output_subsys", {0x14, 0, CPUID_ECX, 3, 3}},
    [PT_CAP_LIP] = {"caps/payloads_lip", {0x14, 0, CPUID_ECX, 31, 31}},
    [PT_CAP_RANGES] = {"caps/num_address_ranges", {0x14, 1, CPUID_EAX, 0, 2}},
    [PT_CAP_MTC_PERIODS] = {"caps/mtc_periods", {0x14, 1, CPUID_EAX, 16, 31}},
    [PT_CAP_CYC_LIMITS] = {"caps/cycle_thresholds", {0x14, 1, CPUID_EBX, 0, 15}},
    [PT_CAP_PSB_PERIODS] = {"caps/psb_periods", {0x14, 1, CPUID_EBX, 16, 31}},
};

static const struct {
	const char *name, *bits;
} formats[] = {
    {"format/pt", "config:0"},
    {"format/cyc", "config:1"},
    {"format/pwr_evt", "config:4"},
    {"format/fup_on_ptw", "config:5"},
    {"format/mtc", "config:9"},
    {"format/tsc", "config:10"},
    {"format/noretcomp", "config:11"},
    {"format/ptw", "config:12"},
    {"format/branch", "config:13"},
    {"format/mtc_period", "config:14-17"},
    {"format/cyc_thresh", "config:19-22"},
    {"format/psb_period", "config:24-27"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t caps[PT_CAPS]; /* constant after start */
static char texts[PT_CAPS][TEXT_BYTES];
static char ratio[TEXT_BYTES], non_turbo[TEXT_BYTES], ranges[TEXT_BYTES];

/* Without entries of tables there would have to be one contiguous region. */
bool pt_caps_read(void)
{
	if (!cpuid_has(CPUID_PROCESSOR_TRACE))
		return false;
	for (unsigned i = 0; i < PT_CAPS; i++)
		caps[i] = cpuid_read(rows[i].field);
	return caps[PT_CAP_TOPA] && caps[PT_CAP_TOPA_ENTRIES];
}

uint32_t pt_cap(enum pt_cap cap)
{
	return caps[cap];
}

static void add(const char *name, char *place, const char *format, uint32_t first, uint32_t second)
{
	struct text text;

	text_init(&text, place, TEXT_BYTES);
	text_print(&text, format, first, second);
	sysfs_add_word(PMU, name, place);
}

static uint32_t max_non_turbo(void)
{
	uint64_t info;

	return rdmsr_safe(MSR_PLATFORM_INFO, &info) ? (uint32_t)FIELD_GET(PLATFORM_RATIO, info) : 0;
}

void pt_sysfs_init(uint32_t type)
{
	sysfs_add_pmu(PMU, type);
	for (unsigned i = 0; i < PT_CAPS; i++)
		add(rows[i].name, texts[i], "%x", caps[i], 0);
	for (unsigned i = 0; i < COUNT(formats); i++)
		sysfs_add_word(PMU, formats[i].name, formats[i].bits);
	add("max_nonturbo_ratio", non_turbo, "%u", max_non_turbo(), 0);
	add("tsc_art_ratio", ratio, "%u:%u", cpuid_read(CPUID_TSC_NUMERATOR),
	    cpuid_read(CPUID_TSC_DENOMINATOR));
	add("nr_addr_filters", ranges, "%u", caps[PT_CAP_RANGES], 0);
}
