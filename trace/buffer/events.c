/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that write to an instance's buffer, and their filters. */
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/mem/memory.h"
#include "trace/base/event.h"
#include "trace/base/program.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/error_log.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/pids.h"

/* The error for any failure in a system's filter. */
#define NOT_ALL "Couldn't find or set field in one of a subsystem's events"

#define FAULT_ROOM 128 /* bytes for the error message, besides the text and its mark */

/* An event in an instance; kept once any of its files was written there. */
struct buffered {
	struct trace_program writer; /* while it is enabled */
	struct trace_instance *instance;
	struct trace_event *event;
	struct buffered *next; /* of the event */
	struct list link;      /* of the instance */
	bool enabled;
	struct trace_filter *filter; /* NULL: anything. Atomic */
	char *fault; /* contents of `filter` after an invalid text; NULL: the filter */
};

static struct buffered *find(const struct trace_instance *instance, const struct trace_event *event)
{
	struct buffered *at = event->buffered;

	while (at && at->instance != instance)
		at = at->next;
	return at;
}

/* Runs as a program of the event: accepts the record if it was written. */
static uint64_t write_record(struct trace_program *writer, const struct trace_record *record)
{
	const struct buffered *at = (const struct buffered *)writer;
	const struct trace_filter *filter = __atomic_load_n(&at->filter, __ATOMIC_ACQUIRE);

	if (buffer_is_on(at->instance) && (!filter || trace_filter_match(filter, record->header)) &&
	    pids_want(at->instance, record))
		buffer_add(at->instance, record->header, record->bytes);
	return 1;
}

static struct buffered *find_or_make(struct trace_instance *instance, struct trace_event *event)
{
	struct buffered *at = find(instance, event);

	if (at)
		return at;
	at = kalloc(sizeof(*at));
	if (!at)
		return NULL;
	*at = (struct buffered){.writer = {.run = write_record, .is_tracefs = true},
				.instance = instance,
				.event = event,
				.next = event->buffered};
	event->buffered = at;
	list_add_tail(&instance->events, &at->link);
	return at;
}

bool buffer_enabled(const struct trace_instance *instance, const struct trace_event *event)
{
	const struct buffered *at = find(instance, event);

	return at && at->enabled;
}

static void disable(struct buffered *at)
{
	programs_remove(at->event, &at->writer);
	at->enabled = false;
}

int buffer_enable(struct trace_instance *instance, struct trace_event *event, bool on)
{
	struct buffered *at;
	int err = 0;

	if (on == buffer_enabled(instance, event))
		return 0;
	if (!on) {
		disable(find(instance, event));
		return 0;
	}
	at = find_or_make(instance, event);
	err = at ? buffer_prepare(instance) : -ENOMEM;
	if (!err)
		err = programs_add(event, &at->writer);
	if (!err)
		at->enabled = true;
	return err;
}

/* ---- filters ---- */

/* Returns the text, a mark below the position, and the error message. NULL: no memory. */
static char *fault_text(const char *text, const struct trace_filter_fault *fault)
{
	size_t length = strlen(text), room = 2 * length + FAULT_ROOM;
	char *shown = kalloc(room);
	struct text out;

	if (!shown)
		return NULL;
	text_init(&out, shown, room);
	text_print(&out, "%s\n", text);
	for (uint32_t at = 0; fault->what && at < fault->at; at++)
		text_char(&out, ' ');
	if (fault->what)
		text_print(&out, "^\nparse_error: %s\n", fault->what);
	else
		text_print(&out, "Error: (0)\n");
	return shown;
}

/* Replaces the filter; after all processors have synchronised the old one is unused. */
static void replace(struct buffered *at, struct trace_filter *filter, char *fault)
{
	struct trace_filter *old = at->filter;

	kfree(at->fault);
	at->fault = fault;
	__atomic_store_n(&at->filter, filter, __ATOMIC_RELEASE);
	remote_synchronize();
	trace_filter_free(old);
}

int buffer_filter(struct trace_instance *instance, struct trace_event *event, const char *text,
		  bool of_system)
{
	struct buffered *at = find_or_make(instance, event);
	struct trace_filter_fault fault = {0};
	struct trace_filter *filter = NULL;
	int err;

	if (!at)
		return -ENOMEM;
	err = strcmp(text, "0") == 0 ? 0 : trace_filter_new(event, text, &filter, &fault);
	if (err == -ENOMEM)
		return err;
	if (err && of_system)
		fault = (struct trace_filter_fault){NOT_ALL, 0};
	if (err && fault.what)
		error_log_add("event filter parse error", fault.what, text, fault.at);
	replace(at, filter, err ? fault_text(text, &fault) : NULL);
	return err;
}

const char *buffer_filter_text(const struct trace_instance *instance,
			       const struct trace_event *event)
{
	const struct buffered *at = find(instance, event);

	if (at && at->fault)
		return at->fault;
	return at && at->filter ? trace_filter_text(at->filter) : "none";
}

/* ---- ends ---- */

static void drop(struct buffered *at)
{
	struct buffered **link = &at->event->buffered;

	if (at->enabled)
		disable(at);
	while (*link != at)
		link = &(*link)->next;
	*link = at->next;
	list_remove(&at->link);
	replace(at, NULL, NULL);
	kfree(at);
}

void buffer_forget(struct trace_event *event)
{
	while (event->buffered)
		drop(event->buffered);
}

void buffer_leave(struct trace_instance *instance)
{
	while (!list_empty(&instance->events))
		drop(container_of(instance->events.next, struct buffered, link));
}
