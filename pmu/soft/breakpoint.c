/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints, in the processors' debug registers. Each breakpoint reserves a register on all
 * processors where it may be scheduled, so that one is always available: perf_event_open(2),
 * "bp_type".
 *
 * The registers are loaded at the end of a change, with its result: a switch between tasks with
 * equal breakpoints writes nothing.
 */
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>
#include "arch/x86/cpu/debug.h"
#include "arch/x86/cpu/msr.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "pmu/core/core.h"
#include "pmu/soft/breakpoint.h"
#include "pmu/soft/software.h"

#define EXECUTE_LENGTH    sizeof(long)
#define LARGEST_LENGTH    8
#define LAST_USER_ADDRESS (USER_END - 1)

/* ---- what is watched ---- */

/* Checks the length. Lengths above 8 are AMD's address masks, which are not supported. */
static int check_length(uint64_t address, uint64_t bytes)
{
	if (!bytes || bytes & (bytes - 1) || address & (bytes - 1))
		return -EINVAL;
	return bytes > LARGEST_LENGTH ? -EOPNOTSUPP : 0;
}

static int check_use(const struct perf_event_attr *attr)
{
	switch (attr->bp_type) {
	case HW_BREAKPOINT_X:
		return attr->bp_len == EXECUTE_LENGTH ? 0 : -EINVAL;
	case HW_BREAKPOINT_W:
	case HW_BREAKPOINT_RW:
		return check_length(attr->bp_addr, attr->bp_len);
	default:
		return -EINVAL;
	}
}

/* Checks a breakpoint: 0, or -EINVAL, -EOPNOTSUPP, -EPERM. */
static int check(const struct perf_event_attr *attr)
{
	uint64_t last = attr->bp_addr + attr->bp_len - 1;
	int err;

	if (last < attr->bp_addr || !debug_may_watch(attr->bp_addr, last))
		return -EINVAL;
	err = check_use(attr);
	if (err || (attr->bp_addr <= LAST_USER_ADDRESS && last <= LAST_USER_ADDRESS))
		return err;
	if (attr->exclude_kernel)
		return -EINVAL;
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/* ---- places ---- */

/* Returns the largest number of slots that one task needs there. */
static unsigned most_of_tasks(const struct pmu_cpu *cpu)
{
	unsigned most = DEBUG_SLOTS;

	while (most && !cpu->tasks_with[most])
		most--;
	return most;
}

static unsigned places_taken(const struct perf_event *event, uint32_t id)
{
	const struct pmu_cpu *cpu = cpus[id]->pmu;

	return cpu->own_breakpoints +
	       (event->ctx->of_cpu ? most_of_tasks(cpu) : event->ctx->breakpoints[id]);
}

static void take_place(const struct perf_event *event, uint32_t id, int change)
{
	struct pmu_cpu *cpu = cpus[id]->pmu;
	uint8_t *own;

	if (event->ctx->of_cpu) {
		cpu->own_breakpoints = (uint8_t)(cpu->own_breakpoints + change);
		return;
	}
	own = &event->ctx->breakpoints[id];
	cpu->tasks_with[*own]--;
	*own = (uint8_t)(*own + change);
	cpu->tasks_with[*own]++;
}

static bool may_be_on(const struct perf_event *event, uint32_t id)
{
	return event->cpu < 0 || event->cpu == (int)id;
}

static int take_places(const struct perf_event *event)
{
	struct context *ctx = event->ctx;

	if (!ctx->of_cpu && !ctx->breakpoints) {
		ctx->breakpoints = kalloc(nr_cpus);
		if (!ctx->breakpoints)
			return -ENOMEM;
	}
	for (uint32_t id = 0; id < nr_cpus; id++)
		if (may_be_on(event, id) && places_taken(event, id) >= DEBUG_SLOTS)
			return -ENOSPC;
	for (uint32_t id = 0; id < nr_cpus; id++)
		if (may_be_on(event, id))
			take_place(event, id, 1);
	return 0;
}

static void breakpoint_destroy(struct perf_event *event)
{
	for (uint32_t id = 0; id < nr_cpus; id++)
		if (may_be_on(event, id))
			take_place(event, id, -1);
}

static int breakpoint_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int err;

	if (attr->type != PERF_TYPE_BREAKPOINT)
		return -ENOENT;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (attr->bp_type == HW_BREAKPOINT_EMPTY || attr->bp_type == HW_BREAKPOINT_INVALID)
		return -EINVAL;
	err = take_places(event);
	if (err)
		return err;
	err = check(attr);
	if (err)
		breakpoint_destroy(event);
	return err;
}

/* ---- on and off ---- */

/* Returns a free slot, preferably one whose register holds the address already. */
static unsigned find_slot(const struct pmu_cpu *cpu, uint64_t address)
{
	unsigned slot, found = DEBUG_SLOTS;

	for (slot = DEBUG_SLOTS; slot--;) {
		if (cpu->breakpoints[slot])
			continue;
		found = slot;
		if (this_cpu()->debug.address[slot] == address)
			break;
	}
	return found;
}

static int breakpoint_add(struct perf_event *event)
{
	struct pmu_cpu *cpu = this_pmu_cpu();
	unsigned slot = find_slot(cpu, event->attr.bp_addr);

	if (slot == DEBUG_SLOTS)
		return -EAGAIN;
	event->hw.index = (int)slot;
	cpu->breakpoints[slot] = event;
	cpu->breakpoints_changed = true;
	software_start(event);
	return 0;
}

static void breakpoint_del(struct perf_event *event)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	software_stop(event);
	cpu->breakpoints[event->hw.index] = NULL;
	cpu->breakpoints_changed = true;
	event->hw.index = -1;
}

struct perf_event *breakpoint_of_slot(unsigned slot)
{
	struct perf_event *event = this_pmu_cpu()->breakpoints[slot];

	return event && event->attr.bp_addr == this_cpu()->debug.address[slot] ? event : NULL;
}

uint64_t breakpoints_hit(struct frame *frame, uint64_t status)
{
	uint64_t control = this_cpu()->debug.control;
	const struct perf_task *own = current_task()->perf;

	for (uint64_t hits = status & DR6_SLOTS; hits; hits &= hits - 1) {
		unsigned slot = (unsigned)__builtin_ctzl(hits);
		struct perf_event *event;

		if (!(control >> 2 * slot & 3))
			continue;
		event = breakpoint_of_slot(slot);
		if (event && software_wants(event, frame))
			software_count(event, 1, frame, event->attr.bp_addr);
		if (debug_use(control, slot) == DEBUG_EXECUTE)
			frame->rflags |= RFLAGS_RF;
	}
	if (own && own->watch && frame_is_user(frame))
		return watch_hit(own->watch, status);
	return status & ~DR6_SLOTS;
}

/* ---- changes ---- */

static bool same_elsewhere(const struct perf_event_attr *old, const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *old;

	copy.bp_addr = attr->bp_addr;
	copy.bp_type = attr->bp_type;
	copy.bp_len = attr->bp_len;
	copy.disabled = attr->disabled;
	copy.sig_data = attr->sig_data;
	return memcmp(&copy, attr, sizeof(copy)) == 0;
}

static void become(struct perf_event *event, const struct perf_event_attr *attr)
{
	event_disable(event);
	event->attr = *attr;
	if (!attr->disabled)
		event_enable(event);
}

int breakpoint_modify(struct perf_event *opened, const struct perf_event_attr *attr)
{
	struct perf_event *child;
	int err = check(attr);

	if (err)
		return err;
	if (!same_elsewhere(&opened->attr, attr))
		return -EINVAL;
	become(opened, attr);
	list_for_each(child, &opened->children, child_link)
		become(child, attr);
	return 0;
}

const struct pmu breakpoint_pmu = {
    .caps = PMU_SOFTWARE,
    .type = PERF_TYPE_BREAKPOINT,
    .event_init = breakpoint_init,
    .destroy = breakpoint_destroy,
    .add = breakpoint_add,
    .del = breakpoint_del,
    .start = software_start,
    .stop = software_stop,
    .read = software_read,
};
