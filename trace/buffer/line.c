/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of `trace` and `trace_pipe`: task, processor, time, and the record's text. */
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "trace/base/event.h"
#include "trace/base/print.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/clock.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/lines.h"
#include "trace/buffer/names.h"
#include "trace/buffer/options.h"

#define NS_PER_US 1000

/* "CALL(name: value, ...)" and "CALL -> result": calls have no print fmt on Linux. */
static void print_call(const struct trace_event *event, const uint8_t *record, uint32_t bytes,
		       struct text *out)
{
	bool enters = strcmp(event->name, "sys_exit") && event->name[5] == 'n';
	const char *name = event->name + (enters ? sizeof("sys_enter") : sizeof("sys_exit"));
	struct trace_field field;
	bool first = true;

	text_print(out, enters ? "sys_%s(" : "sys_%s -> ", name);
	for (unsigned i = 0; trace_field(event, i, &field); i++) {
		uint64_t value;

		if (field.size != sizeof(value) || field.offset + sizeof(value) > bytes)
			continue;
		memcpy(&value, record + field.offset, sizeof(value));
		if (enters)
			text_print(out, "%s%s: %lx", first ? "" : ", ", field.name, value);
		else
			text_print(out, "0x%lx", value);
		first = false;
	}
	if (enters)
		text_char(out, ')');
}

static void print_time(struct text *out, const struct trace_clock *clock, uint64_t time)
{
	uint64_t us = time / NS_PER_US;

	if (trace_clock_is_ns(clock))
		text_print(out, " %5lu.%06lu: ", us / 1000000, us % 1000000);
	else
		text_print(out, " %12lu: ", time);
}

/* Interrupts, need for rescheduling, interrupt, depth, migration: most never occur here. */
static void print_flags(struct text *out, const struct trace_header *header)
{
	text_char(out, header->flags & TRACE_FLAG_IRQS_OFF ? 'd' : '.');
	text_char(out, '.');
	text_char(out, header->flags & TRACE_FLAG_NMI       ? 'Z'
		       : header->flags & TRACE_FLAG_HARDIRQ ? 'h'
							    : '.');
	text_print(out, "..");
}

/* Text from programs may already end in a newline. */
static bool ends_line(const struct text *out)
{
	return out->length && out->length < out->size && out->buffer[out->length - 1] == '\n';
}

/* Prints task, processor, flags and time. */
static void print_context(struct text *out, const struct trace_instance *instance, uint32_t cpu,
			  uint64_t time, const struct trace_header *header)
{
	char comm[TRACE_COMM];

	names_find(cpu, header->pid, comm);
	for (size_t i = strlen(comm); i < 16; i++)
		text_char(out, ' ');
	text_print(out, "%s-%-7d [%03u] ", comm, header->pid, cpu);
	if (instance->options & OPTION_FLAGS)
		print_flags(out, header);
	print_time(out, instance->clock, time);
}

/* A record from trace_marker_raw: a number and bytes. */
static void print_raw(const struct record_raw_data *record, uint32_t bytes, struct text *out)
{
	text_print(out, "# %x buf:", record->id);
	for (uint32_t i = offsetof(struct record_raw_data, buf); i < bytes; i++)
		text_print(out, " %02x", ((const uint8_t *)record)[i]);
}

static void print_event(const struct trace_event *event, const void *record, uint32_t bytes,
			struct text *out)
{
	if (strcmp(event->system, "syscalls") == 0) {
		print_call(event, record, bytes, out);
		return;
	}
	if (event == &trace_points[POINT_raw_data]) {
		print_raw(record, bytes, out);
		return;
	}
	if (event != &trace_points[POINT_print])
		text_print(out, "%s: ", event->name);
	print_record(event, record, bytes, out);
}

void print_line(struct text *out, const struct trace_instance *instance, uint32_t cpu,
		uint64_t time, const void *record, uint32_t bytes)
{
	const struct trace_event *event;
	struct trace_header header;

	if (bytes < sizeof(header))
		return;
	memcpy(&header, record, sizeof(header));
	if (instance->options & OPTION_CONTEXT)
		print_context(out, instance, cpu, time, &header);
	event = trace_find(header.type);
	if (event)
		print_event(event, record, bytes, out);
	else
		text_print(out, "Unknown type %u", header.type);
	if (!ends_line(out))
		text_char(out, '\n');
}
