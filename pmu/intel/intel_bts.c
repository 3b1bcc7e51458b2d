/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The branch trace store: the processor writes each taken branch into a buffer of the debug store,
 * and interrupts before that is full. Branch events with a period of 1 sample by it, as Linux's
 * intel_pmu_drain_bts_buffer(). SDM volume 3, "Branch Trace Store (BTS)", "DS Save Area".
 */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "kernel/mem/memory.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel_bts.h"
#include "pmu/intel/intel_ds_parts.h"
#include "pmu/record/sample.h"

#define RECORDS   2730 /* of a buffer: 64 KiB */
#define MARGIN    (RECORDS / 16)
#define BTS_INDEX (ASSIGN_FIXED0 + 15) /* its place among the counters, as on Linux */

#define CONTROL (DEBUGCTL_TR | DEBUGCTL_BTS | DEBUGCTL_BTINT)

/* State of each processor. Task code and the PMI write it in turn: the PMI sees `event` only while
 * the store runs. */
struct bts_cpu {
	struct bts_record *buffer; /* constant once an event was opened */
	struct perf_event *event;  /* whose branches are stored. NULL: the store is off */
	bts_reader *reader;
};

static struct bts_cpu bts_cpus[MAX_CPUS];

static struct bts_cpu *this_bts(void)
{
	return &bts_cpus[this_cpu_read(id)];
}

int bts_prepare(void)
{
	if (!hw_caps.vendor || !intel_kind(&hw_kinds[HW_FIRST])->bts)
		return -EOPNOTSUPP;
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (!bts_cpus[i].buffer)
			bts_cpus[i].buffer = kalloc(RECORDS * sizeof(struct bts_record));
		if (!bts_cpus[i].buffer)
			return -ENOMEM;
	}
	return 0;
}

static void debugctl_write(uint64_t control)
{
	wrmsr(MSR_DEBUGCTL,
	      (rdmsr(MSR_DEBUGCTL) & ~(CONTROL | DEBUGCTL_BTS_OFF_OS | DEBUGCTL_BTS_OFF_USR)) |
		  control);
}

static void enable(const struct perf_event *event)
{
	debugctl_write(CONTROL | (event->attr.exclude_kernel ? DEBUGCTL_BTS_OFF_OS : 0) |
		       (event->attr.exclude_user ? DEBUGCTL_BTS_OFF_USR : 0));
}

bool bts_start(struct perf_event *event, bts_reader *reader)
{
	struct debug_store *store = intel_this_cpu()->store;
	struct bts_cpu *cpu = this_bts();

	if (cpu->event || !store || !cpu->buffer)
		return false;
	store->bts_base = store->bts_index = (uint64_t)cpu->buffer;
	store->bts_maximum = (uint64_t)(cpu->buffer + RECORDS);
	store->bts_threshold = (uint64_t)(cpu->buffer + RECORDS - MARGIN);
	cpu->reader = reader;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	cpu->event = event;
	enable(event);
	return true;
}

/* Passes the records on and empties the buffer. The index is trusted only within it. */
static void drain(struct bts_cpu *cpu)
{
	struct debug_store *store = intel_this_cpu()->store;
	uint64_t bytes = store->bts_index - (uint64_t)cpu->buffer;

	store->bts_index = (uint64_t)cpu->buffer;
	if (bytes && bytes <= RECORDS * sizeof(struct bts_record))
		cpu->reader(cpu->event, cpu->buffer, (unsigned)(bytes / sizeof(struct bts_record)));
}

void bts_stop(struct perf_event *event)
{
	struct bts_cpu *cpu = this_bts();

	if (cpu->event != event)
		return;
	debugctl_write(0);
	drain(cpu);
	cpu->event = NULL;
}

/* Task code that has just stopped the store may be reading the buffer: its status is old then. */
unsigned intel_bts_take(void)
{
	struct debug_store *store = intel_this_cpu()->store;
	struct bts_cpu *cpu = this_bts();
	struct perf_event *event = cpu->event;

	if (!event || !(rdmsr(MSR_DEBUGCTL) & DEBUGCTL_BTS) ||
	    store->bts_index < store->bts_threshold)
		return 0;
	debugctl_write(0);
	drain(cpu);
	if (cpu->event == event)
		enable(event);
	return 1;
}

/* ---- branch events with a period of 1 ---- */

static bool is_kernels(uint64_t address)
{
	return address >> 63;
}

/* The store leaks addresses of the kernel where branches cross rings. */
static void sample_records(struct perf_event *event, const struct bts_record *records, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		struct frame frame = {0};

		if (is_kernels(records[i].from) || is_kernels(records[i].to))
			continue;
		ds_set_ip(&frame, records[i].from);
		sample_write(event, &frame, records[i].to, event->hw.last_period);
	}
}

static void sampler_start(struct perf_event *event)
{
	bts_start(event, sample_records);
}

/* As on Linux the event has no count. */
static void sampler_read(struct perf_event *event)
{
	(void)event;
}

static const struct hw_derived sampler = {
    .start = sampler_start, .stop = bts_stop, .read = sampler_read};

int intel_bts_configure(struct perf_event *event)
{
	int err;

	if (!event->attr.exclude_kernel || event->attr.precise_ip)
		return -EOPNOTSUPP;
	err = bts_prepare();
	if (err)
		return err;
	event->hw.derived = &sampler;
	event->hw.stores_branches = true;
	event->hw.allowed = BIT(BTS_INDEX);
	return 0;
}
