/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last branch records of any format. Each processor has one filter; the PMI reads the records and
 * filters them again for each event. A task's call stack is saved while it is off; all else is
 * discarded.
 */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/assert.h"
#include "kernel/mem/memory.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/hw/lbr.h"
#include "pmu/record/userpage.h"

/* Outside the hardware's bits: the event wants neither cycles nor flags. */
#define SELECT_NO_INFO BIT(63)

const struct lbr_format *lbr_format;
uint8_t lbr_depth;

/* A task's saved call stack. */
struct lbr_saved {
	bool valid;
	uint64_t top;
	struct lbr_record records[BRANCH_STACK_MAX];
};

/* State of each processor. NMI only. */
static struct lbr_cpu {
	bool taken; /* a PMI is being handled, and `stack` holds its records */
	struct branch_stack stack, filtered;
} lbr_cpus[MAX_CPUS];

/* ---- what an event asks for ---- */

/* Translates branch_sample_type to the hardware's filter. Returns 0 or -EOPNOTSUPP. */
static int hardware_filter(uint64_t sample_type, uint64_t *select)
{
	uint32_t filter = 0;

	for (unsigned bit = 0; bit < PERF_SAMPLE_BRANCH_MAX_SHIFT; bit++) {
		if (!(sample_type & BIT(bit)))
			continue;
		if (lbr_format->filters[bit] == LBR_UNSUPPORTED)
			return -EOPNOTSUPP;
		filter |= lbr_format->filters[bit];
	}
	*select = filter ^ lbr_format->inverted;
	if (lbr_format->info && (sample_type & PERF_SAMPLE_BRANCH_NO_CYCLES) &&
	    (sample_type & PERF_SAMPLE_BRANCH_NO_FLAGS))
		*select |= SELECT_NO_INFO;
	return 0;
}

static bool is_call_stack(uint64_t select)
{
	return select & lbr_format->call_stack;
}

int lbr_configure(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	int err;

	if (!lbr_format)
		return -EOPNOTSUPP;
	if (lbr_format->only_samples && !event_is_sampling(event))
		return -EINVAL;
	err = branch_filter(event->attr.branch_sample_type, lbr_format->call_stack,
			    &hw->branch_filter);
	if (!err)
		err = hardware_filter(event->attr.branch_sample_type, &hw->branch_select);
	if (err)
		return err;
	if (lbr_format->always_types)
		hw->branch_filter |= BRANCH_TYPE_SAVE;
	if (is_call_stack(hw->branch_select) && !event->ctx->of_cpu && !event->ctx->lbr) {
		event->ctx->lbr = kalloc(sizeof(struct lbr_saved));
		if (!event->ctx->lbr)
			return -ENOMEM;
	}
	return 0;
}

bool lbr_share_take(struct lbr_share *share, const struct hw_event *hw)
{
	if (!hw->branch_filter)
		return true;
	if (share->users && share->filter != hw->branch_select)
		return false;
	share->filter = hw->branch_select;
	/* From here on a PMI finds the filter. */
	__atomic_store_n(&share->users, share->users + 1, __ATOMIC_RELEASE);
	return true;
}

/* ---- the registers ---- */

/* Returns the number of the record with age `age`. */
static uint32_t number_of_age(uint64_t top, uint32_t age)
{
	return lbr_format->top ? (uint32_t)(top - age) & (lbr_depth - 1u) : age;
}

static uint64_t read_top(void)
{
	return lbr_format->top ? rdmsr(lbr_format->top) : 0;
}

/* Inline: a PMI reads all of them. */
static inline __attribute__((always_inline)) void
read_record(const struct lbr_format *format, uint32_t number, bool info, struct lbr_record *record)
{
	uint32_t offset = number * format->step;

	record->from = rdmsr(format->from + offset);
	record->to = rdmsr(format->to + offset);
	record->info = info && format->info ? rdmsr(format->info + offset) : 0;
}

static void write_record(uint32_t number, const struct lbr_record *record)
{
	uint32_t offset = number * lbr_format->step;

	wrmsr(lbr_format->from + offset, record->from);
	wrmsr(lbr_format->to + offset, record->to);
	if (lbr_format->info)
		wrmsr(lbr_format->info + offset, record->info);
}

static void save(struct lbr_saved *saved)
{
	saved->top = read_top();
	for (uint32_t age = 0; age < lbr_depth; age++)
		read_record(lbr_format, number_of_age(saved->top, age), true, &saved->records[age]);
	saved->valid = true;
}

static void restore(const struct lbr_saved *saved)
{
	for (uint32_t age = 0; age < lbr_depth; age++)
		write_record(number_of_age(saved->top, age), &saved->records[age]);
	if (lbr_format->top)
		wrmsr(lbr_format->top, saved->top);
}

void lbr_clear(void)
{
	static const struct lbr_record none;

	for (uint32_t i = 0; i < lbr_depth; i++)
		write_record(i, &none);
}

/* ---- coming and going ---- */

bool lbr_add(struct lbr_share *share, const struct perf_event *event)
{
	const struct lbr_saved *saved = event->ctx->lbr;
	uint32_t users = share->users;

	if (!lbr_share_take(share, &event->hw))
		return false;
	if (users || !share->users)
		return true;
	if (is_call_stack(share->filter) && saved && saved->valid)
		restore(saved);
	else
		lbr_format->reset();
	lbr_format->start(share->filter & ~SELECT_NO_INFO);
	return true;
}

void lbr_del(struct lbr_share *share, const struct perf_event *event)
{
	KASSERT(share->users > 0);
	if (--share->users)
		return;
	lbr_format->stop();
	if (is_call_stack(share->filter) && event->ctx->lbr)
		save(event->ctx->lbr);
}

void lbr_flush(const struct lbr_share *share)
{
	if (share->users)
		lbr_format->reset();
}

/* ---- the PMI ---- */

/* Adds a record to the stack; false: this record and all after it are empty. */
static bool add_record(struct branch_stack *stack, const struct lbr_record *record, bool info,
		       uint8_t empty)
{
	if (lbr_format->show(record, info, &stack->entries[stack->nr]) || empty == LBR_EMPTY_SHOWS)
		stack->nr++;
	else if (empty == LBR_EMPTY_ENDS)
		return false;
	return true;
}

/* Keeps the older one of the two records of an abort, as Linux does. */
static void drop_doubles(struct branch_stack *stack)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < stack->nr; i++) {
		if (stack->entries[i].abort && kept)
			kept--;
		stack->entries[kept++] = stack->entries[i];
	}
	stack->nr = kept;
}

/* Reads the records. A call stack ends at its first empty one. */
void lbr_take(const struct lbr_share *share)
{
	struct lbr_cpu *cpu = &lbr_cpus[this_cpu_read(id)];
	const struct lbr_format *format = lbr_format;
	uint8_t empty = is_call_stack(share->filter) ? LBR_EMPTY_ENDS : format->empty;
	struct branch_stack *stack = &cpu->stack;
	bool info = !(share->filter & SELECT_NO_INFO);
	uint64_t top = read_top();
	uint32_t depth = lbr_depth;

	stack->nr = 0;
	stack->hw_idx = top;
	for (uint32_t age = 0; age < depth; age++) {
		struct lbr_record record;

		read_record(format, number_of_age(top, age), info, &record);
		if (!add_record(stack, &record, info, empty))
			break;
	}
	if (format->double_abort)
		drop_doubles(stack);
	cpu->taken = true;
}

void lbr_take_records(const struct lbr_share *share, const struct lbr_record records[],
		      uint32_t number)
{
	struct branch_stack *stack = &lbr_cpus[this_cpu_read(id)].stack;
	bool info = !(share->filter & SELECT_NO_INFO);

	lbr_cpus[this_cpu_read(id)].taken = true;
	stack->nr = 0;
	for (uint32_t age = 0; age < number && age < lbr_depth; age++)
		if (!add_record(stack, &records[age], info, LBR_EMPTY_ENDS))
			break;
}

void lbr_forget(void)
{
	lbr_cpus[this_cpu_read(id)].taken = false;
}

void lbr_release(void)
{
	lbr_forget();
	if (lbr_format->thaw)
		lbr_format->thaw();
}

/* The processor's classification takes precedence over decoding the instruction, as on Linux. */
static uint32_t kind_of(const struct perf_branch_entry *entry)
{
	uint32_t kind = lbr_format->kind ? lbr_format->kind(entry) : 0;

	if (!kind && entry->abort)
		return BRANCH_ABORT | branch_ring(entry->to);
	return kind ? kind : branch_kind_of(entry->from, entry->to);
}

/* True when the event wants every kind of branch, without its type: the hardware's filter
 * suffices. */
static bool any_kind(uint32_t filter)
{
	return (filter & BRANCH_ANY) == BRANCH_ANY &&
	       !(filter & (BRANCH_TYPE_SAVE | BRANCH_IN_TX | BRANCH_NO_TX));
}

/* True when the event wants the entry's kind, ring and transaction state. Hardware filters by the
 * target alone: an event of ring 3 must not see where SYSRET and IRET are, as on Linux. */
static bool wanted(struct perf_branch_entry *entry, uint32_t filter)
{
	bool from_user = branch_ring(entry->from) == BRANCH_USER;
	uint32_t kind;

	if (!from_user && !(filter & BRANCH_KERNEL))
		return false;
	if (any_kind(filter) && entry->from && from_user)
		return branch_ring(entry->to) & filter;
	kind = kind_of(entry);
	entry->type = filter & BRANCH_TYPE_SAVE ? branch_type_of(kind) : 0;
	if (kind && (filter & (BRANCH_IN_TX | BRANCH_NO_TX)))
		kind |= entry->in_tx ? BRANCH_IN_TX : BRANCH_NO_TX;
	return kind && !(kind & ~filter);
}

static bool wants_all(uint32_t filter)
{
	return (filter & BRANCH_RINGS) == BRANCH_RINGS && any_kind(filter);
}

const struct branch_stack *lbr_branches(const struct perf_event *event)
{
	struct lbr_cpu *cpu = &lbr_cpus[this_cpu_read(id)];
	const struct branch_stack *all = &cpu->stack;
	struct branch_stack *some = &cpu->filtered;
	uint32_t filter = event->hw.branch_filter;

	if (!cpu->taken)
		return NULL;
	if (wants_all(filter))
		return all;
	some->nr = 0;
	some->hw_idx = all->hw_idx;
	for (uint32_t i = 0; i < all->nr; i++) {
		some->entries[some->nr] = all->entries[i];
		some->nr += wanted(&some->entries[some->nr], filter);
	}
	return some;
}

/* ---- discovery ---- */

/* Returns false when the register faults or ignores writes. */
static bool register_works(uint32_t msr, uint64_t pattern)
{
	uint64_t old, value;

	return rdmsr_safe(msr, &old) && wrmsr_safe(msr, old ^ pattern) && rdmsr_safe(msr, &value) &&
	       value == (old ^ pattern) && wrmsr_safe(msr, old);
}

static bool registers_work(const struct lbr_format *format, uint8_t depth)
{
	if (format->top && !register_works(format->top, 3))
		return false;
	for (uint32_t i = 0; i < depth; i++)
		if (!register_works(format->from + i * format->step, 0xffff) ||
		    !register_works(format->to + i * format->step, 0xffff))
			return false;
	return true;
}

bool lbr_init(const struct lbr_format *format)
{
	uint8_t depth = format->find_depth ? format->find_depth(format) : format->depth;

	if (!depth || depth > format->depth || !registers_work(format, depth))
		return false;
	lbr_depth = depth;
	lbr_format = format;
	return true;
}
