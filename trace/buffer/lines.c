/* SPDX-License-Identifier: BSD-2-Clause */
/* All processors' records in order of time, as lines. */
#include <linux/errno.h>
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/text.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "trace/buffer/lines.h"

/* Returns the processor with the oldest record; nr_cpus: there is none. */
static uint32_t oldest(const struct trace_instance *instance, const struct buffer_place *places,
		       uint64_t *time)
{
	uint32_t found = nr_cpus;

	*time = UINT64_MAX;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t here = buffer_time(instance, cpu, places ? &places[cpu] : NULL);

		if (here < *time) {
			*time = here;
			found = cpu;
		}
	}
	return found;
}

bool lines_are_there(const struct trace_instance *instance)
{
	uint64_t time;

	return oldest(instance, NULL, &time) != nr_cpus;
}

/* Adds a line: false if there is no record. */
static bool add(const struct trace_instance *instance, struct lines *lines,
		struct buffer_place *places, uint8_t *record)
{
	struct text line;
	uint64_t time;
	uint32_t cpu = oldest(instance, places, &time), bytes;

	if (cpu == nr_cpus)
		return false;
	bytes = buffer_read(instance, cpu, places ? &places[cpu] : NULL, record);
	text_init(&line, lines->bytes + lines->end, LINE_BYTES_MAX);
	print_line(&line, instance, cpu, time, record, bytes);
	if (line.length >= LINE_BYTES_MAX) {
		line.length = LINE_BYTES_MAX - 1;
		line.buffer[line.length - 1] = '\n';
	}
	lines->end += (uint32_t)line.length;
	return true;
}

static int fill(const struct trace_instance *instance, struct lines *lines,
		struct buffer_place *places)
{
	uint8_t *record = page_alloc_dirty();

	if (!record)
		return -ENOMEM;
	lines->begin = lines->end = 0;
	while (sizeof(lines->bytes) - lines->end >= LINE_BYTES_MAX &&
	       add(instance, lines, places, record))
		;
	page_put(record);
	return 0;
}

long lines_read(const struct trace_instance *instance, struct lines *lines,
		struct buffer_place *places, uint64_t buffer, size_t bytes)
{
	int err = lines->begin == lines->end ? fill(instance, lines, places) : 0;
	size_t got = lines->end - lines->begin;

	if (err)
		return err;
	got = got < bytes ? got : bytes;
	if (copy_to_user(buffer, lines->bytes + lines->begin, got))
		return -EFAULT;
	lines->begin += (uint32_t)got;
	return (long)got;
}
