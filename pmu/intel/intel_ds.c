/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PEBS: the processor writes a record of the instruction after an overflow into its debug store,
 * and interrupts after each, or when its buffer is nearly full (intel_ds_large.c). SDM volume 3,
 * "Processor Event Based Sampling (PEBS) Facility", "DS Save Area".
 */
#include <asm/perf_regs.h>
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/log.h"
#include "kernel/mem/memory.h"
#include "pmu/base/registers.h"
#include "pmu/core/core.h"
#include "pmu/hw/shadow.h"
#include "pmu/intel/intel_bts.h"
#include "pmu/intel/intel_ds.h"
#include "pmu/intel/intel_ds_parts.h"

#define MISC_NO_BTS  BIT(11) /* of MSR_MISC_ENABLE */
#define MISC_NO_PEBS BIT(12)
#define BUFFER_BYTES (16 * PAGE_SIZE) /* of records, as on Linux */
#define DS_BYTES     (2 * PAGE_SIZE + BUFFER_BYTES)
#define MAX_PRECISE  3
#define CYCLES       0x003c

/* ---- discovery ---- */

/* Returns the counters that can make records: the first, the first four, or all. */
static uint64_t counters_of(const struct hw_kind *kind, unsigned format)
{
	if (format >= DS_FORMAT_ADAPTIVE)
		return kind->general | kind->fixed;
	return kind->general & (format < DS_FORMAT_ACCESS ? 1 : 0xf);
}

/* Returns whether there is a debug store, and MISC_ENABLE. */
static bool has_store(uint64_t *misc)
{
	return cpuid_has(CPUID_DS) && cpuid_has(CPUID_DTES64) &&
	       rdmsr_safe(MSR_MISC_ENABLE, misc) && wrmsr_safe(MSR_DS_AREA, 0);
}

/* Returns the bits of PEBS_ENABLE that work, of the counters and their further ones: a model is
 * known by its number, which a virtual machine may have made up. */
static uint64_t find_enables(uint64_t counters, unsigned format)
{
	uint64_t found = 0;

	if (format < DS_FORMAT_ADAPTIVE)
		counters |= PEBS_ENABLE_STORES | counters * PEBS_ENABLE_LATENCY;
	for (; counters; counters &= counters - 1)
		if (hw_register_works(MSR_PEBS_ENABLE, counters & -counters, 0))
			found |= counters & -counters;
	return found;
}

static bool has_pebs(uint64_t misc, uint64_t capabilities, unsigned format)
{
	const struct hw_kind *kind = hw_this_kind();
	uint64_t counters = counters_of(kind, format);

	if (intel_model(kind)->broken_records || (misc & MISC_NO_PEBS))
		return false;
	intel_kind(kind)->pebs_enables = find_enables(counters, format);
	if (!(intel_kind(kind)->pebs_enables & counters) || !wrmsr_safe(MSR_PEBS_ENABLE, 0))
		return false;
	if (format < DS_FORMAT_ADAPTIVE)
		return intel_model(hw_this_kind())->precise_only;
	return (capabilities & PERF_CAP_PEBS_BASELINE) && wrmsr_safe(MSR_PEBS_DATA_CFG, 0);
}

static bool allocate_store(struct intel_cpu *cpu, unsigned format)
{
	struct debug_store *store = kalloc(DS_BYTES);
	uint64_t room = BUFFER_BYTES;

	if (!store)
		return false;
	if (format < DS_FORMAT_ADAPTIVE) /* unknown formats are not used */
		room -= BUFFER_BYTES % ds_fixed_bytes(format);
	store->base = store->index = (uint64_t)store + 2 * PAGE_SIZE;
	store->maximum = store->base + room;
	store->threshold = store->base + 1; /* every record interrupts */
	cpu->store = store;
	return true;
}

static bool allocate_stores(const struct hw_kind *kind, unsigned format)
{
	for (uint32_t i = 0; i < nr_cpus; i++)
		if (cpu_mask_has(&kind->cpus, i) && !allocate_store(&intel_cpus[i], format)) {
			log_warn("PMU: no memory for the debug store");
			return false;
		}
	return true;
}

void intel_ds_discover(uint64_t capabilities)
{
	unsigned format = (unsigned)FIELD_GET(PERF_CAP_PEBS_FORMAT, capabilities);
	struct hw_kind *kind = hw_this_kind();

	bool pebs, bts;
	uint64_t misc;

	if (!has_store(&misc))
		return;
	pebs = has_pebs(misc, capabilities, format);
	bts = !(misc & MISC_NO_BTS) && hw_caps.version >= 2;
	if ((!pebs && !bts) || !allocate_stores(kind, format))
		return;
	intel_kind(kind)->bts = bts;
	kind->records = GLOBAL_STATUS_DS_BUFFER;
	kind->status |= GLOBAL_STATUS_DS_BUFFER;
	if (!pebs)
		return;
	intel_kind(kind)->pebs = counters_of(kind, format) & intel_kind(kind)->pebs_enables;
	intel_kind(kind)->pebs_format = (uint8_t)format;
	intel_kind(kind)->pebs_trap = capabilities & PERF_CAP_PEBS_TRAP;
}

void intel_ds_start(void)
{
	if (!intel_this_cpu()->store)
		return;
	if (intel_kind(hw_this_kind())->pebs)
		wrmsr(MSR_PEBS_ENABLE, 0);
	intel_this_cpu()->take = intel_kind(hw_this_kind())->pebs_format < DS_FORMAT_ADAPTIVE
				     ? ds_take_fixed
				     : ds_take_adaptive;
	wrmsr(MSR_DS_AREA, (uint64_t)intel_this_cpu()->store);
}

/* True if records hold the instruction's address, or the last branch leads to it. */
static bool knows_address(const struct intel_kind *intel)
{
	return lbr_format || intel->pebs_format >= DS_FORMAT_EVENTING;
}

unsigned intel_ds_max_precise(const struct hw_kind *kind)
{
	const struct intel_kind *intel = intel_kind(kind);

	if (!intel->pebs)
		return 0;
	return 1u + knows_address(intel) +
	       (intel->pebs_format >= DS_FORMAT_ADAPTIVE || intel->model->precise_distribution);
}

/* ---- configuration ---- */

#define MEMORY_PARTS                                                       \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR | \
	 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_DATA_PAGE_SIZE)

/* Returns the record groups that the attr needs. Without the exact address the next instruction's
 * is in the group of general registers. */
static uint64_t groups_of(const struct perf_event_attr *attr)
{
	bool branches = attr->sample_type & PERF_SAMPLE_BRANCH_STACK;
	uint64_t registers =
	    (attr->sample_type & PERF_SAMPLE_REGS_INTR ? attr->sample_regs_intr : 0) |
	    (attr->sample_type & PERF_SAMPLE_REGS_USER ? attr->sample_regs_user : 0);

	return (attr->sample_type & MEMORY_PARTS ? DS_GROUP_MEMORY : 0) |
	       ((registers & ~REGISTERS_EXTENDED) || attr->precise_ip < 2 ? DS_GROUP_GPRS : 0) |
	       (registers & REGISTERS_EXTENDED ? DS_GROUP_XMMS : 0) |
	       (branches ? DS_GROUP_BRANCHES | (lbr_depth - 1ul) << DS_BRANCHES_SHIFT : 0);
}

/* True if the event's branch filter is the one that finding addresses requires. */
static bool branches_fit(const struct perf_event_attr *attr)
{
	uint64_t rings = (attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
			 (attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL);

	return (attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY) &&
	       (attr->branch_sample_type & (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)) ==
		   rings;
}

/* Formats 0 and 1 need branch records to find the instruction's address. As on Linux, attr shows
 * the branch filter. */
static int configure_branches(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (attr->precise_ip < 2 || intel_kind(event->hw.kind)->pebs_format >= DS_FORMAT_EVENTING)
		return 0;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return branches_fit(attr) ? 0 : -EOPNOTSUPP;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				   (attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
				   (attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL);
	return lbr_configure(event);
}

int intel_ds_configure(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->precise_ip)
		return 0;
	if (attr->precise_ip > intel_ds_max_precise(event->hw.kind))
		return -EOPNOTSUPP;
	if (!event_is_sampling(event))
		return -EINVAL;
	event->hw.is_precise = true;
	ds_choose_reload(event);
	event->hw.config &= ~EVTSEL_INT;
	if (intel_kind(event->hw.kind)->pebs_format < DS_FORMAT_ADAPTIVE)
		return configure_branches(event);
	event->hw.record_groups = groups_of(attr);
	event->hw.config |= EVTSEL_ADAPTIVE;
	return 0;
}

void intel_ds_choose(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	const struct intel_kind *intel = intel_kind(hw->kind);
	unsigned precision = event->attr.precise_ip == MAX_PRECISE;
	uint64_t cycles = intel->model->precise_cycles[precision];

	if (!hw->is_precise || intel->pebs_format >= DS_FORMAT_ADAPTIVE)
		return;
	if (cycles && (hw->config & INTEL_RAW_MASK) == CYCLES)
		hw->config = (hw->config & ~(uint64_t)INTEL_RAW_MASK) | cycles;
	hw->record_groups = intel_record_enables(event);
}

/* ---- one counter ---- */

/* Adds groups to the records, which shrink again when the last precise event stops. */
static void add_groups(struct intel_cpu *cpu, uint64_t groups)
{
	if (!cpu->pebs)
		cpu->groups = 0;
	else if (!(groups & ~cpu->groups))
		return;
	cpu->groups |= groups;
	wrmsr(MSR_PEBS_DATA_CFG, cpu->groups);
}

/* Returns the event's bits of PEBS_ENABLE. Before format 4 load latency has a bit for each counter,
 * and precise stores have one. */
static uint64_t enables_of(const struct hw_event *hw)
{
	const struct intel_kind *intel = intel_kind(hw->kind);
	uint64_t enables = BIT(hw->index);

	if (intel->pebs_format >= DS_FORMAT_ADAPTIVE)
		return enables;
	if (hw->record_groups & PEBS_ENABLE_STORES)
		enables |= PEBS_ENABLE_STORES;
	else
		enables |= hw->record_groups << hw->index;
	return enables & intel->pebs_enables;
}

/* The counter continues from 0 after the record, until the PMI loads it. */
static void ds_start(struct perf_event *event)
{
	struct intel_cpu *cpu = intel_this_cpu();

	if (intel_kind(event->hw.kind)->pebs_format >= DS_FORMAT_ADAPTIVE)
		add_groups(cpu, event->hw.record_groups);
	ds_counter_starts(event);
	shadow_write(&cpu->pebs, MSR_PEBS_ENABLE, 0, enables_of(&event->hw));
	ds_counters_changed();
}

static void ds_stop(struct perf_event *event)
{
	if (event->hw.buffered)
		ds_drain(hw_this_cpu());
	shadow_write(&intel_this_cpu()->pebs, MSR_PEBS_ENABLE, enables_of(&event->hw), 0);
	ds_counter_stops(event);
	ds_counters_changed();
}

/* ---- records ---- */

#define TSX_FLAGS        FIELD(39, 32)
#define ABORT_BY_PROGRAM BIT(0)
#define ABORT_REASON     FIELD(31, 24)

uint64_t ds_transaction(uint64_t tsx, uint64_t rax)
{
	uint64_t transaction = FIELD_GET(TSX_FLAGS, tsx);

	if (transaction & PERF_TXN_TRANSACTION && rax & ABORT_BY_PROGRAM)
		transaction |= FIELD_GET(ABORT_REASON, rax) << PERF_TXN_ABORT_SHIFT;
	return transaction;
}

/* The index is outside the buffer: reports a lost sample for each event whose period ended. */
static unsigned lose_all(struct hw_cpu *cpu)
{
	uint64_t counters = intel_this_cpu()->pebs & intel_kind(cpu->kind)->pebs;
	unsigned lost = 0;

	for (; counters; counters &= counters - 1) {
		struct perf_event *event = cpu->events[__builtin_ctzl(counters)];

		if (event && hw_counter_update(event) <= 0) {
			hw_period_lost(event);
			lost++;
		}
	}
	return lost;
}

/* The index is trusted only within our pages. */
unsigned ds_take_records(struct hw_cpu *cpu, struct frame *frame)
{
	struct intel_cpu *intel = intel_this_cpu();
	struct debug_store *store = intel->store;
	uint64_t at = (uint64_t)store + 2 * PAGE_SIZE, end = store->index;
	unsigned taken;

	store->index = at;
	if (end - at > BUFFER_BYTES)
		return lose_all(cpu);
	taken = intel->take(cpu, frame, at, end);
	if (intel->stopping)
		ds_stop_due(cpu);
	return taken;
}

/* One bit of GLOBAL_STATUS stands for both buffers. */
static unsigned ds_take(struct hw_cpu *cpu, struct frame *frame)
{
	unsigned taken = intel_bts_take();

	if (!intel_kind(cpu->kind)->pebs || intel_this_cpu()->taking)
		return taken;
	return taken + ds_take_records(cpu, frame);
}

const struct hw_records intel_ds = {
    .start = ds_start, .stop = ds_stop, .take = ds_take, .drain = ds_drain};
