/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records of format 4, which hold a list of their groups. SDM volume 3, "Adaptive PEBS". */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel_ds.h"
#include "pmu/intel/intel_ds_parts.h"
#include "pmu/record/precise.h"

/* A record: the basic group, then the groups of MSR_PEBS_DATA_CFG, in this order. */
#define BRANCHES_LAST (0xfful << DS_BRANCHES_SHIFT)
#define RECORD_SIZE   FIELD(63, 48)

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

static void copy_registers(struct frame *frame, const struct pebs_gprs *g)
{
	frame->rflags = g->flags;
	frame->rax = g->rax, frame->rcx = g->rcx, frame->rdx = g->rdx, frame->rbx = g->rbx;
	frame->rsp = g->rsp, frame->rbp = g->rbp, frame->rsi = g->rsi, frame->rdi = g->rdi;
	frame->r8 = g->r8, frame->r9 = g->r9, frame->r10 = g->r10, frame->r11 = g->r11;
	frame->r12 = g->r12, frame->r13 = g->r13, frame->r14 = g->r14, frame->r15 = g->r15;
}

/* The latency of the access; in parts, that of the whole instruction is the second. */
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

static void take_memory(const struct perf_event *event, struct sample_parts *parts,
			const struct pebs_memory *memory)
{
	parts->address = memory->address;
	parts->precise.weight = weight_of(&event->attr, memory->latency);
	if (!(uint32_t)parts->precise.weight)
		parts->precise.weight |= memory->transactions & DS_TSX_CYCLES;
	parts->precise.data_source = intel_data_source(event, memory->aux);
}

static void take_registers(const struct perf_event *event, struct sample_parts *parts,
			   const struct pebs_gprs *gprs)
{
	if (event->attr.precise_ip < 2) {
		ds_set_ip(&parts->frame, gprs->ip);
		parts->precise.exact = false;
	}
	parts->precise.has_registers = event->attr.sample_type & DS_REGISTER_PARTS;
	if (parts->precise.has_registers)
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
	ds_set_ip(&parts->frame, basic->ip);
	if (basic->format_size & DS_GROUP_MEMORY) {
		take_memory(event, parts, (const struct pebs_memory *)next);
		tsx = ((const struct pebs_memory *)next)->transactions;
		next += sizeof(struct pebs_memory) / sizeof(*next);
	}
	if (basic->format_size & DS_GROUP_GPRS) {
		take_registers(event, parts, (const struct pebs_gprs *)next);
		rax = ((const struct pebs_gprs *)next)->rax;
		next += sizeof(struct pebs_gprs) / sizeof(*next);
	}
	parts->precise.transaction = ds_transaction(tsx, rax);
	if (basic->format_size & DS_GROUP_XMMS) {
		parts->precise.xmm = next;
		next += XMM_WORDS;
	}
	if ((basic->format_size & DS_GROUP_BRANCHES) && event->hw.branch_filter)
		lbr_take_records(&hw_this_cpu()->lbr, (const struct lbr_record *)next,
				 FIELD_GET(BRANCHES_LAST, basic->format_size) + 1);
}

/* Ignores counters that no longer make records. */
static unsigned sample_counters(struct hw_cpu *cpu, const struct pebs_basic *basic,
				struct frame *frame)
{
	uint64_t counters = basic->counters & intel_this_cpu()->pebs;
	unsigned handled = 0;

	for (; counters; counters &= counters - 1) {
		struct perf_event *event = cpu->events[__builtin_ctzl(counters)];
		struct sample_parts parts;

		if (!event)
			continue;
		take_parts(event, basic, frame, &parts);
		ds_sample(event, &parts);
		handled++;
	}
	return handled;
}

uint64_t ds_adaptive_bytes(uint64_t groups)
{
	uint64_t bytes = sizeof(struct pebs_basic);

	bytes += groups & DS_GROUP_MEMORY ? sizeof(struct pebs_memory) : 0;
	bytes += groups & DS_GROUP_GPRS ? sizeof(struct pebs_gprs) : 0;
	bytes += groups & DS_GROUP_XMMS ? XMM_WORDS * sizeof(uint64_t) : 0;
	if (groups & DS_GROUP_BRANCHES)
		bytes += (FIELD_GET(BRANCHES_LAST, groups) + 1) * sizeof(struct lbr_record);
	return bytes;
}

unsigned ds_take_adaptive(struct hw_cpu *cpu, struct frame *frame, uint64_t at, uint64_t end)
{
	struct intel_cpu *intel = intel_this_cpu();
	unsigned handled = 0;

	while (end - at >= sizeof(struct pebs_basic)) {
		const struct pebs_basic *basic = (const struct pebs_basic *)at;
		uint64_t format = basic->format_size, size = FIELD_GET(RECORD_SIZE, format);

		/* Records are alike as long as no event comes or goes. */
		if (format != intel->fits && size < ds_adaptive_bytes(format))
			break;
		intel->fits = format;
		if (size > end - at)
			break;
		handled += sample_counters(cpu, basic, frame);
		at += size;
	}
	return handled;
}
