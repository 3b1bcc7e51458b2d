/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several PEBS records an interrupt, as Linux's "large PEBS": the processor reloads a counter whose
 * period is fixed after each record, so that records can wait until the buffer is nearly full, the
 * task is switched out, or the event is read or stopped. SDM volume 3, "Processor Event Based
 * Sampling (PEBS) Facility", "DS Save Area".
 */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "pmu/base/cpu.h"
#include "pmu/base/later.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel_ds.h"
#include "pmu/intel/intel_ds_parts.h"
#include "pmu/record/userpage.h"

/* The parts of a sample that are in the record, or do not change while it waits. */
#define WAITING_PARTS                                                                              \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER | \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_REGS_INTR |                 \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_WEIGHT_TYPE)

/* PERF_REG_X86_AX to FLAGS, and R8 to R15: the others are segments. */
#define RECORD_REGISTERS (FIELD(9, 0) | FIELD(23, 16))

/* Registers of ring 3 are in the record if both are of ring 3; branches are in adaptive
 * ones. */
static uint64_t waiting_parts(const struct perf_event_attr *attr, unsigned format)
{
	bool user = attr->exclude_kernel && !(attr->sample_regs_user & ~RECORD_REGISTERS);

	return WAITING_PARTS | (user ? PERF_SAMPLE_REGS_USER : 0) |
	       (format >= DS_FORMAT_ADAPTIVE ? PERF_SAMPLE_BRANCH_STACK : 0);
}

void ds_choose_reload(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	unsigned format = intel_kind(event->hw.kind)->pebs_format;

	event->hw.may_reload = !attr->freq && (!attr->wakeup_events || attr->watermark);
	event->hw.buffered = event->hw.may_reload && format >= DS_FORMAT_TIME && !attr->sigtrap &&
			     !(attr->__reserved_3 & (ATTR_AUX_PAUSE | ATTR_AUX_RESUME)) &&
			     !(attr->sample_type & ~waiting_parts(attr, format)) &&
			     !(attr->use_clockid && (attr->sample_type & PERF_SAMPLE_TIME));
}

/* Returns the bytes that records of all counters take. */
static uint64_t bytes_of_all(const struct intel_cpu *cpu)
{
	unsigned format = intel_kind(hw_this_kind())->pebs_format;

	return format < DS_FORMAT_ADAPTIVE
		   ? DS_GENERAL * ds_fixed_bytes(format)
		   : (DS_GENERAL + INTEL_MAX_FIXED) * ds_adaptive_bytes(cpu->groups);
}

/* Interrupts after each record, or, if all events allow it, when each counter can still make one.
 */
static void set_threshold(struct intel_cpu *cpu)
{
	struct debug_store *store = cpu->store;
	bool waits = cpu->pebs && !__atomic_load_n(&cpu->prompt, __ATOMIC_RELAXED);

	store->threshold = waits ? store->maximum - bytes_of_all(cpu) : store->base + 1;
	this_pmu_cpu()->buffered = waits;
}

void ds_counter_starts(struct perf_event *event)
{
	struct intel_cpu *cpu = intel_this_cpu();
	struct hw_event *hw = &event->hw;
	unsigned slot = (unsigned)hw->index < GLOBAL_FIXED0
			    ? (unsigned)hw->index
			    : DS_GENERAL + (unsigned)hw->index - GLOBAL_FIXED0;

	hw->reloads = hw_counter_can_reload(event);
	cpu->store->reset[slot] = hw->reloads ? hw_counter_reload_value(event) : 0;
	if (!hw->reloads || !hw->buffered)
		__atomic_or_fetch(&cpu->prompt, BIT(hw->index), __ATOMIC_RELAXED);
}

void ds_counters_changed(void)
{
	set_threshold(intel_this_cpu());
}

void ds_counter_stops(const struct perf_event *event)
{
	__atomic_and_fetch(&intel_this_cpu()->prompt, ~BIT(event->hw.index), __ATOMIC_RELAXED);
}

void ds_sample_reloaded(struct perf_event *event, struct sample_parts *parts)
{
	struct intel_cpu *cpu = intel_this_cpu();
	uint64_t counter = BIT(event->hw.index);

	hw_counter_reloaded(event);
	if (!(cpu->stopping & counter) &&
	    event_overflow(event, &parts->frame, parts->address, event->hw.last_period, true))
		cpu->stopping |= counter;
	userpage_reloaded(event);
}

void ds_stop_due(struct hw_cpu *cpu)
{
	uint64_t counters = intel_this_cpu()->stopping;

	intel_this_cpu()->stopping = 0;
	for (; counters; counters &= counters - 1)
		if (cpu->events[__builtin_ctzl(counters)])
			hw_counter_stop(cpu->events[__builtin_ctzl(counters)]);
}

/* A PMI that comes in between finds `taking`, and starts no counter. */
void ds_drain(struct hw_cpu *cpu)
{
	struct intel_cpu *intel = intel_this_cpu();
	uint64_t flags = irq_save(), global = cpu->global;
	struct frame none = {0};

	if (!this_cpu()->nmi_depth && !intel->taking && intel->store->index != intel->store->base) {
		intel->taking = true;
		cpu->global = 0;
		hw_caps.control->stop(cpu);
		ds_take_records(cpu, &none);
		lbr_forget();
		cpu->global = global;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		intel->taking = false;
		hw_caps.control->start(cpu);
	}
	irq_restore(flags);
}
