/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers of ptrace(2), u_debugreg of struct user. Each is a breakpoint of the tracee
 * without records, whose hits are marked here and raise SIGTRAP.
 */
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>
#include "arch/x86/cpu/msr.h"
#include "kernel/mem/memory.h"
#include "pmu/base/context.h"
#include "pmu/core/core.h"
#include "pmu/soft/breakpoint.h"

#define STATUS            6                    /* DR6 */
#define CONTROL           7                    /* DR7 */
#define CONTROL_NOT_THERE 0xffffffff0000fc00ul /* bits of DR7 that must be zero */

static struct watch *watch_of(const struct task *task)
{
	return task->perf ? task->perf->watch : NULL;
}

static struct watch *watch_make(struct task *task)
{
	struct watch *watch = watch_of(task);

	if (watch || !context_of_task(task))
		return watch;
	watch = kalloc(sizeof(*watch));
	if (watch)
		watch->status = DR6_INITIAL;
	task->perf->watch = watch;
	return watch;
}

uint64_t watch_get(const struct task *task, unsigned number)
{
	const struct watch *watch = watch_of(task);

	if (number == STATUS)
		return watch ? watch->status : DR6_INITIAL;
	if (!watch)
		return 0;
	if (number == CONTROL)
		return watch->control;
	return number < DEBUG_SLOTS && watch->events[number] ? watch->events[number]->attr.bp_addr
							     : 0;
}

static void attach(void *event)
{
	context_attach(event);
}

/* Changes the breakpoint of the slot, or creates it. */
static int watch_put(struct task *task, struct watch *watch, unsigned slot,
		     const struct perf_event_attr *attr)
{
	struct perf_event *event = watch->events[slot];
	int err;

	if (event)
		return breakpoint_modify(event, attr);
	event = event_new(attr, -1, &task->perf->ctx, NULL, NULL, &err);
	if (!event)
		return err;
	watch->events[slot] = event;
	context_run(event->ctx, attach, event);
	return 0;
}

static struct perf_event_attr attr_of(const struct watch *watch, unsigned slot)
{
	const struct perf_event_attr first = {.type = PERF_TYPE_BREAKPOINT,
					      .size = sizeof(first),
					      .bp_type = HW_BREAKPOINT_W,
					      .bp_len = HW_BREAKPOINT_LEN_1,
					      .disabled = 1,
					      .exclude_kernel = 1};

	return watch->events[slot] ? watch->events[slot]->attr : first;
}

static int set_address(struct task *task, struct watch *watch, unsigned slot, uint64_t address)
{
	struct perf_event_attr attr = attr_of(watch, slot);

	attr.bp_addr = address;
	return watch_put(task, watch, slot, &attr);
}

/* Decodes a slot of DR7. False: an invalid type, or an invalid length for it. */
static bool decode(uint64_t control, unsigned slot, struct perf_event_attr *attr)
{
	static const uint8_t lengths[] = {1, 2, 8, 4};

	attr->disabled = !(control >> 2 * slot & 3);
	attr->bp_len = lengths[control >> (18 + 4 * slot) & 3];
	switch ((unsigned)debug_use(control, slot)) {
	case DEBUG_EXECUTE:
		attr->bp_type = HW_BREAKPOINT_X;
		if (attr->bp_len != 1)
			return false;
		attr->bp_len = sizeof(long);
		return true;
	case DEBUG_WRITE:
		attr->bp_type = HW_BREAKPOINT_W;
		return true;
	case DEBUG_ACCESS:
		attr->bp_type = HW_BREAKPOINT_RW;
		return true;
	default:
		return false;
	}
}

static int set_slots(struct task *task, struct watch *watch, uint64_t control)
{
	int err = 0;

	for (unsigned slot = 0; slot < DEBUG_SLOTS && !err; slot++) {
		struct perf_event_attr attr = attr_of(watch, slot);
		bool known = decode(control, slot, &attr);

		if (watch->events[slot] || !attr.disabled)
			err = known ? watch_put(task, watch, slot, &attr) : -EINVAL;
	}
	return err;
}

/* Sets the control register. If one breakpoint is refused, all four stay as they were. */
static int set_control(struct task *task, struct watch *watch, uint64_t control)
{
	int err;

	control &= ~CONTROL_NOT_THERE;
	err = set_slots(task, watch, control);
	if (err)
		set_slots(task, watch, watch->control);
	else
		watch->control = control;
	return err;
}

int watch_set(struct task *task, unsigned number, uint64_t value)
{
	struct watch *watch;

	if (number != STATUS && number != CONTROL && number >= DEBUG_SLOTS)
		return -EIO;
	if (!watch_of(task) && !value && number != STATUS)
		return 0;
	watch = watch_make(task);
	if (!watch)
		return -ENOMEM;
	if (number < DEBUG_SLOTS)
		return set_address(task, watch, number, value);
	if (number == CONTROL)
		return set_control(task, watch, value);
	watch->status = value;
	return 0;
}

void watch_drop(struct task *task)
{
	struct watch *watch = watch_of(task);

	if (!watch)
		return;
	task->perf->watch = NULL;
	for (unsigned slot = 0; slot < DEBUG_SLOTS; slot++)
		if (watch->events[slot])
			event_release(watch->events[slot]);
	kfree(watch);
}

/* Returns the number of the tracer's register that the event belongs to; DEBUG_SLOTS: none. */
static unsigned number_of(const struct watch *watch, const struct perf_event *event)
{
	unsigned number = 0;

	while (number < DEBUG_SLOTS && (!event || watch->events[number] != event))
		number++;
	return number;
}

uint64_t watch_hit(struct watch *watch, uint64_t status)
{
	uint64_t rest = status & ~DR6_SLOTS;

	watch->status = DR6_INITIAL | (status & DR6_SINGLE_STEP);
	for (unsigned slot = 0; slot < DEBUG_SLOTS; slot++) {
		unsigned number = DEBUG_SLOTS;

		if (status >> slot & 1)
			number = number_of(watch, breakpoint_of_slot(slot));
		if (number == DEBUG_SLOTS)
			continue;
		watch->status |= 1ul << number;
		rest |= 1ul << slot;
	}
	return rest;
}
