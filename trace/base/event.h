/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events: listed by tracefs, opened by perf_event_open(2), used by BPF programs; and how a
 * trace point emits a record. */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/list.h"
#include "kernel/task/task.h"
#include "trace/base/points.h"

struct buffered;
struct frame;
struct perf_event;
struct text;
struct trace_event;
struct trace_arguments;
struct trace_filter;
struct trace_program;

enum {
	TRACE_CAP_ANY = 1 << 0,  /* needs no privilege beyond access to the task */
	TRACE_ONE_KIND = 1 << 1, /* used by perf events or by tracefs, not by both */
};

enum trace_user { TRACE_BY_PERF, TRACE_BY_TRACEFS };

/* Trace points in the kernel: enabled by the first user of their events, disabled with the last. */
enum trace_place {
	PLACE_SYSCALLS,
	PLACE_WAKE,
	PLACE_SWITCH,
	PLACE_EXIT,
	PLACE_FORK,
	PLACE_EXEC,
	PLACE_FAULT,
	PLACE_SIGNAL,
	PLACE_TIMER_VECTOR,
	PLACE_RESCHEDULE_VECTOR,
	PLACE_CALL_VECTOR,
	PLACE_NONE, /* nothing to switch */
	NR_PLACES,
	PLACE_FUNCTION = NR_PLACES, /* functions.c */
	PLACE_OWN,                  /* the event's own: a probe */
};

struct trace_field {
	const char *type, *name; /* as in C; an array's length is apart */
	uint16_t offset, size;   /* bytes; of all elements */
	uint16_t elements;       /* 0: no array */
	bool is_signed;
	bool is_string; /* a string, or the offset of one in the record (is_located) */
	bool is_located;
};

#define TRACE_FIELDS_MAX 16 /* besides the header's */

struct trace_event {
	const char *system, *name;
	uint16_t id;
	uint8_t place; /* enum trace_place */
	uint8_t flags;
	uint16_t nr_fields;
	const struct trace_field *fields;
	const char *text; /* of `print fmt`; NULL: make_text() writes it */
	void (*make_text)(const struct trace_event *event, struct text *out);
	/* PLACE_OWN: enables or disables the event. Returns 0 or a negative errno. Context:
	 * task. */
	int (*set)(struct trace_event *event, bool on);
	uint32_t users;         /* open perf events and attached programs. Context: task */
	uint32_t tracefs_users; /* of them: instances of tracefs */
	struct list *lists; /* while there are users: the active perf events of each processor, by
			       hw.software_link */
	struct trace_program *programs; /* BPF programs, NULL: none. Atomic */
	struct buffered *buffered;      /* of tracefs's instances: buffer.c. Context: task */
};

extern struct trace_event trace_points[NR_POINTS];

/* Returns the event with that id, NULL: there is none. Context: task. */
struct trace_event *trace_find(uint64_t id);
/* Adds a user, removes one: 0, -ENOMEM, -EINTR (TRACE_ONE_KIND: it has users of the other kind), or
 * an error of the event's own trace point. Context: task. */
int trace_event_get(struct trace_event *event, enum trace_user user);
void trace_event_put(struct trace_event *event, enum trace_user user);
/* Adds or removes a reason for the trace point to be enabled. Context: task. */
void place_use(enum trace_place place, bool on);

/* Returns this processor's list of events that are open on the trace event; NULL: none. Context:
 * any. */
static inline const struct list *trace_listeners(const struct trace_event *event)
{
	const struct list *lists = __atomic_load_n(&event->lists, __ATOMIC_ACQUIRE);
	const struct list *here;

	if (!lists)
		return NULL;
	here = lists + this_cpu_read(id);
	return !list_empty(here) || event->programs ? here : NULL;
}

static inline bool trace_wanted(const struct trace_event *event)
{
	return trace_listeners(event);
}

/* A trace point was hit: counts it for all listeners, if all of them only count. False, with
 * nothing done: one of them wants a record. Context: any but NMI. */
bool trace_count(struct trace_event *event);
/* A trace point was hit: fills in the record's header and passes `bytes` of it to all listeners.
 * `frame`: for samples. `arguments`: NULL: not a raw tracepoint. Context: any but NMI. */
void trace_hit(struct trace_event *event, struct trace_header *record, uint32_t bytes,
	       struct frame *frame, const struct trace_arguments *arguments);
/* Fills in the header of a record by the current task; `flags`: RFLAGS before masking. Context:
 * interrupts masked. */
static inline void trace_header_fill(const struct trace_event *event, struct trace_header *header,
				     unsigned flags)
{
	*(uint32_t *)header = event->id | flags << 16; /* type, flags, preempt_count */
	header->pid = current_task()->pid;
}

/* Arguments for programs on raw tracepoints: Linux's arguments, in its order. */
struct trace_arguments {
	const uint64_t *values;
	uint32_t nr;
};

#define TRACE_ARGUMENTS(...)                                                   \
	{                                                                      \
		(const uint64_t[]){__VA_ARGS__},                               \
		    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t) \
	}

/* The registers of the place in the kernel that made a record; the others are unknown. */
struct trace_here {
	uint64_t rip, rbp, rsp;
};

/* The caller of the current function. */
#define TRACE_CALLER()                                                   \
	{                                                                \
		.rip = (uint64_t)(uintptr_t)__builtin_return_address(0), \
		.rbp = *(uint64_t *)__builtin_frame_address(0),          \
		.rsp = (uint64_t)(uintptr_t)__builtin_frame_address(0)   \
	}
/* As trace_hit(), with a sample of that place. `about`: another task that the record concerns,
 * whose own events also get it; NULL: none. */
void trace_hit_here(struct trace_event *event, struct trace_header *record, uint32_t bytes,
		    const struct trace_here *here, const struct trace_arguments *arguments,
		    const struct task *about);

/* Functions of the directories above that events need; trace_init() sets them. */
struct trace_above {
	/* Enables or disables a trace point of the kernel. Context: task. */
	void (*set_place)(enum trace_place place, bool on);
	/* Enables or disables an event of PLACE_FUNCTION: 0 or a negative errno. Context: task. */
	int (*set_function)(const struct trace_event *event, bool on);
	/* Returns the probe's event of that id, NULL: there is none. Context: task. */
	struct trace_event *(*probe_by_id)(uint64_t id);
};
extern struct trace_above trace_above;

/* Further work at the end of a task, while PLACE_EXIT is on; NULL: none. */
extern void (*trace_at_exit)(struct task *task);
/* Further work when the current task has forked (PLACE_FORK) and when a task ends (PLACE_EXIT):
 * tracefs's lists of tasks; NULL: none. */
extern void (*trace_task_made)(const struct task *child);
extern void (*trace_task_ends)(const struct task *task);

/* Returns Linux's number of the task's priority. Context: any. */
int trace_priority(const struct task *task);

/* Writes tracefs's file `format`. Context: task. */
void trace_format(const struct trace_event *event, struct text *out);

/* Returns the field `index`: the header's fields first, then the event's own; false at the end. */
bool trace_field(const struct trace_event *event, unsigned index, struct trace_field *field);

/* ---- syscalls.c ---- */

/* The events of system calls, numbered after the points: enter and exit of each. */
struct trace_event *syscalls_find(uint64_t id);
/* Returns event number `index` of syscalls_count(), NULL: there is none. */
struct trace_event *syscalls_event(uint64_t index);
uint64_t syscalls_count(void);
void syscalls_set(bool on);
/* The system call event gets its first user, or loses its last. Context: task. */
void syscalls_want(const struct trace_event *event, bool on);

/* ---- perf.c: PERF_TYPE_TRACEPOINT ---- */

void tracepoint_init(void);

/* ---- filter.c ---- */

/* The error in a filter; NULL: the errno says it all. */
struct trace_filter_fault {
	const char *what;
	uint32_t at; /* where in the text, as Linux reckons it */
};

/* Compiles the text to a filter for records of the event: 0, or -EINVAL or another errno with
 * *fault (initially empty), -ENOMEM. Context: task. */
int trace_filter_new(const struct trace_event *event, const char *text,
		     struct trace_filter **filter, struct trace_filter_fault *fault);
void trace_filter_free(struct trace_filter *filter);
/* Returns the filter's source text. Context: task. */
const char *trace_filter_text(const struct trace_filter *filter);
/* True if the record passes. Context: any. */
bool trace_filter_match(const struct trace_filter *filter, const void *record);

#endif
