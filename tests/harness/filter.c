/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of trace events with any text: what is let through looks at nothing but its record, and
 * nothing is left. */
#include <stdlib.h>
#include <string.h>
#include "kernel/mem/memory.h"
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"
#include "trace/base/event.h"

#define TEXT_MAX 4096
#define STRING   24 /* the offset of the string that the record names */

static const struct trace_field fields[] = {
    {.type = "u8", .name = "a", .offset = 8, .size = 1},
    {.type = "s16", .name = "b", .offset = 10, .size = 2, .is_signed = true},
    {.type = "int", .name = "c", .offset = 12, .size = 4, .is_signed = true},
    {.type = "u64", .name = "d", .offset = 16, .size = 8},
    {.type = "__data_loc char[]",
     .name = "s",
     .offset = 24,
     .size = 4,
     .is_string = true,
     .is_located = true},
    {.type = "char", .name = "t", .offset = 28, .size = 12, .elements = 12, .is_string = true},
    {.type = "int", .name = "v", .offset = 40, .size = 8, .elements = 2},
};

static struct trace_event event = {
    .name = "fuzzed", .nr_fields = sizeof(fields) / sizeof(fields[0]), .fields = fields};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	unsigned held;
	struct trace_filter_fault fault = {0};
	struct trace_filter *filter = NULL;
	char *text, *record;
	uint32_t length = take_one_of(&bytes, 32), place = length << 16 | 48;
	int err;

	if (size > TEXT_MAX)
		return 0;
	fake_boot("none"); /* there is a current task */
	held = fake_open_objects;
	/* Allocates exactly their sizes, so that ASan finds an overrun. */
	record = malloc(48 + length);
	for (uint32_t i = 0; i < 48 + length; i++)
		record[i] = (char)take(&bytes, i < 48 ? 1 : i & 1);
	memcpy(record + STRING, &place, sizeof(place));
	text = malloc(bytes.left + 1);
	memcpy(text, bytes.at, bytes.left);
	text[bytes.left] = 0;
	err = trace_filter_new(&event, text, &filter, &fault);
	if (!err != !!filter || fault.at > strlen(text))
		abort();
	if (filter) {
		trace_filter_match(filter, record);
		trace_filter_free(filter);
	}
	free(text);
	free(record);
	if (fake_open_objects != held)
		abort();
	fake_shutdown();
	return 0;
}
