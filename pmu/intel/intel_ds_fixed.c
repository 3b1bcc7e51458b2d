/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PEBS records of formats 0 to 3, each a few words longer than the one before. SDM
 * volume 3, "PEBS Record Format" of Core 2, Nehalem, Haswell and Skylake.
 *
 * Formats 0 and 1 hold the address of the next instruction only. The sampled one is found by
 * decoding the code from the target of the last branch on, as Linux does.
 */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/decode/insn_parts.h"
#include "kernel/base/symbols.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel_ds_parts.h"

struct pebs_fixed {
	uint64_t flags, ip, rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t status, address, source, latency; /* from format 1 on */
	uint64_t eventing_ip, tsx;                 /* from format 2 on */
	uint64_t tsc;                              /* format 3 */
};

uint32_t ds_fixed_bytes(unsigned format)
{
	static const uint8_t bytes[] = {144, 176, 192, 200};

	return bytes[format];
}

_Static_assert(offsetof(struct pebs_fixed, status) == 144 &&
		   offsetof(struct pebs_fixed, eventing_ip) == 176 &&
		   offsetof(struct pebs_fixed, tsc) == 192 && sizeof(struct pebs_fixed) == 200,
	       "formats 0 to 3");

static unsigned format_here(void)
{
	return intel_kind(hw_this_kind())->pebs_format;
}

/* ---- formats 0 and 1: finding the instruction ---- */

/* Returns a copy of the code, at most a page. NULL: it cannot be read. */
static const uint8_t *read_block(uint64_t from, size_t bytes)
{
	uint8_t *code = (uint8_t *)intel_this_cpu()->store + PAGE_SIZE;
	size_t got = 0;

	if (branch_ring(from) != BRANCH_USER)
		got = symbols_code(code, from, bytes);
	else if (current_task()->mm)
		got = peek_user(code, from, bytes);
	return got == bytes ? code : NULL;
}

/* Finds the offset of the last instruction; false: the code does not end with one. */
static bool find_last(const uint8_t *code, size_t bytes, size_t *last)
{
	struct insn_parts insn;

	for (size_t at = 0; at < bytes; at += insn.length) {
		if (insn_take_apart(&insn, code + at, bytes - at))
			return false;
		*last = at;
	}
	return true;
}

/* Moves the frame's address back by one instruction, or to the last branch. */
static bool step_back(const struct perf_event *event, struct frame *frame)
{
	const struct branch_stack *stack = lbr_branches(event);
	uint64_t ip = frame->rip, block;
	const uint8_t *code;
	size_t last = 0;

	if (!stack || !stack->nr || !stack->entries[0].from || !stack->entries[0].to)
		return false;
	block = stack->entries[0].to;
	if (branch_ring(ip) != branch_ring(block) || ip - block > PAGE_SIZE)
		return false;
	if (ip == block) {
		ds_set_ip(frame, stack->entries[0].from);
		return true;
	}
	code = read_block(block, ip - block);
	if (!code || !find_last(code, ip - block, &last))
		return false;
	ds_set_ip(frame, block + last);
	return true;
}

/* ---- a record becomes a sample ---- */

static void copy_registers(struct frame *frame, const struct pebs_fixed *r)
{
	frame->rflags = r->flags;
	frame->rax = r->rax, frame->rcx = r->rcx, frame->rdx = r->rdx, frame->rbx = r->rbx;
	frame->rsp = r->rsp, frame->rbp = r->rbp, frame->rsi = r->rsi, frame->rdi = r->rdi;
	frame->r8 = r->r8, frame->r9 = r->r9, frame->r10 = r->r10, frame->r11 = r->r11;
	frame->r12 = r->r12, frame->r13 = r->r13, frame->r14 = r->r14, frame->r15 = r->r15;
}

/* Sets the frame's address; true: it is the sampled instruction's. */
static bool take_address(const struct perf_event *event, struct frame *frame,
			 const struct pebs_fixed *record)
{
	bool wanted = event->attr.precise_ip > 1;

	if (wanted && format_here() >= DS_FORMAT_EVENTING) {
		ds_set_ip(frame, record->eventing_ip);
		return true;
	}
	ds_set_ip(frame, record->ip);
	return wanted && (!intel_kind(hw_this_kind())->pebs_trap || step_back(event, frame));
}

static void take_memory(const struct perf_event *event, struct sample_parts *parts,
			const struct pebs_fixed *record)
{
	parts->address = record->address;
	parts->precise.data_source = intel_data_source(event, record->source);
	if (event->hw.record_groups == PEBS_ENABLE_LATENCY)
		parts->precise.weight = record->latency;
}

/* Linux marks an exact address by bit 3 of RFLAGS, which is reserved. */
#define FLAGS_EXACT BIT(3)

static void take_parts(const struct perf_event *event, const struct pebs_fixed *record,
		       const struct frame *interrupted, struct sample_parts *parts)
{
	unsigned format = format_here();

	*parts = (struct sample_parts){.frame = *interrupted};
	parts->precise.interrupted = interrupted;
	parts->precise.exact = take_address(event, &parts->frame, record);
	parts->precise.time = format >= DS_FORMAT_TIME ? tsc_to_ns(record->tsc) : clock_ns();
	parts->precise.has_registers = event->attr.sample_type & DS_REGISTER_PARTS;
	if (parts->precise.has_registers) {
		copy_registers(&parts->frame, record);
		parts->frame.rflags &= ~FLAGS_EXACT;
		parts->frame.rflags |= parts->precise.exact ? FLAGS_EXACT : 0;
	}
	if (format >= DS_FORMAT_ACCESS)
		take_memory(event, parts, record);
	if (format < DS_FORMAT_EVENTING)
		return;
	if (event->hw.record_groups != PEBS_ENABLE_LATENCY)
		parts->precise.weight = record->tsx & DS_TSX_CYCLES;
	parts->precise.transaction = ds_transaction(record->tsx, record->rax);
}

/* Returns the record's counters that still make records. Format 0 has one counter; in formats 1 and
 * 2 the status may be 0 if it was acknowledged at the same time, and then one enabled counter is
 * unambiguous. */
static uint64_t counters_of(const struct pebs_fixed *record)
{
	uint64_t enabled = intel_this_cpu()->pebs & intel_kind(hw_this_kind())->pebs, counters;

	if (format_here() < DS_FORMAT_ACCESS)
		return enabled;
	counters = record->status & enabled;
	return !counters && format_here() < DS_FORMAT_TIME && !(enabled & (enabled - 1)) ? enabled
											 : counters;
}

/* Before format 3 events that overflow together share an ambiguous record, which is lost. */
static unsigned take_record(struct hw_cpu *cpu, const struct pebs_fixed *record,
			    struct frame *frame)
{
	uint64_t counters = counters_of(record);
	bool collision = format_here() < DS_FORMAT_TIME && (counters & (counters - 1));
	unsigned handled = 0;

	for (; counters; counters &= counters - 1) {
		struct perf_event *event = cpu->events[__builtin_ctzl(counters)];
		struct sample_parts parts;

		if (!event)
			continue;
		handled++;
		if (collision) {
			hw_period_lost(event);
			continue;
		}
		take_parts(event, record, frame, &parts);
		ds_sample(event, &parts);
	}
	return handled;
}

unsigned ds_take_fixed(struct hw_cpu *cpu, struct frame *frame, uint64_t at, uint64_t end)
{
	uint32_t bytes = ds_fixed_bytes(format_here());
	unsigned handled = 0;

	for (; end - at >= bytes; at += bytes)
		handled += take_record(cpu, (const struct pebs_fixed *)at, frame);
	return handled;
}
