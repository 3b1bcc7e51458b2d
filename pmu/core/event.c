/* SPDX-License-Identifier: BSD-2-Clause */
/* Life of an event: allocation, choice of PMU and clock, sizes of its records, its ring, its
 * end. */
#include <linux/errno.h>
#include <linux/time.h>
#include "arch/x86/apic/tsc.h"
#include "kernel/base/log.h"
#include "kernel/base/system.h"
#include "kernel/mem/memory.h"
#include "kernel/time/clock.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/base/limits.h"
#include "pmu/base/registers.h"
#include "pmu/core/core.h"
#include "pmu/core/rdpmc.h"
#include "pmu/record/records.h"
#include "pmu/record/sample.h"
#include "pmu/record/userpage.h"

static uint64_t next_id; /* of events; atomic */

/* PMUs that higher directories register. The first four have Linux's own types, and are searched
 * before the hardware's. */
#define FIRST_PMUS 4
#define MORE_PMUS  12
static const struct pmu *own_pmus[FIRST_PMUS + MORE_PMUS];
static const struct pmu **const more_pmus = own_pmus + FIRST_PMUS;

void pmu_register(const struct pmu *pmu)
{
	unsigned i = 0;

	while (i < FIRST_PMUS + MORE_PMUS && own_pmus[i] && own_pmus[i] != pmu)
		i++;
	if (i == FIRST_PMUS + MORE_PMUS)
		panic("no room for another PMU");
	own_pmus[i] = pmu;
}

static int try_pmu(struct perf_event *event, const struct pmu *pmu)
{
	int err;

	event->pmu = pmu;
	event->hw.user_read = pmu->user_index && rdpmc_offered();
	err = pmu->event_init(event);
	if (!err && !(pmu->caps & PMU_EXTENDED_REGS) &&
	    ((event->attr.sample_regs_user | event->attr.sample_regs_intr) & REGISTERS_EXTENDED)) {
		if (pmu->destroy)
			pmu->destroy(event);
		return -EOPNOTSUPP;
	}
	return err;
}

/* Initialises the event with the first PMU of the list that accepts it. */
static int try_pmus(struct perf_event *event, const struct pmu *const pmus[], unsigned nr)
{
	for (unsigned i = 0; i < nr && pmus[i]; i++) {
		int err = try_pmu(event, pmus[i]);

		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

/* True when the type is that of a PMU without generic events. As on Linux the software type does
 * not count. */
static bool is_of_others(uint32_t type)
{
	for (unsigned i = 0; i < MORE_PMUS && more_pmus[i]; i++)
		if (more_pmus[i]->type == type)
			return true;
	return type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT;
}

bool pmu_takes_turns(uint32_t type)
{
	for (unsigned i = 0; i < HARDWARE_PMUS && hardware_pmus[i]; i++)
		if (hardware_pmus[i]->type == type)
			return true;
	for (unsigned i = 0; i < MORE_PMUS && more_pmus[i]; i++)
		if (more_pmus[i]->type == type)
			return !(more_pmus[i]->caps & PMU_SOFTWARE);
	return false;
}

/*
 * The upper half of a generic event's config may name its PMU. As on Linux, a PMU of another kind
 * has no such events, and a number that belongs to no PMU is ignored.
 */
static int choose_hardware(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	uint32_t type = (uint32_t)(attr->config >> PERF_PMU_TYPE_SHIFT);

	attr->config &= PERF_HW_EVENT_MASK;
	for (unsigned i = 0; type && i < HARDWARE_PMUS && hardware_pmus[i]; i++)
		if (hardware_pmus[i]->type == type)
			return try_pmu(event, hardware_pmus[i]);
	if (type && is_of_others(type))
		return -ENOENT;
	return try_pmus(event, hardware_pmus, HARDWARE_PMUS);
}

/* Retries with the other PMUs if the hardware PMU changed the event's type. */
static int choose_changed(struct perf_event *event, uint32_t type, int err)
{
	if (err != -ENOENT || event->attr.type == type)
		return err;
	return try_pmus(event, more_pmus, MORE_PMUS);
}

/* Chooses the PMU of the event. */
static int choose_pmu(struct perf_event *event)
{
	uint32_t type = event->attr.type;
	bool named = event->attr.config >> PERF_PMU_TYPE_SHIFT;
	int err;

	if (event->parent)
		return try_pmu(event, event->parent->pmu);
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE)
		return named ? choose_hardware(event)
			     : choose_changed(event, type, choose_hardware(event));
	err = try_pmus(event, own_pmus, FIRST_PMUS);
	if (err == -ENOENT)
		err = try_pmus(event, more_pmus, MORE_PMUS);
	if (err != -ENOENT)
		return err;
	return choose_changed(event, type, try_pmus(event, hardware_pmus, HARDWARE_PMUS));
}

static void init_period(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;

	hw->period = event->attr.freq && event->attr.sample_freq ? 1 : event->attr.sample_period;
	hw->last_period = hw->period;
	hw->period_left = (int64_t)hw->period;
}

static void init_lists(struct perf_event *event)
{
	list_init(&event->group_link);
	list_init(&event->siblings);
	list_init(&event->event_link);
	list_init(&event->children);
	list_init(&event->child_link);
	list_init(&event->owner_link);
	list_init(&event->ring_link);
	list_init(&event->hw.software_link);
	waitq_init(&event->waitq);
	event->work.run = event_work;
}

static bool has_callchain(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

static int init_event(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int err;

	if (attr->inherit && (attr->sample_type & PERF_SAMPLE_READ) &&
	    !(system_since(13) && (attr->sample_type & PERF_SAMPLE_TID)))
		return -EINVAL;
	if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		event->attr.branch_sample_type = 0;
	err = choose_pmu(event);
	if (err)
		return err;
	if (attr->aux_output)
		err = -EOPNOTSUPP; /* no PMU sends its records to another's AUX area */
	else if ((attr->__reserved_3 & ATTR_AUX_START_PAUSED) && !event->pmu->pause_trace)
		err = -EOPNOTSUPP;
	else if (has_callchain(event) && attr->sample_max_stack > perf_limits.max_stack)
		err = -EOVERFLOW;
	if (err && event->pmu->destroy)
		event->pmu->destroy(event);
	return err;
}

struct perf_event *event_new(const struct perf_event_attr *attr, int cpu, struct context *ctx,
			     struct perf_event *leader, struct perf_event *parent, int *error)
{
	struct perf_event *event = kalloc(sizeof(*event));

	*error = -ENOMEM;
	if (!event)
		return NULL;
	event->attr = *attr;
	event->cpu = cpu;
	event->ctx = ctx;
	event->leader = leader ? leader : event;
	event->parent = parent;
	event->origin = parent ? parent : event;
	event->id = __atomic_add_fetch(&next_id, 1, __ATOMIC_RELAXED);
	event->state = attr->disabled ? EVENT_OFF : EVENT_INACTIVE;
	event->hw.trace_paused = attr->__reserved_3 & ATTR_AUX_START_PAUSED;
	event->enable_on_exec = attr->enable_on_exec;
	event->clock = parent ? parent->clock : clock_ns;
	event->clockid = parent ? parent->clockid : EVENT_CLOCK_OWN;
	event->hw.index = event->hw.placed = -1;
	event->hw.unused_bits = hardware_pmu ? 64 - hardware_pmu->counter_bits(event) : 64;
	event->hw.extra_index = -1;
	init_lists(event);
	init_period(event);
	sample_sizes(event);
	*error = init_event(event);
	attr = &event->attr;
	if (attr->freq || attr->sigtrap || attr->__reserved_3 & (ATTR_AUX_PAUSE | ATTR_AUX_RESUME))
		event->attr.__reserved_1 |= ATTR_ACTS;
	if (!*error) {
		*error = exclusive_open(event);
		if (*error && event->pmu->destroy)
			event->pmu->destroy(event);
	}
	if (*error) {
		kfree(event);
		return NULL;
	}
	context_get(ctx);
	nr_callchain_events += has_callchain(event);
	nr_build_id_events += attr->build_id;
	return event;
}

void event_free(struct perf_event *event)
{
	irq_work_sync(&event->work);
	if (event->ring)
		event_attach_ring(event, NULL);
	if (event->detach)
		event->detach(event);
	event_drop_cgroup(event);
	exclusive_close(event);
	if (event->pmu->destroy)
		event->pmu->destroy(event);
	nr_callchain_events -= has_callchain(event);
	nr_build_id_events -= event->attr.build_id;
	context_put(event->ctx);
	kfree(event);
}

/* Stops the event and removes it from its context and group. */
static void remove_here(void *argument)
{
	context_detach(argument);
	group_detach(argument);
}

static void event_remove(struct perf_event *event)
{
	context_run(event->ctx, remove_here, event);
}

void event_release(struct perf_event *event)
{
	struct perf_event *child, *next;

	list_remove(&event->owner_link);
	event_remove(event);
	list_for_each_safe(child, next, &event->children, child_link) {
		list_remove(&child->child_link);
		event_remove(child);
		event_free(child);
	}
	event_free(event);
}

static uint64_t clock_real(void)
{
	return (uint64_t)clock_real_ns();
}

int event_set_clock(struct perf_event *event, int clockid)
{
	/* TAI has no offset here, and the machine never sleeps. */
	switch (clockid) {
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
		event->clock = clock_ns;
		break;
	case CLOCK_REALTIME:
	case CLOCK_TAI:
	case CLOCK_BOOTTIME:
		/* As on Linux, not readable in an NMI. */
		if (!(event->pmu->caps & PMU_NO_NMI))
			return -EINVAL;
		event->clock = clockid == CLOCK_BOOTTIME ? clock_ns : clock_real;
		break;
	default:
		return -EINVAL;
	}
	event->clockid = clockid;
	return 0;
}

#define READ_MAX (16 * 1024) /* bytes of read(2), as on Linux */

void group_update_sizes(struct perf_event *leader)
{
	struct perf_event *sibling;

	leader->read_size = event_read_bytes(leader, leader->nr_siblings);
	event_for_each_sibling(sibling, leader)
		sibling->read_size = event_read_bytes(sibling, leader->nr_siblings);
}

bool event_sizes_fit(const struct perf_event *event)
{
	const struct perf_event *leader = event->leader, *sibling;
	uint32_t siblings = leader->nr_siblings + 1;

	if (event_read_bytes(event, siblings) > READ_MAX ||
	    event_read_bytes(leader, siblings) > READ_MAX)
		return false;
	event_for_each_sibling(sibling, leader)
		if (event_read_bytes(sibling, siblings) > READ_MAX)
			return false;
	return true;
}

/* Waits until every NMI that was writing has ended. None runs on this processor, which is in task
 * context. */
static void wait_for_writers(void)
{
	remote_synchronize();
}

void event_attach_ring(struct perf_event *event, struct ring *ring)
{
	struct ring *old = event->ring;
	uint64_t flags;

	if (ring)
		ring_get(ring);
	flags = irq_save();
	list_remove(&event->ring_link);
	__atomic_store_n(&event->ring, ring, __ATOMIC_RELEASE);
	if (ring)
		list_add_tail(&ring->users, &event->ring_link);
	irq_restore(flags);
	if (old) {
		wait_for_writers();
		waitq_wake(&event->waitq);
		ring_put(old);
	}
}
