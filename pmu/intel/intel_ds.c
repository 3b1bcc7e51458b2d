/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PEBS with adaptive records: after an overflow the processor records the next instruction in its
 * debug store, and interrupts after each record. SDM volume 3, "Adaptive PEBS", "DS Save Area".
 */
#include "pmu/intel/intel_ds.h"
#include <asm/perf_regs.h>
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/base/log.h"
#include "kernel/mem/memory.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel.h"
#include "pmu/record/precise.h"
#include "pmu/core/registers.h"
#include "pmu/hw/shadow.h"

#define FORMAT_ADAPTIVE 4
#define MAX_PRECISE     3
#define MISC_NO_PEBS    BIT(12) /* of MSR_MISC_ENABLE */
/* number of reset values of general counters; the fixed counters' values follow */
#define DS_GENERAL 8

/* The debug store, followed by the page of records. */
struct debug_store {
	uint64_t branch_trace[4];
	uint64_t base, index, maximum, threshold;
	uint64_t reset[DS_GENERAL + INTEL_MAX_FIXED];
};

/* A record: the basic group, then the groups of MSR_PEBS_DATA_CFG, in this order. */
#define GROUP_MEMORY   BIT(0)
#define GROUP_GPRS     BIT(1)
#define GROUP_XMMS     BIT(2)
#define GROUP_BRANCHES BIT(3)
#define BRANCHES_SHIFT 24 /* 8 bits: how many, less one */
#define BRANCHES_LAST  (0xfful << BRANCHES_SHIFT)
#define RECORD_SIZE    FIELD(63, 48)

struct pebs_basic {
	uint64_t format_size; /* groups, and the bytes of the record */
	uint64_t ip;          /* of the instruction */
	uint64_t counters;    /* whose record it is, as bits of GLOBAL_CTRL */
	uint64_t tsc;
};

struct pebs_memory {
	uint64_t address, aux, latency, transactions;
};

struct pebs_gprs {
	uint64_t flags, ip, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

#define XMM_WORDS 32

#define LATENCY              FIELD(15, 0)
#define ACCESS_LATENCY_SHIFT 32 /* where there are two latencies, the access's */
#define WEIGHT_SECOND_SHIFT  32 /* of PERF_SAMPLE_WEIGHT_STRUCT */

/* ---- discovery ---- */

static bool has_pebs(uint64_t capabilities)
{
	uint64_t misc;

	return cpuid_has(CPUID_DS) && cpuid_has(CPUID_DTES64) &&
	       FIELD_GET(PERF_CAP_PEBS_FORMAT, capabilities) >= FORMAT_ADAPTIVE &&
	       (capabilities & PERF_CAP_PEBS_BASELINE) && rdmsr_safe(MSR_MISC_ENABLE, &misc) &&
	       !(misc & MISC_NO_PEBS) && wrmsr_safe(MSR_PEBS_ENABLE, 0) &&
	       wrmsr_safe(MSR_PEBS_DATA_CFG, 0);
}

static bool allocate_store(struct intel_cpu *cpu)
{
	struct debug_store *store = kalloc(2 * PAGE_SIZE);

	if (!store)
		return false;
	store->base = store->index = (uint64_t)store + PAGE_SIZE;
	store->maximum = store->base + PAGE_SIZE;
	store->threshold = store->base + 1; /* every record interrupts */
	cpu->store = store;
	return true;
}

void intel_ds_discover(uint64_t capabilities)
{
	struct hw_kind *kind = hw_this_kind();

	if (!has_pebs(capabilities))
		return;
	for (uint32_t i = 0; i < nr_cpus; i++)
		if ((kind->cpus & CPU_BIT(i)) && !allocate_store(&intel_cpus[i])) {
			log_warn("PMU: no memory for PEBS");
			return;
		}
	intel_kind(kind)->pebs = kind->general | kind->fixed;
	kind->records = GLOBAL_STATUS_DS_BUFFER;
	kind->status |= GLOBAL_STATUS_DS_BUFFER;
}

void intel_ds_start(void)
{
	if (!intel_kind(hw_this_kind())->pebs)
		return;
	wrmsr(MSR_PEBS_ENABLE, 0);
	wrmsr(MSR_DS_AREA, (uint64_t)intel_this_cpu()->store);
}

unsigned intel_ds_max_precise(const struct hw_kind *kind)
{
	return intel_kind(kind)->pebs ? MAX_PRECISE : 0;
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
	uint64_t registers = attr->sample_type & PERF_SAMPLE_REGS_INTR ? attr->sample_regs_intr : 0;

	return (attr->sample_type & MEMORY_PARTS ? GROUP_MEMORY : 0) |
	       ((registers & ~REGISTERS_EXTENDED) || attr->precise_ip < 2 ? GROUP_GPRS : 0) |
	       (registers & REGISTERS_EXTENDED ? GROUP_XMMS : 0) |
	       (branches ? GROUP_BRANCHES | (lbr_depth - 1ul) << BRANCHES_SHIFT : 0);
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
	event->hw.record_groups = groups_of(attr);
	event->hw.config = (event->hw.config & ~EVTSEL_INT) | EVTSEL_ADAPTIVE;
	return 0;
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

/* After the record the counter continues from 0 until the PMI loads it. */
static void ds_start(struct perf_event *event)
{
	struct intel_cpu *cpu = intel_this_cpu();

	add_groups(cpu, event->hw.record_groups);
	shadow_write(&cpu->pebs, MSR_PEBS_ENABLE, 0, BIT(event->hw.index));
}

static void ds_stop(struct perf_event *event)
{
	shadow_write(&intel_this_cpu()->pebs, MSR_PEBS_ENABLE, BIT(event->hw.index), 0);
}

/* ---- records ---- */

static void copy_registers(struct frame *frame, const struct pebs_gprs *g)
{
	frame->rax = g->rax, frame->rcx = g->rcx, frame->rdx = g->rdx, frame->rbx = g->rbx;
	frame->rsp = g->rsp, frame->rbp = g->rbp, frame->rsi = g->rsi, frame->rdi = g->rdi;
	frame->r8 = g->r8, frame->r9 = g->r9, frame->r10 = g->r10, frame->r11 = g->r11;
	frame->r12 = g->r12, frame->r13 = g->r13, frame->r14 = g->r14, frame->r15 = g->r15;
}

/* The parts of a record's sample. */
struct sample_parts {
	struct frame frame;
	struct precise precise;
	uint64_t address;
};

/* The address determines the ring: kernels are in the upper half. */
static void set_ip(struct frame *frame, uint64_t ip)
{
	frame->rip = ip;
	frame->cs = (int64_t)ip < 0 ? KERNEL_CS : USER_CS;
}

/* Returns the sample's weight: the access latency. With PERF_SAMPLE_WEIGHT_STRUCT the second part
 * is the instruction's latency. */
static uint64_t weight_of(const struct perf_event_attr *attr, uint64_t latency)
{
	uint64_t whole = 0;

	if (intel_model(hw_this_kind())->two_latencies) {
		whole = latency & LATENCY;
		latency >>= ACCESS_LATENCY_SHIFT;
	}
	if (attr->sample_type & PERF_SAMPLE_WEIGHT)
		return (uint32_t)latency;
	return (latency & LATENCY) | whole << WEIGHT_SECOND_SHIFT;
}

/* The memory group's word about a transaction that ended: the cycles of its last block, and the
 * reason. After XABORT, RAX holds the program's reason. SDM volume 3, "TSX Transaction". */
#define TSX_CYCLES       FIELD(31, 0)
#define TSX_FLAGS        FIELD(39, 32)
#define TSX_FLAGS_SHIFT  32
#define ABORT_BY_PROGRAM BIT(0)
#define ABORT_REASON     FIELD(31, 24)

static uint64_t transaction_of(uint64_t tsx, uint64_t rax)
{
	uint64_t transaction = (tsx & TSX_FLAGS) >> TSX_FLAGS_SHIFT;

	if (transaction & PERF_TXN_TRANSACTION && rax & ABORT_BY_PROGRAM)
		transaction |= FIELD_GET(ABORT_REASON, rax) << PERF_TXN_ABORT_SHIFT;
	return transaction;
}

static void take_memory(const struct perf_event *event, struct sample_parts *parts,
			const struct pebs_memory *memory)
{
	parts->address = memory->address;
	parts->precise.weight = weight_of(&event->attr, memory->latency);
	if (!(uint32_t)parts->precise.weight)
		parts->precise.weight |= memory->transactions & TSX_CYCLES;
	parts->precise.data_source = intel_data_source(event, memory->aux);
}

static void take_registers(const struct perf_event *event, struct sample_parts *parts,
			   const struct pebs_gprs *gprs)
{
	if (event->attr.precise_ip < 2) {
		set_ip(&parts->frame, gprs->ip);
		parts->precise.exact = false;
	}
	if (event->attr.sample_type & PERF_SAMPLE_REGS_INTR)
		copy_registers(&parts->frame, gprs);
}

static void take_parts(const struct perf_event *event, const struct pebs_basic *basic,
		       const struct frame *interrupted, struct sample_parts *parts)
{
	const uint64_t *next = (const uint64_t *)(basic + 1);
	uint64_t tsx = 0, rax = 0;

	*parts = (struct sample_parts){.frame = *interrupted};
	parts->precise = (struct precise){
	    .interrupted = interrupted, .exact = true, .time = tsc_to_ns(basic->tsc)};
	set_ip(&parts->frame, basic->ip);
	if (basic->format_size & GROUP_MEMORY) {
		take_memory(event, parts, (const struct pebs_memory *)next);
		tsx = ((const struct pebs_memory *)next)->transactions;
		next += sizeof(struct pebs_memory) / sizeof(*next);
	}
	if (basic->format_size & GROUP_GPRS) {
		take_registers(event, parts, (const struct pebs_gprs *)next);
		rax = ((const struct pebs_gprs *)next)->rax;
		next += sizeof(struct pebs_gprs) / sizeof(*next);
	}
	parts->precise.transaction = transaction_of(tsx, rax);
	if (basic->format_size & GROUP_XMMS) {
		parts->precise.xmm = next;
		next += XMM_WORDS;
	}
	if ((basic->format_size & GROUP_BRANCHES) && event->hw.branch_filter)
		lbr_take_records(&hw_this_cpu()->lbr, (const struct lbr_record *)next,
				 FIELD_GET(BRANCHES_LAST, basic->format_size) + 1);
}

static void sample_record(struct perf_event *event, const struct pebs_basic *basic,
			  struct frame *frame)
{
	struct sample_parts parts;

	take_parts(event, basic, frame, &parts);
	event->hw.precise = &parts.precise;
	hw_period_passed(event, &parts.frame, parts.address);
	event->hw.precise = NULL;
}

/* A counter may have a new owner since: only counters that still make records are handled. */
static unsigned sample_counters(struct hw_cpu *cpu, const struct pebs_basic *basic,
				struct frame *frame)
{
	uint64_t counters = basic->counters & intel_this_cpu()->pebs;
	unsigned handled = 0;

	for (; counters; counters &= counters - 1) {
		struct perf_event *event = cpu->events[__builtin_ctzl(counters)];

		if (!event)
			continue;
		sample_record(event, basic, frame);
		handled++;
	}
	return handled;
}

static unsigned ds_take(struct hw_cpu *cpu, struct frame *frame)
{
	struct debug_store *store = intel_this_cpu()->store;
	uint64_t at = store->base, end = store->index;
	unsigned handled = 0;

	store->index = store->base;
	while (end - at >= sizeof(struct pebs_basic)) {
		const struct pebs_basic *basic = (const struct pebs_basic *)at;
		uint64_t size = FIELD_GET(RECORD_SIZE, basic->format_size);

		if (size < sizeof(*basic) || size > end - at)
			break;
		handled += sample_counters(cpu, basic, frame);
		at += size;
	}
	return handled;
}

const struct hw_records intel_ds = {.start = ds_start, .stop = ds_stop, .take = ds_take};
