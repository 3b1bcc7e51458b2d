/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's files that enable events: `enable` of an event, of a system, of all, and
 * `set_event`. */
#include <linux/errno.h>
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/synthetic.h"
#include "trace/base/event.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/instance.h"
#include "trace/tracefs.h"

/* Parses 0 or 1. */
static int read_switch(const char *text, bool *on)
{
	uint64_t number = 0;
	int err = number_read(text, 10, UINT64_MAX, &number);

	*on = number == 1;
	return !err && number > 1 ? -EINVAL : err;
}

static void make_enable(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);
	const struct trace_event *event = trace_find(instance_of(id));

	text_print(out, "%u\n", instance && event && buffer_enabled(instance, event));
}

static int store_enable(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	struct trace_event *event = trace_find(instance_of(id));
	bool on;
	int err = read_switch(text, &on);

	if (err)
		return err;
	return instance && event ? buffer_enable(instance, event, on) : -ENODEV;
}

/* The state of a system's events, or (ALL_SYSTEMS) of all: "0", "1" or, if they differ, "X". */
static void make_enables(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);
	uint64_t of = instance_of(id);
	bool some = false, others = false;
	struct trace_event *event;

	for (uint64_t system = of == ALL_SYSTEMS ? 0 : of;
	     instance && system_next(&system) && (of == ALL_SYSTEMS || system == of); system++)
		for (uint64_t at = 0; (event = next_event(system, &at));) {
			some |= buffer_enabled(instance, event);
			others |= !buffer_enabled(instance, event);
		}
	text_print(out, "%s\n", some && others ? "X" : some ? "1" : "0");
}

static bool is_part(const char *pattern, size_t length, const char *name)
{
	return !length || (length == 1 && *pattern == '*') || string_is(pattern, length, name);
}

/* Enables the events that match both patterns (a name, "*", or nothing). -EINVAL: no match. */
static int enable_matching(struct trace_instance *instance, const char *system, size_t system_bytes,
			   const char *name, size_t name_bytes, bool on)
{
	struct trace_event *event;
	const char *directory;
	int err = -EINVAL;

	for (uint64_t i = 0; (directory = system_next(&i)); i++) {
		if (!is_part(system, system_bytes, directory))
			continue;
		for (uint64_t at = 0; (event = next_event(i, &at));) {
			if (!is_part(name, name_bytes, event->name))
				continue;
			err = buffer_enable(instance, event, on);
			if (err)
				return err;
		}
	}
	return err;
}

static int store_enables(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	uint64_t of = instance_of(id);
	const char *name = of == ALL_SYSTEMS ? "" : system_name(of);
	bool on;
	int err = read_switch(text, &on);

	if (err)
		return err;
	return name && instance ? enable_matching(instance, name, strlen(name), "", 0, on)
				: -ENODEV;
}

#define BLANKS " \t\n"

/* Enables a name, SYSTEM:NAME, or a system. */
static int enable_named(struct trace_instance *instance, const char *name, size_t length, bool on)
{
	size_t at = 0;
	int err;

	while (at < length && name[at] != ':')
		at++;
	if (at < length)
		return enable_matching(instance, name, at, name + at + 1, length - at - 1, on);
	err = enable_matching(instance, name, length, "", 0, on);
	return err == -EINVAL ? enable_matching(instance, "", 0, name, length, on) : err;
}

static size_t span(const char *text, const char *of, bool among)
{
	size_t length = 0;

	while (text[length] && !strchr(of, text[length]) != among)
		length++;
	return length;
}

/* set_event: applies one word of the written text, as on Linux; a leading ! disables the events.
 * Returns the number of bytes consumed. */
static int store_events(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	const char *at = text + span(text, BLANKS, true);
	const char *end = at + span(at, BLANKS, false);
	bool on = *at != '!';
	int err = instance ? 0 : -ENODEV;

	at += !on;
	if (!err && at < end)
		err = enable_named(instance, at, (size_t)(end - at), on);
	return err ? err : (int)(end - text) + (*end != 0);
}

static void make_enabled(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);
	struct trace_event *event;

	for (uint64_t system = 0; instance && system_next(&system); system++)
		for (uint64_t at = 0; (event = next_event(system, &at));)
			if (buffer_enabled(instance, event))
				text_print(out, "%s:%s\n", event->system, event->name);
}

static int cut_events(uint64_t id)
{
	struct trace_instance *instance = instance_find(id);

	return instance ? enable_matching(instance, "", 0, "", 0, false) : -ENODEV;
}

const struct synthetic event_enable_file = {.path = "enable",
					    .make = make_enable,
					    .store = store_enable,
					    .mode = 0640,
					    .end = END_START,
					    .takes_nothing = true};
const struct synthetic system_enable_file = {.path = "enable",
					     .make = make_enables,
					     .store = store_enables,
					     .mode = 0640,
					     .end = END_START,
					     .takes_nothing = true};
const struct synthetic set_event_file = {.path = "set_event",
					 .make = make_enabled,
					 .store = store_events,
					 .cut = cut_events,
					 .mode = 0640};
