/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU operations on a processor's counters, for all vendors: assign, move, release. hw_caps has
 * what differs by vendor and generation. */
#include <linux/errno.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/assert.h"
#include "kernel/mem/memory.h"
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"
#include "pmu/hw/neighbours.h"
#include "pmu/record/userpage.h"

struct hw_caps hw_caps;
struct hw_kind hw_kinds[HW_KINDS];

struct hw_cpu hw_cpus[MAX_CPUS];

/* ---- the operations ---- */

static void hw_pause(void)
{
	struct hw_cpu *cpu = hw_this_cpu();

	if (cpu->pauses++)
		return;
	cpu->global = 0;
	hw_caps.control->stop(cpu);
}

static void hw_resume(void)
{
	struct hw_cpu *cpu = hw_this_cpu();

	KASSERT(cpu->pauses > 0);
	if (--cpu->pauses)
		return;
	cpu->global = cpu->kind->enables;
	hw_caps.control->start(cpu);
}

/* The counters that the event takes, if `counter` is its own. */
static uint64_t counters_of(const struct hw_event *hw, int counter)
{
	return (hw->pair ? 3ul : 1ul) << counter;
}

static void give_counter(struct hw_cpu *cpu, struct perf_event *event, int counter)
{
	uint64_t counters = counters_of(&event->hw, counter);

	cpu->events[counter] = event;
	cpu->used |= counters;
	cpu->dirty |= counters & (cpu->kind->general | cpu->kind->fixed);
	cpu->exclusive |= event->hw.exclusive ? counters : 0;
	hw_counter_place(event, counter);
}

static void take_counter(struct hw_cpu *cpu, struct perf_event *event)
{
	uint64_t counters = counters_of(&event->hw, event->hw.index);

	KASSERT(cpu->events[event->hw.index] == event);
	cpu->events[event->hw.index] = NULL;
	cpu->used &= ~counters;
	cpu->exclusive &= ~counters;
	event->hw.index = -1;
}

/* Assigns the new counters; a running event that moves is stopped briefly. */
static void move_events(struct hw_cpu *cpu, struct perf_event *events[], const int8_t place[],
			unsigned nr)
{
	bool was_running[ASSIGN_COUNTERS];

	for (unsigned i = 0; i < nr; i++) {
		was_running[i] = events[i]->hw.running;
		if (events[i]->hw.index == place[i])
			continue;
		hw_counter_stop(events[i]);
		take_counter(cpu, events[i]);
	}
	for (unsigned i = 0; i < nr; i++) {
		if (events[i]->hw.index == place[i])
			continue;
		give_counter(cpu, events[i], place[i]);
		if (was_running[i])
			hw_counter_start(events[i]);
		userpage_update(events[i]);
	}
}

/* Moves other events to free a counter for this one. Returns the counter, or -1. */
static int make_room(struct hw_cpu *cpu, const struct perf_event *event)
{
	struct perf_event *events[ASSIGN_COUNTERS];
	uint64_t allowed[ASSIGN_COUNTERS + 1];
	int8_t place[ASSIGN_COUNTERS + 1];
	uint64_t pairs = 0;
	unsigned nr = 0;

	for (uint64_t used = cpu->used; used; used &= used - 1) {
		int counter = __builtin_ctzl(used);

		events[nr] = cpu->events[counter];
		if (!events[nr]) /* the second of a pair */
			continue;
		allowed[nr] = hw_allowed(cpu, &events[nr]->hw);
		pairs |= events[nr]->hw.pair ? BIT(nr) : 0;
		place[nr++] = (int8_t)counter;
	}
	allowed[nr] = hw_allowed(cpu, &event->hw);
	pairs |= event->hw.pair ? BIT(nr) : 0;
	place[nr] = -1;
	if (!assign_with_pairs(allowed, pairs, place, nr + 1, nr))
		return -1;
	hw_pause();
	move_events(cpu, events, place, nr);
	hw_resume();
	return place[nr];
}

/* Claims the event's shared register, if it needs one. */
static bool take_extra(struct hw_cpu *cpu, struct hw_event *hw)
{
	return !hw->extra_needed || hw_caps.vendor->shared->take(cpu, hw);
}

static void drop_extra(struct hw_cpu *cpu, struct hw_event *hw)
{
	if (hw->extra_index >= 0)
		hw_caps.vendor->shared->drop(cpu, hw);
}

static int hw_add(struct perf_event *event)
{
	struct hw_cpu *cpu = hw_this_cpu();
	struct hw_event *hw = &event->hw;
	uint64_t free = hw_allowed(cpu, hw) & ~cpu->used;
	int counter;

	if (hw->pair)
		free &= ~(cpu->used >> 1);
	if (!hw_neighbours_leave_room(cpu) || !take_extra(cpu, hw))
		return -EAGAIN;
	counter = free ? assign_preferred(free) : make_room(cpu, event);
	if (counter < 0 || (hw->branch_filter && !lbr_add(&cpu->lbr, event))) {
		drop_extra(cpu, hw);
		return -EAGAIN;
	}
	give_counter(cpu, event, counter);
	if (event_has_frequency(event))
		event_turn_stamp(event);
	hw_counter_start(event);
	if (event_has_frequency(event))
		tick_need(this_pmu_cpu());
	return 0;
}

static void hw_del(struct perf_event *event)
{
	struct hw_cpu *cpu = hw_this_cpu();

	hw_counter_stop(event);
	if (event_has_frequency(event))
		event_turn_stamp(event);
	take_counter(cpu, event);
	if (event->hw.branch_filter)
		lbr_del(&cpu->lbr, event);
	drop_extra(cpu, &event->hw);
}

/* Out of line: other reads need no stack. */
static __attribute__((noinline)) void read_buffered(struct perf_event *event)
{
	hw_caps.vendor->records->drain(hw_this_cpu());
	hw_counter_update(event);
}

static void hw_read(struct perf_event *event)
{
	if (event->hw.running && event->hw.buffered)
		read_buffered(event);
	else if (event->hw.running)
		hw_counter_update(event);
	else if (event->hw.derived)
		event->hw.derived->read(event);
}

static uint32_t hw_user_index(const struct perf_event *event)
{
	if (event->hw.stores_branches || event->hw.buffered)
		return 0;
	return event->hw.rdpmc + 1;
}

static void hw_switching(void)
{
	hw_caps.vendor->records->drain(hw_this_cpu());
}

static void hw_switched(void)
{
	lbr_flush(&hw_this_cpu()->lbr);
}

static void hw_forget(void)
{
	struct hw_cpu *cpu = hw_this_cpu();

	for (uint64_t left = cpu->dirty & ~cpu->used; left; left &= left - 1)
		wrmsr(hw_counter_msr(__builtin_ctzl(left)), 0);
	cpu->dirty &= cpu->used;
}

static uint8_t hw_bits(const struct perf_event *event)
{
	return event->hw.index >= 0 ? hw_counter_bits(event->hw.index) : hw_caps.general_bits;
}

/* ---- event_init: does the event, and its group, fit the empty PMU? ---- */

struct group_check {
	const struct pmu *pmu;
	struct hw_cpu cpu; /* the registers of an empty processor */
	struct hw_event extra[ASSIGN_COUNTERS];
	uint64_t allowed[ASSIGN_COUNTERS + 1];
	int8_t place[ASSIGN_COUNTERS + 1];
	uint64_t pairs; /* events that take two counters, as bits */
	unsigned nr;
};

static bool check_member(struct group_check *check, const struct perf_event *event)
{
	unsigned i = check->nr;

	if (event_is_software(event))
		return true;
	if (event->pmu != check->pmu)
		return false;
	if (i == ASSIGN_COUNTERS)
		return false;
	check->allowed[i] = event->hw.allowed;
	check->place[i] = -1;
	check->extra[i] = event->hw;
	check->extra[i].extra_index = -1;
	check->pairs |= event->hw.pair ? BIT(i) : 0;
	check->nr++;
	return take_extra(&check->cpu, &check->extra[i]) &&
	       lbr_share_take(&check->cpu.lbr, &event->hw) &&
	       assign_with_pairs(check->allowed, check->pairs, check->place, check->nr, i);
}

/* Checks that the group fits one PMU. As on Linux, siblings that are off do not count. Returns 0,
 * -EINVAL or -ENOMEM. */
static int check_group(const struct perf_event *event)
{
	const struct perf_event *leader = event->leader, *sibling;
	struct group_check *check;
	bool fits;

	if (leader == event)
		return event->hw.allowed ? 0 : -EINVAL;
	check = kalloc(sizeof(*check));
	if (!check)
		return -ENOMEM;
	check->pmu = event->pmu;
	fits = check_member(check, leader);
	event_for_each_sibling(sibling, leader)
		if (sibling->state > EVENT_OFF)
			fits = fits && check_member(check, sibling);
	fits = fits && check_member(check, event);
	kfree(check);
	return fits ? 0 : -EINVAL;
}

static struct hw_kind *kind_of(const struct pmu *pmu)
{
	return &hw_kinds[pmu - hw_pmus];
}

static bool hw_is_here(const struct pmu *pmu)
{
	return hw_this_kind() == kind_of(pmu);
}

static bool is_mine(const struct perf_event *event, const struct hw_kind *kind)
{
	uint32_t type = event->attr.type;

	if (type != event->pmu->type && type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE)
		return false;
	return event->cpu == -1 ? !cpu_mask_empty(&kind->cpus)
				: cpu_mask_has(&kind->cpus, (uint32_t)event->cpu);
}

static int hw_event_init(struct perf_event *event)
{
	const struct hw_kind *kind = kind_of(event->pmu);
	int err;

	if (!is_mine(event, kind))
		return -ENOENT;
	event->hw.kind = kind;
	err = hw_caps.vendor->configure(event);
	if (err)
		return err;
	event->hw.fixed = hw_fixed_field(event->hw.config);
	event->hw.exclusive = hw_constrained(kind->model->exclusive, event->hw.config, 0);
	return check_group(event);
}

static int hw_check_period(const struct perf_event *event, uint64_t period)
{
	return hw_caps.vendor->check_period ? hw_caps.vendor->check_period(event, period) : 0;
}

static void hw_cpu_init(void)
{
	hw_caps.vendor->reset();
	hw_this_cpu()->dirty = hw_this_kind()->general | hw_this_kind()->fixed;
	hw_neighbours_find(hw_this_cpu());
	hw_resume();
	apic_pmi_arm();
}

#define OPERATIONS                                                                                \
	.caps = PMU_EXTENDED_REGS, .cpu_init = hw_cpu_init, .event_init = hw_event_init,          \
	.add = hw_add, .del = hw_del, .start = hw_counter_start, .stop = hw_counter_stop,         \
	.read = hw_read, .pause = hw_pause, .resume = hw_resume, .check_period = hw_check_period, \
	.user_index = hw_user_index, .counter_bits = hw_bits, .branches = lbr_branches,           \
	.is_here = hw_is_here, .forget = hw_forget, .switching = hw_switching,                    \
	.switched = hw_switched

const struct pmu hw_pmus[HW_KINDS] = {
    [HW_FIRST] = {.type = PERF_TYPE_RAW, OPERATIONS},
    [HW_SECOND] = {.type = PMU_TYPE_FREE, OPERATIONS},
    [HW_THIRD] = {.type = PMU_TYPE_FREE + 1, OPERATIONS},
};
