/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU `msr`: free-running registers of the processor. CPUID or the model shows which there are:
 * SDM volume 4 (MSR_SMI_COUNT), volume 3, "Hardware Feedback" (APERF, MPERF). */
#include "pmu/soft/msr.h"
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "pmu/core/core.h"
#include "pmu/core/cpu.h"
#include "pmu/core/sysfs.h"

#define MSR_MPERF 0xe7
#define MSR_APERF 0xe8
#define MSR_SMI   0x34
#define MSR_PPERF 0x64e
#define SMI_BITS  32
#define NEHALEM   3 /* version of the PMU from which on there are SMI counts */

/* By config. */
static const struct {
	const char *name, *text;
	uint32_t msr; /* 0: the TSC, by its instruction */
} registers[] = {
    [0] = {"events/tsc", "event=0x00", 0},
    [1] = {"events/aperf", "event=0x01", MSR_APERF},
    [2] = {"events/mperf", "event=0x02", MSR_MPERF},
    [3] = {"events/pperf", "event=0x03", MSR_PPERF},
    [4] = {"events/smi", "event=0x04", MSR_SMI},
};

#define NR_REGISTERS (sizeof(registers) / sizeof(registers[0]))

static bool present[NR_REGISTERS]; /* constant after start */

static uint64_t read_register(uint64_t config)
{
	return registers[config].msr ? rdmsr(registers[config].msr) : rdtsc();
}

static void msr_read(struct perf_event *event)
{
	uint64_t now = read_register(event->attr.config),
		 before = __atomic_exchange_n(&event->hw.prev, now, __ATOMIC_RELAXED),
		 more = now - before;

	if (!event->hw.running)
		return;
	if (registers[event->attr.config].msr == MSR_SMI)
		more &= (1ul << SMI_BITS) - 1;
	__atomic_add_fetch(&event->count, (int64_t)more, __ATOMIC_RELAXED);
}

static void msr_start(struct perf_event *event)
{
	event->hw.prev = read_register(event->attr.config);
	event->hw.running = true;
}

static void msr_stop(struct perf_event *event)
{
	msr_read(event);
	event->hw.running = false;
}

static int msr_add(struct perf_event *event)
{
	msr_start(event);
	return 0;
}

/* Checks the event: the registers count in all rings, and never interrupt. */
static int msr_init_event(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	if (attr->sample_period || attr->config >= NR_REGISTERS || !present[attr->config] ||
	    attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
	    attr->exclude_host || attr->exclude_guest)
		return -EINVAL;
	return 0;
}

static struct pmu msr_pmu = {
    .caps = PMU_SOFTWARE,
    .event_init = msr_init_event,
    .add = msr_add,
    .del = msr_stop,
    .start = msr_start,
    .stop = msr_stop,
    .read = msr_read,
};

/* True on the models of family 6 that count productive performance: SDM volume 4, MSR_PPERF. */
static bool has_pperf(void)
{
	static const uint8_t models[] = {
	    0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, /* Skylake to Comet Lake */
	    0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7, /* Ice Lake to Rocket Lake */
	    0x97, 0x9a, 0xb7, 0xba, 0xbf,             /* Alder Lake, Raptor Lake */
	};

	if (cpuid_family() != 6 || !cpuid_read(CPUID_PMU_VERSION))
		return false;
	for (unsigned i = 0; i < sizeof(models); i++)
		if (models[i] == cpuid_model())
			return true;
	return false;
}

static void find_registers(void)
{
	bool feedback = cpuid_has(CPUID_APERFMPERF);
	uint64_t value;

	present[0] = true;
	present[1] = feedback && rdmsr_safe(MSR_APERF, &value);
	present[2] = feedback && rdmsr_safe(MSR_MPERF, &value);
	present[3] = has_pperf() && rdmsr_safe(MSR_PPERF, &value);
	present[4] = cpuid_read(CPUID_PMU_VERSION) >= NEHALEM && rdmsr_safe(MSR_SMI, &value);
}

unsigned msr_pmu_init(uint32_t type)
{
	find_registers();
	msr_pmu.type = type;
	pmu_register(&msr_pmu);
	sysfs_add_pmu("msr", msr_pmu.type);
	sysfs_add_word("msr", "format/event", "config:0-63");
	for (unsigned i = 0; i < NR_REGISTERS; i++)
		if (present[i])
			sysfs_add_word("msr", registers[i].name, registers[i].text);
	return 1;
}
