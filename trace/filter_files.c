/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's files `filter`: of an event, and of a system, which sets the filters of all its
 * events. */
#include <linux/errno.h>
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/synthetic.h"
#include "trace/base/event.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/instance.h"
#include "trace/tracefs.h"

#define FILTER_BYTES 1024

static void make_filter(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);
	const struct trace_event *event = trace_find(instance_of(id));

	text_print(out, "%s\n", event && instance ? buffer_filter_text(instance, event) : "none");
}

/* Copies the written text without its end. */
static int copy_text(char copy[FILTER_BYTES], const char *text)
{
	size_t length = strlen(text);

	if (length >= FILTER_BYTES)
		return -EINVAL;
	strlcpy(copy, text, FILTER_BYTES);
	while (length && (copy[length - 1] == '\n' || copy[length - 1] == ' '))
		copy[--length] = 0;
	return 0;
}

static int store_filter(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	struct trace_event *event = trace_find(instance_of(id));
	char copy[FILTER_BYTES];
	int err = event && instance ? copy_text(copy, text) : -ENODEV;

	return err ? err : buffer_filter(instance, event, copy, false);
}

static void make_system_filter(struct text *out, uint64_t system)
{
	(void)system;
	text_print(out, "### global filter ###\n"
			"# Use this to set filters for multiple events.\n"
			"# Only events with the given fields will be affected.\n"
			"# If no events are modified, an error message will be displayed here\n");
}

/* Events that lack one of the fields get no filter, which is no error. */
static int store_system_filter(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	uint64_t system = instance_of(id);
	char copy[FILTER_BYTES];
	struct trace_event *event;
	int err = instance && system_name(system) ? copy_text(copy, text) : -ENODEV;

	for (uint64_t at = 0; !err && (event = next_event(system, &at));)
		if (buffer_filter(instance, event, copy, true) == -ENOMEM)
			err = -ENOMEM;
	return err;
}

const struct synthetic event_filter_file = {.path = "filter",
					    .make = make_filter,
					    .store = store_filter,
					    .mode = 0640,
					    .takes_nothing = true};
const struct synthetic system_filter_file = {.path = "filter",
					     .make = make_system_filter,
					     .store = store_system_filter,
					     .mode = 0640,
					     .end = END_START};
