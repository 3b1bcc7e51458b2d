/* SPDX-License-Identifier: BSD-2-Clause */
/* read(2) of an event: one value or a group's, in every read_format. */
#include <linux/errno.h>
#include "api/perf/perf.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "pmu/base/context.h"
#include "pmu/core/core.h"

#define WORDS_ON_STACK 32

/* Returns the event's count now. On its processor, interrupts masked. */
static inline uint64_t own_count(struct perf_event *event)
{
	if (event->state == EVENT_ACTIVE)
		event->pmu->read(event);
	return event_count(event);
}

/* Returns the sum of the live children's counts. */
static __attribute__((noinline)) uint64_t children_count(const struct perf_event *event)
{
	struct perf_event *child;
	uint64_t total = 0;

	list_for_each(child, &event->children, child_link) {
		if (child->state == EVENT_ACTIVE)
			event_update(child);
		total += event_count(child);
	}
	return total;
}

static inline uint64_t total_count(struct perf_event *event)
{
	uint64_t own = own_count(event);

	return list_empty(&event->children) ? own : own + children_count(event);
}

static __attribute__((noinline)) void add_times(const struct perf_event *event, uint64_t now,
						uint64_t times[2])
{
	const struct perf_event *child;
	uint64_t more_enabled, more_running;

	list_for_each(child, &event->children, child_link) {
		event_times(child, now, &more_enabled, &more_running);
		times[0] += more_enabled;
		times[1] += more_running;
	}
}

/* `at` has room for both times in any format: a value follows them, or it is the stack's. */
static inline uint64_t *put_times(uint64_t *at, const struct perf_event *event, uint64_t format,
				  bool alone)
{
	uint64_t now;

	if (!(format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)))
		return at;
	now = clock_ns();
	event_times(event, now, &at[0], &at[1]);
	at[0] += event->child_enabled;
	at[1] += event->child_running;
	if (!alone && !list_empty(&event->children))
		add_times(event, now, at);
	if (!(format & PERF_FORMAT_TOTAL_TIME_ENABLED))
		at[0] = at[1];
	return at + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

static inline uint64_t *put_id_and_lost(uint64_t *at, const struct perf_event *event,
					uint64_t format)
{
	if (format & PERF_FORMAT_ID)
		*at++ = event->id;
	if (format & PERF_FORMAT_LOST)
		*at++ = event->lost;
	return at;
}

static inline void put_one(uint64_t *at, struct perf_event *event)
{
	uint64_t format = event->attr.read_format;

	*at = total_count(event);
	put_id_and_lost(put_times(at + 1, event, format, false), event, format);
}

/* read_size() has measured the buffer, for nr_siblings siblings. */
static __attribute__((noinline)) void put_group(uint64_t *at, const struct perf_event *event)
{
	struct perf_event *leader = event->leader, *sibling;
	uint64_t format = event->attr.read_format;

	*at++ = 1 + leader->nr_siblings;
	at = put_times(at, leader, format, false);
	*at++ = total_count(leader);
	at = put_id_and_lost(at, leader, format);
	event_for_each_sibling(sibling, leader) {
		*at++ = total_count(sibling);
		at = put_id_and_lost(at, sibling, format);
	}
}

/* Reads on the event's processor, so that all values of a group are from one point in time. */
static inline void put_here(uint64_t *values, struct perf_event *event)
{
	if (event->attr.read_format & PERF_FORMAT_GROUP)
		put_group(values, event);
	else
		put_one(values, event);
}

struct answer {
	struct perf_event *event;
	uint64_t *values;
};

static void put_there(void *argument)
{
	const struct answer *answer = argument;

	put_here(answer->values, answer->event);
}

static __attribute__((noinline)) void read_there(struct perf_event *event, uint64_t *values)
{
	struct answer answer = {event, values};

	context_run(event->ctx, put_there, &answer);
}

static inline void read_values(struct perf_event *event, uint64_t *values)
{
	if (!context_is_here(event->ctx)) {
		read_there(event, values);
		return;
	}
	irq_disable();
	put_here(values, event);
	irq_enable();
}

static long read_large_group(struct perf_event *event, uint64_t buffer)
{
	uint64_t *values = kalloc(event->read_size);
	int err;

	if (!values)
		return -ENOMEM;
	read_values(event, values);
	err = copy_to_user(buffer, values, event->read_size);
	kfree(values);
	return err ? err : (long)event->read_size;
}

/* True if the groups that tasks have inherited have the members of the leader's group: otherwise
 * sums make no sense. */
static bool groups_alike(const struct perf_event *leader)
{
	const struct perf_event *child;

	list_for_each(child, &leader->children, child_link)
		if (child->changes != leader->changes)
			return false;
	return true;
}

/* Any format, on any processor. */
static __attribute__((noinline)) long read_any(struct perf_event *event, uint64_t buffer)
{
	uint64_t values[WORDS_ON_STACK];

	if (event->attr.read_format & PERF_FORMAT_GROUP && !groups_alike(event->leader))
		return -ECHILD;
	if (event->read_size > sizeof(values))
		return read_large_group(event, buffer);
	read_values(event, values);
	return copy_to_user(buffer, values, event->read_size) ? -EFAULT : (long)event->read_size;
}

/* Reads an event without children on its own processor. */
static __attribute__((noinline)) long read_alone(struct perf_event *event, uint64_t buffer)
{
	uint64_t format = event->attr.read_format, values[5];

	irq_disable();
	values[0] = own_count(event);
	put_id_and_lost(put_times(values + 1, event, format, true), event, format);
	irq_enable();
	return copy_to_user(buffer, values, event->read_size) ? -EFAULT : (long)event->read_size;
}

/* As read_alone(), for a value without times or ids. */
static __attribute__((noinline)) long read_active(struct perf_event *event, uint64_t buffer)
{
	uint64_t value;

	irq_disable();
	value = own_count(event);
	irq_enable();
	return put_user_word(buffer, value);
}

long perf_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct perf_event *event = file->priv;

	(void)offset;
	/* End of file: a pinned event that could not be scheduled. */
	if (event->state == EVENT_ERROR)
		return 0;
	if (bytes < event->read_size)
		return -ENOSPC;
	if (!list_empty(&event->children) || !context_is_here(event->ctx))
		return read_any(event, buffer);
	if (event->attr.read_format)
		return event->attr.read_format & PERF_FORMAT_GROUP ? read_any(event, buffer)
								   : read_alone(event, buffer);
	if (event->state == EVENT_ACTIVE)
		return read_active(event, buffer);
	return put_user_word(buffer, event_count(event));
}
