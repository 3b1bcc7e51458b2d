/* SPDX-License-Identifier: BSD-2-Clause */
/* The file `format` of a trace event: the layout of its records, in Linux's form. */
#include "kernel/base/text.h"
#include "trace/base/event.h"

static const struct trace_field common[] = {
    {.type = "unsigned short", .name = "common_type", .offset = 0, .size = 2},
    {.type = "unsigned char", .name = "common_flags", .offset = 2, .size = 1},
    {.type = "unsigned char", .name = "common_preempt_count", .offset = 3, .size = 1},
    {.type = "int", .name = "common_pid", .offset = 4, .size = 4, .is_signed = true},
};

#define NR_COMMON (sizeof(common) / sizeof(common[0]))

bool trace_field(const struct trace_event *event, unsigned index, struct trace_field *field)
{
	if (index >= NR_COMMON + event->nr_fields)
		return false;
	*field = index < NR_COMMON ? common[index] : event->fields[index - NR_COMMON];
	return true;
}

static void write_field(struct text *out, const struct trace_field *field)
{
	text_print(out, "\tfield:%s %s", field->type, field->name);
	if (field->elements)
		text_print(out, "[%u]", field->elements);
	text_print(out, ";\toffset:%u;\tsize:%u;\tsigned:%u;\n", field->offset, field->size,
		   field->is_signed);
}

void trace_format(const struct trace_event *event, struct text *out)
{
	struct trace_field field;

	text_print(out, "name: %s\nID: %u\nformat:\n", event->name, event->id);
	for (unsigned i = 0; trace_field(event, i, &field); i++) {
		if (i == NR_COMMON)
			text_char(out, '\n');
		write_field(out, &field);
	}
	text_print(out, "\nprint fmt: ");
	if (event->text)
		text_print(out, "%s", event->text);
	else
		event->make_text(event, out);
	text_char(out, '\n');
}
