/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events: the table of tracepoints, their users, and the dispatch of a record. */
#include <linux/errno.h>
#include <linux/sched.h>
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/descriptors.h"
#include "kernel/base/assert.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"
#include "pmu/record/userpage.h"
#include "trace/base/event.h"
#include "trace/base/hit.h"

#define PRIORITY_NORMAL 120 /* of nice 0, as Linux numbers them */
#define PRIORITY_RT     99

#define IS_SIGNED(type) ((type)-1 < (type)1)

#define DESCRIBE_V(record, c_type, member)          \
	{.type = #c_type,                           \
	 .name = #member,                           \
	 .offset = offsetof(struct record, member), \
	 .size = sizeof(c_type),                    \
	 .is_signed = IS_SIGNED(c_type)},
#define DESCRIBE_A(record, c_type, member, count)   \
	{.type = #c_type,                           \
	 .name = #member,                           \
	 .offset = offsetof(struct record, member), \
	 .size = sizeof(c_type) * (count),          \
	 .elements = (count),                       \
	 .is_signed = IS_SIGNED(c_type),            \
	 .is_string = sizeof(c_type) == 1},
#define DESCRIBE_S(record, member)                  \
	{.type = "__data_loc char[]",               \
	 .name = #member,                           \
	 .offset = offsetof(struct record, member), \
	 .size = sizeof(uint32_t),                  \
	 .is_signed = true,                         \
	 .is_string = true,                         \
	 .is_located = true},
#define DESCRIBE(system, name, place, flags, text)          \
	static const struct trace_field fields_##name[] = { \
	    TRACE_FIELDS_##name(record_##name, DESCRIBE_V, DESCRIBE_A, DESCRIBE_S)};

TRACE_POINTS(DESCRIBE)

#define POINT(in, called, at, with, shown)                                                     \
	[POINT_##called] = {.system = #in,                                                     \
			    .name = #called,                                                   \
			    .id = POINT_##called + 1,                                          \
			    .place = at,                                                       \
			    .flags = with,                                                     \
			    .nr_fields = sizeof(fields_##called) / sizeof(fields_##called[0]), \
			    .fields = fields_##called,                                         \
			    .text = shown},

struct trace_event trace_points[NR_POINTS] = {TRACE_POINTS(POINT)};

struct trace_above trace_above;
void (*trace_at_exit)(struct task *task);
void (*trace_task_made)(const struct task *child);
void (*trace_task_ends)(const struct task *task);
static uint32_t place_users[NR_PLACES];

int trace_priority(const struct task *task)
{
	return task->policy == SCHED_FIFO || task->policy == SCHED_RR
		   ? PRIORITY_RT - task->priority
		   : PRIORITY_NORMAL + task->nice;
}

struct trace_event *trace_find(uint64_t id)
{
	struct trace_event *event;

	if (!id)
		return NULL;
	if (id <= NR_POINTS)
		return &trace_points[id - 1];
	event = syscalls_find(id);
	return event ? event : trace_above.probe_by_id(id);
}

void place_use(enum trace_place place, bool on)
{
	uint32_t *users = &place_users[place];

	if (on ? (*users)++ == 0 : --*users == 0)
		trace_above.set_place(place, on);
}

static int switch_place(struct trace_event *event, bool on)
{
	if (event->place == PLACE_OWN)
		return event->set(event, on);
	if (event->place == PLACE_FUNCTION)
		return trace_above.set_function(event, on);
	if (event->place == PLACE_SYSCALLS)
		syscalls_want(event, on);
	place_use(event->place, on);
	return 0;
}

static bool has_other_users(const struct trace_event *event, enum trace_user user)
{
	uint32_t own =
	    user == TRACE_BY_TRACEFS ? event->tracefs_users : event->users - event->tracefs_users;

	return (event->flags & TRACE_ONE_KIND) && event->users > own;
}

static int start_use(struct trace_event *event)
{
	int err;

	event->lists = kalloc(nr_cpus * sizeof(*event->lists));
	if (!event->lists)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr_cpus; i++)
		list_init(&event->lists[i]);
	event->users = 1;
	err = switch_place(event, true);
	if (err) {
		event->users = 0;
		kfree(event->lists);
		event->lists = NULL;
	}
	return err;
}

int trace_event_get(struct trace_event *event, enum trace_user user)
{
	int err = 0;

	if (has_other_users(event, user))
		return -EINTR;
	if (event->users)
		event->users++;
	else
		err = start_use(event);
	if (!err && user == TRACE_BY_TRACEFS)
		event->tracefs_users++;
	return err;
}

/* Trace points run with interrupts masked or the kernel lock held: after all processors have
 * synchronised none uses the old lists. */
void trace_event_put(struct trace_event *event, enum trace_user user)
{
	struct list *lists = event->lists;

	KASSERT(event->users > 0);
	if (user == TRACE_BY_TRACEFS)
		event->tracefs_users--;
	if (--event->users)
		return;
	switch_place(event, false);
	__atomic_store_n(&event->lists, NULL, __ATOMIC_RELEASE);
	remote_synchronize();
	kfree(lists);
}

/* The amount that one record counts: run time in nanoseconds, as on Linux; otherwise 1. */
static uint64_t number_of(const struct trace_record *record)
{
	return record->event == &trace_points[POINT_sched_stat_runtime]
		   ? ((const struct record_sched_stat_runtime *)record->header)->runtime
		   : 1;
}

/* Emitting a record may reach a trace point again; such nested records are dropped. */
static struct {
	bool emitting;
	struct frame frame; /* trace_hit_here()'s */
} local[MAX_CPUS];

static inline bool may_notify(const struct trace_event *event)
{
	return event->lists && !local[this_cpu_read(id)].emitting;
}

/* With interrupts masked, after may_notify(); `flags`: before masking. */
__attribute__((always_inline)) static inline void emit_event(const struct trace_record *record,
							     struct trace_header *header,
							     uint64_t flags, bool in_program,
							     const struct task *about)
{
	uint32_t cpu = this_cpu_read(id);

	local[cpu].emitting = true;
	trace_header_fill(record->event, header,
			  (flags & RFLAGS_IF ? 0 : TRACE_FLAG_IRQS_OFF) |
			      (this_cpu_read(irq_depth) ? TRACE_FLAG_HARDIRQ : 0));
	if (hit_emit(record, &record->event->lists[cpu], number_of(record), in_program) && about)
		tracepoint_emit_about(record, about);
	local[cpu].emitting = false;
}

/* True if all listeners only count. */
static inline bool only_count(const struct list *here)
{
	const struct perf_event *event;

	list_for_each(event, here, hw.software_link)
		if (event_is_sampling(event) || event->origin->hw.filter)
			return false;
	return true;
}

bool trace_count(struct trace_event *event)
{
	uint64_t flags = irq_save();
	struct list *here = event->lists + this_cpu_read(id);
	struct perf_event *user;
	bool done = may_notify(event) && !event->programs && only_count(here);

	if (done)
		list_for_each(user, here, hw.software_link)
			if (user->hw.running && !user->attr.exclude_kernel)
				__atomic_add_fetch(&user->count, 1, __ATOMIC_RELAXED);
	irq_restore(flags);
	return done;
}

void trace_hit(struct trace_event *event, struct trace_header *header, uint32_t bytes,
	       struct frame *frame, const struct trace_arguments *arguments)
{
	struct trace_record record = {event, header, bytes, frame, arguments};
	uint64_t flags = irq_save();

	if (may_notify(event))
		emit_event(&record, header, flags, frame_is_user(frame), NULL);
	irq_restore(flags);
}

/* A nested hit leaves the frame unchanged. */
void trace_hit_here(struct trace_event *event, struct trace_header *header, uint32_t bytes,
		    const struct trace_here *here, const struct trace_arguments *arguments,
		    const struct task *about)
{
	uint64_t flags = irq_save();
	struct frame *frame = &local[this_cpu_read(id)].frame;
	struct trace_record record = {event, header, bytes, frame, arguments};

	if (may_notify(event)) {
		frame->rip = here->rip;
		frame->rbp = here->rbp;
		frame->rsp = here->rsp;
		frame->cs = KERNEL_CS;
		emit_event(&record, header, flags, false, about);
	}
	irq_restore(flags);
}
