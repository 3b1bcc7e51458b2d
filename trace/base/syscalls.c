/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of system calls: processors use a separate kernel entry while such an event has a
 * user. */
#include <stddef.h>
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/syscall.h"
#include "kernel/task/task.h"
#include "trace/base/event.h"
#include "trace/base/hit.h"
#include "trace/base/syscalls.h"

#define ARGUMENTS 6
#define FIRST_ID  (NR_POINTS + 1)

/* A record of either kind; an enter record has as many arguments as the call. */
struct call_record {
	struct trace_header header;
	uint64_t number; /* Linux's is an int, and nothing after it */
	uint64_t values[ARGUMENTS];
};

_Static_assert(offsetof(struct call_record, values) == 16, "Linux's layout");

static const struct trace_field exit_fields[] = {
    {.type = "int", .name = "__syscall_nr", .offset = 8, .size = 4, .is_signed = true},
    {.type = "long", .name = "ret", .offset = 16, .size = 8, .is_signed = true},
};

/* The two events of one call. */
struct call_events {
	struct trace_event enter, exit;
	struct trace_field fields[1 + ARGUMENTS];
	char names[]; /* "sys_enter_NAME", "sys_exit_NAME", and the arguments in pieces */
};

/* By number; made on first use, and kept. Atomic pointers. */
static struct call_events *events[NR_TRACED_CALLS];

/* The events in use for each call, on some processor; the last entry is for unnamed calls. Task
 * writes, with the kernel lock. */
enum { WANT_ENTER = 1, WANT_EXIT = 2, WANT_ALL_ENTER = 4, WANT_ALL_EXIT = 8 };
static uint8_t wanted[NR_TRACED_CALLS + 1];

static void make_text(const struct trace_event *event, struct text *out)
{
	const struct trace_field *arguments = event->fields + 1;

	text_char(out, '"');
	for (unsigned i = 0; i + 1u < event->nr_fields; i++)
		text_print(out, "%s%s: 0x%%08lx", i ? ", " : "", arguments[i].name);
	text_char(out, '"');
	for (unsigned i = 0; i + 1u < event->nr_fields; i++)
		text_print(out, ", ((unsigned long)(REC->%s))", arguments[i].name);
}

/* Splits "type name, type name" into fields; modifies the string. Returns how many. */
static uint16_t cut_arguments(char *text, struct trace_field *field)
{
	uint16_t nr = 0;

	while (*text) {
		char *end = text, *blank = text;

		for (; *end && *end != ','; end++)
			if (*end == ' ')
				blank = end;
		*blank = 0;
		field[nr] = (struct trace_field){
		    .type = text, .name = blank + 1, .offset = (uint16_t)(16 + 8 * nr), .size = 8};
		nr++;
		text = *end ? end + 2 : end;
		*end = 0;
	}
	return nr;
}

static struct trace_event new_event(uint32_t id, const char *name)
{
	return (struct trace_event){.system = "syscalls",
				    .name = name,
				    .id = (uint16_t)id,
				    .place = PLACE_SYSCALLS,
				    .flags = TRACE_CAP_ANY};
}

/* Returns the events of a call, NULL: no such call, or no memory. Context: task. */
static struct call_events *make_events(uint32_t number)
{
	const struct traced_call *call = &traced_calls[number];
	size_t name_bytes = call->name ? strlen(call->name) + sizeof("sys_enter_") : 0;
	struct call_events *made;
	struct text text;

	if (!call->name || events[number])
		return events[number];
	made = kalloc(sizeof(*made) + 2 * name_bytes + strlen(call->arguments) + 1);
	if (!made)
		return NULL;
	text_init(&text, made->names, name_bytes);
	text_print(&text, "sys_enter_%s", call->name);
	text_init(&text, made->names + name_bytes, name_bytes);
	text_print(&text, "sys_exit_%s", call->name);
	memcpy(made->names + 2 * name_bytes, call->arguments, strlen(call->arguments) + 1);
	made->fields[0] = exit_fields[0];
	made->enter = new_event(FIRST_ID + 2 * number, made->names);
	made->enter.nr_fields = 1 + cut_arguments(made->names + 2 * name_bytes, made->fields + 1);
	made->enter.fields = made->fields;
	made->enter.make_text = make_text;
	made->exit = new_event(FIRST_ID + 2 * number + 1, made->names + name_bytes);
	made->exit.nr_fields = 2;
	made->exit.fields = exit_fields;
	made->exit.text = "\"0x%lx\", REC->ret";
	__atomic_store_n(&events[number], made, __ATOMIC_RELEASE);
	return made;
}

struct trace_event *syscalls_event(uint64_t index)
{
	struct call_events *found;

	if (index >= 2 * NR_TRACED_CALLS)
		return NULL;
	found = make_events((uint32_t)index / 2);
	if (!found)
		return NULL;
	return index % 2 ? &found->exit : &found->enter;
}

struct trace_event *syscalls_find(uint64_t id)
{
	return syscalls_event(id - FIRST_ID);
}

uint64_t syscalls_count(void)
{
	return 2 * NR_TRACED_CALLS;
}

/* Emits the records. As on Linux, a sample has the kernel's registers if all calls are traced, and
 * the program's if one call is. Out of line: most calls have no record. */

#define HIT_ALL(point, record, ...)                                                                \
	do {                                                                                       \
		struct trace_here here = TRACE_CALLER();                                           \
		struct trace_arguments arguments = TRACE_ARGUMENTS(__VA_ARGS__);                   \
                                                                                                   \
		if (trace_wanted(&trace_points[point]))                                            \
			trace_hit_here(&trace_points[point], &(record)->header, sizeof(*(record)), \
				       &here, &arguments, NULL);                                   \
	} while (0)

__attribute__((noinline)) static void hit_all_enter(const struct frame *frame)
{
	struct record_sys_enter record = {
	    .id = (long)frame->error,
	    .args = {frame->rdi, frame->rsi, frame->rdx, frame->r10, frame->r8, frame->r9}};

	HIT_ALL(POINT_sys_enter, &record, (uint64_t)frame, frame->error);
}

__attribute__((noinline)) static void hit_all_exit(uint64_t number, long result)
{
	struct record_sys_exit record = {.id = (long)number, .ret = result};

	HIT_ALL(POINT_sys_exit, &record, (uint64_t)task_user_frame(current_task()),
		(uint64_t)result);
}

/* Calls run with interrupts enabled; the lists stay valid until the call ends. */
static inline void hit_one(struct trace_event *event, const struct list *here,
			   struct call_record *call, uint32_t bytes, struct frame *frame)
{
	struct trace_record record = {event, &call->header, bytes, frame, NULL};

	irq_disable();
	trace_header_fill(event, &call->header, 0);
	hit_emit(&record, here, 1, true);
	irq_enable();
}

/* Copies the call's arguments. */
static inline void put_arguments(uint64_t *to, const struct frame *frame, unsigned nr)
{
	switch (nr) {
	case 6:
		to[5] = frame->r9;
		__attribute__((fallthrough));
	case 5:
		to[4] = frame->r8;
		__attribute__((fallthrough));
	case 4:
		to[3] = frame->r10;
		__attribute__((fallthrough));
	case 3:
		to[2] = frame->rdx;
		__attribute__((fallthrough));
	case 2:
		to[1] = frame->rsi;
		__attribute__((fallthrough));
	case 1:
		to[0] = frame->rdi;
		__attribute__((fallthrough));
	case 0:
		return;
	default:
		__builtin_unreachable();
	}
}

__attribute__((noinline)) static void hit_enter(struct trace_event *event, struct frame *frame)
{
	const struct list *here = trace_listeners(event);
	struct call_record record;

	if (!here)
		return;
	record.number = (uint32_t)frame->error;
	put_arguments(record.values, frame, event->nr_fields - 1u);
	hit_one(event, here, &record, 16 + 8 * (event->nr_fields - 1u), frame);
}

__attribute__((noinline)) static void hit_exit(struct trace_event *event, struct frame *frame,
					       uint64_t number, long result)
{
	const struct list *here = trace_listeners(event);
	struct call_record record;

	if (!here)
		return;
	record.number = (uint32_t)number;
	record.values[0] = (uint64_t)result;
	hit_one(event, here, &record, 24, frame);
}

static __attribute__((noinline)) void emit_enter(unsigned which, struct frame *frame,
						 uint64_t number)
{
	if (which & WANT_ALL_ENTER)
		hit_all_enter(frame);
	if (which & WANT_ENTER)
		hit_enter(&events[number]->enter, frame);
}

/* The frame may have changed: execve(2) and rt_sigreturn(2) rewrite it. */
static __attribute__((noinline)) long emit_exit(unsigned which, struct frame *frame,
						uint64_t number, long result)
{
	if (which & WANT_ALL_EXIT)
		hit_all_exit(number, result);
	if (which & WANT_EXIT)
		hit_exit(&events[number]->exit, frame, number, result);
	return result;
}

/* A call without a name has no separate events. */
static __attribute__((noinline)) long emit_unnamed(struct frame *frame)
{
	const uint8_t *which = &wanted[NR_TRACED_CALLS];
	uint64_t number = frame->error;

	emit_enter(*which, frame, number);
	return emit_exit(*which, frame, number, syscall_dispatch(frame));
}

/* Replaces the dispatch through the table: syscall_make. Events may be enabled during the call. */
static long reported_call(struct frame *frame)
{
	uint64_t number = frame->error;
	unsigned which;
	long result;

	if (number >= NR_TRACED_CALLS)
		return emit_unnamed(frame);
	which = wanted[number];
	if (which & WANT_ALL_ENTER)
		emit_enter(which, frame, number);
	else if (which & WANT_ENTER)
		hit_enter(&events[number]->enter, frame);
	result = syscall_dispatch(frame);
	which = wanted[number];
	return which & (WANT_EXIT | WANT_ALL_EXIT) ? emit_exit(which, frame, number, result)
						   : result;
}

/* An event for all calls enables every call. */
void syscalls_want(const struct trace_event *event, bool on)
{
	uint32_t first = 0, last = NR_TRACED_CALLS;
	uint8_t which;

	if (event == &trace_points[POINT_sys_enter]) {
		which = WANT_ALL_ENTER;
	} else if (event == &trace_points[POINT_sys_exit]) {
		which = WANT_ALL_EXIT;
	} else {
		first = last = (event->id - FIRST_ID) / 2u;
		which = (event->id - FIRST_ID) % 2u ? WANT_EXIT : WANT_ENTER;
	}
	for (uint32_t i = first; i <= last; i++)
		wanted[i] = (uint8_t)(on ? wanted[i] | which : wanted[i] & ~which);
}

static void take_the_way(void *on)
{
	traps_trace_syscalls(on != NULL);
}

void syscalls_set(bool on)
{
	syscall_make = on ? reported_call : syscall_dispatch;
	remote_call_all(take_the_way, on ? &events : NULL);
}
