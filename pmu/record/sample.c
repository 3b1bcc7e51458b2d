/* SPDX-License-Identifier: BSD-2-Clause */
/* SAMPLE records: sizes first, then every field in Linux's order (perf_event_open(2), "MMAP
 * layout"). */
#include "pmu/core/core.h"
#include <asm/perf_regs.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/bits.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vm.h"
#include "pmu/record/branch.h"
#include "pmu/record/precise.h"
#include "pmu/core/registers.h"

#define RECORD_MAX (0x10000u - 8) /* header.size has 16 bits, records are multiples of 8 */

/* Parts whose size differs from sample to sample. */
#define VARIABLE_PARTS                                                              \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | \
	 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR)

#define DATA_SOURCE_UNKNOWN                                                                        \
	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) | \
	 PERF_MEM_S(TLB, NA))

#define ROOT_CGROUP 1

/* One sample on its way. */
struct sample {
	struct perf_event *event;
	const struct frame *frame;
	const struct frame *user;      /* ring 3's registers; NULL: a kernel thread has none */
	const struct precise *precise; /* what hardware recorded; NULL: nothing */
	uint64_t address, period;
	const uint64_t *chain;
	uint32_t nr_chain;
	const struct branch_stack *branches; /* NULL: none */
	uint32_t nr_siblings;                /* for READ */
	uint32_t stack_bytes;                /* of the user stack dump */
};

/* What hardware recorded in ring 3 has ring 3's registers only if its interrupt came there too:
 * otherwise those it did not record are the kernel's. */
static const struct frame *user_registers(const struct sample *s)
{
	const struct frame *interrupted = s->precise ? s->precise->interrupted : s->frame;

	if (frame_is_user(interrupted))
		return frame_is_user(s->frame) ? s->frame : interrupted;
	return current_task()->kernel_thread ? NULL : task_user_frame(current_task());
}

static uint32_t registers_bytes(uint64_t mask, bool present)
{
	return 8 + (present ? 8 * bits_set(mask) : 0);
}

/* How much of the stack to dump when the rest of the record takes `others` bytes. */
static uint32_t stack_bytes(const struct sample *s, uint32_t others)
{
	uint32_t bytes = s->event->attr.sample_stack_user;
	uint64_t sp;

	if (!s->user)
		return 0;
	sp = s->user->rsp;
	if (!sp || sp >= USER_END)
		return 0;
	if (USER_END - sp < bytes)
		bytes = (uint32_t)(USER_END - sp) & ~7u;
	if (others + 16 + bytes > RECORD_MAX)
		bytes = RECORD_MAX - others - 16;
	return bytes;
}

static uint32_t prepare_branches(struct sample *s)
{
	const struct perf_event *event = s->event;

	s->branches = event->pmu->branches ? event->pmu->branches(event) : NULL;
	if (!s->branches)
		return 8;
	return 8 + (event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 8 : 0) +
	       s->branches->nr * (uint32_t)sizeof(struct perf_branch_entry);
}

/* Collects the variable parts; returns the size of the record. */
static uint32_t prepare(struct sample *s)
{
	const struct perf_event_attr *attr = &s->event->attr;
	uint64_t type = attr->sample_type;
	uint32_t size = s->event->sample_size;

	if (type & PERF_SAMPLE_READ) {
		s->nr_siblings = s->event->leader->nr_siblings;
		size += event_read_bytes(s->event, s->nr_siblings);
	}
	if (!(type & VARIABLE_PARTS))
		return size;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->nr_chain = callchain_collect(
		    s->event, s->precise ? s->precise->interrupted : s->frame, &s->chain);
		size += 8 + 8 * s->nr_chain;
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		size += prepare_branches(s);
	s->user = user_registers(s);
	if (type & PERF_SAMPLE_REGS_USER)
		size += registers_bytes(attr->sample_regs_user, s->user);
	if (type & PERF_SAMPLE_REGS_INTR)
		size += registers_bytes(attr->sample_regs_intr, true);
	if (type & PERF_SAMPLE_STACK_USER) {
		s->stack_bytes = stack_bytes(s, size);
		size += s->stack_bytes ? 16 + s->stack_bytes : 8;
	}
	return size;
}

/* A record of the hardware has a time of its own, on the clock that events have by default. */
static uint64_t sample_time(const struct sample *s)
{
	if (s->precise && s->event->clockid == EVENT_CLOCK_OWN)
		return s->precise->time;
	return s->event->clock();
}

static void write_ids(struct ring_writer *w, struct perf_event *event, uint64_t type)
{
	if (type & PERF_SAMPLE_ID)
		ring_write_u64(w, event_origin(event)->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		ring_write_u64(w, event->id);
	if (type & PERF_SAMPLE_CPU)
		ring_write_u32s(w, this_cpu_read(id), 0);
}

/* IDENTIFIER to PERIOD: what nearly every sample has. */
static void write_head(struct ring_writer *w, const struct sample *s, uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		ring_write_u64(w, event_origin(s->event)->id);
	if (type & PERF_SAMPLE_IP)
		ring_write_u64(w, s->frame->rip);
	if (type & PERF_SAMPLE_TID)
		ring_write_u32s(w, (uint32_t)current_task()->tgid, (uint32_t)current_task()->pid);
	if (type & PERF_SAMPLE_TIME)
		ring_write_u64(w, sample_time(s));
	if (type & PERF_SAMPLE_ADDR)
		ring_write_u64(w, s->address);
	write_ids(w, s->event, type);
	if (type & PERF_SAMPLE_PERIOD)
		ring_write_u64(w, s->period);
}

static void write_chain(struct ring_writer *w, const struct sample *s)
{
	ring_write_u64(w, s->nr_chain);
	for (uint32_t i = 0; i < s->nr_chain; i++)
		ring_write_u64(w, s->chain[i]);
}

/* `xmm`: the vector registers that the upper half of the mask may ask for, a bit for each word. */
static void write_registers(struct ring_writer *w, const struct frame *frame, uint64_t mask,
			    const uint64_t *xmm)
{
	ring_write_u64(w, frame ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	if (!frame)
		return;
	for (; mask & ~REGISTERS_EXTENDED; mask &= mask - 1)
		ring_write_u64(w, registers_value(frame, (unsigned)__builtin_ctzl(mask)));
	for (; mask; mask &= mask - 1)
		ring_write_u64(w, xmm ? xmm[__builtin_ctzl(mask) - PERF_REG_X86_XMM0] : 0);
}

static void write_stack(struct ring_writer *w, const struct sample *s)
{
	ring_write_u64(w, s->stack_bytes);
	if (s->stack_bytes)
		ring_write_u64(w, ring_write_user(w, s->user->rsp, s->stack_bytes));
}

/* The physical address behind a user address; 0: nothing is mapped there. */
static uint64_t physical_address(uint64_t address)
{
	const struct mm *mm = current_task()->mm;
	struct paging_entry entry;

	if (!address || address >= USER_END || !mm ||
	    !paging_query(mm->root_phys, address & -PAGE_SIZE, &entry))
		return 0;
	return entry.phys + (address & (PAGE_SIZE - 1));
}

/* All pages of applications are small. */
static uint64_t page_size(uint64_t address)
{
	return physical_address(address) ? PAGE_SIZE : 0;
}

#define BRANCH_ENTRY_WORDS (sizeof(struct perf_branch_entry) / sizeof(uint64_t))

static void write_branches(struct ring_writer *w, const struct sample *s)
{
	const uint64_t *words;

	ring_write_u64(w, s->branches ? s->branches->nr : 0);
	if (!s->branches)
		return;
	if (s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		ring_write_u64(w, s->branches->hw_idx);
	words = (const uint64_t *)s->branches->entries;
	for (uint32_t i = 0; i < s->branches->nr * BRANCH_ENTRY_WORDS; i++)
		ring_write_u64(w, words[i]);
}

/* Where an ordinary sample has nothing to say, Linux's "nothing" stands. */
static void write_rare(struct ring_writer *w, const struct sample *s, uint64_t type)
{
	const struct perf_event_attr *attr = &s->event->attr;

	if (type & PERF_SAMPLE_RAW)
		ring_write_u32s(w, sizeof(uint32_t), 0);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		write_branches(w, s);
	if (type & PERF_SAMPLE_REGS_USER)
		write_registers(w, s->user, attr->sample_regs_user, NULL);
	if (type & PERF_SAMPLE_STACK_USER)
		write_stack(w, s);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		ring_write_u64(w, s->precise ? s->precise->weight : 0);
	if (type & PERF_SAMPLE_DATA_SRC)
		ring_write_u64(w, s->precise && s->precise->data_source ? s->precise->data_source
									: DATA_SOURCE_UNKNOWN);
	if (type & PERF_SAMPLE_TRANSACTION)
		ring_write_u64(w, 0);
	if (type & PERF_SAMPLE_REGS_INTR)
		write_registers(w, s->frame, attr->sample_regs_intr,
				s->precise ? s->precise->xmm : NULL);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		ring_write_u64(w, physical_address(s->address));
	if (type & PERF_SAMPLE_CGROUP)
		ring_write_u64(w, ROOT_CGROUP);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		ring_write_u64(w, page_size(s->address));
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		ring_write_u64(w, page_size(s->frame->rip));
	if (type & PERF_SAMPLE_AUX)
		ring_write_u64(w, 0);
}

/* The parts that write_rare() may have to write. */
#define RARE_PARTS                                                                      \
	(PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |           \
	 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC |      \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |      \
	 PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | \
	 PERF_SAMPLE_AUX)

void sample_write(struct perf_event *event, struct frame *frame, uint64_t address, uint64_t period)
{
	struct sample s = {.event = event,
			   .frame = frame,
			   .precise = event->hw.precise,
			   .address = address,
			   .period = period};
	uint64_t type = event->attr.sample_type;
	uint16_t misc = frame_is_user(frame) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	struct ring_writer w;

	if (!event_origin(event)->ring)
		return;
	if (s.precise && s.precise->exact)
		misc |= PERF_RECORD_MISC_EXACT_IP;
	if (!record_begin(&w, event, PERF_RECORD_SAMPLE, misc, prepare(&s)))
		return;
	write_head(&w, &s, type);
	if (type & PERF_SAMPLE_READ)
		record_read_values(&w, event, s.nr_siblings);
	if (type & PERF_SAMPLE_CALLCHAIN)
		write_chain(&w, &s);
	if (type & RARE_PARTS)
		write_rare(&w, &s, type);
	if (!event->attr.watermark && event->attr.wakeup_events)
		ring_count_event(w.ring, event->attr.wakeup_events);
	record_finish(&w, event);
}
