/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads perf.data files with Processor Trace, of `record` and of perf. */
#include "host/trace/source.h"

#include <stdlib.h>
#include <string.h>

#include "host/lib/array.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

static const struct perf_event_header *record_at(const struct trace_source *source, size_t i)
{
	return source->reader.records[i].header;
}

/* Copies the description of the traces. False: the file has none. */
static bool find_info(struct trace_source *source)
{
	for (size_t i = 0; i < source->reader.nr_records; i++) {
		const struct perf_event_header *record = record_at(source, i);
		size_t size = record->size;

		if (record->type != PERFDATA_RECORD_AUXTRACE_INFO)
			continue;
		memcpy(&source->info, record,
		       size < sizeof(source->info) ? size : sizeof(source->info));
		return source->info.kind == PERFDATA_AUX_INTEL_PT;
	}
	return false;
}

static void find_config(struct trace_source *source)
{
	for (int i = 0; i < source->reader.nr_attrs; i++)
		if (source->reader.attrs[i].attr.type == source->info.words[AUX_PMU_TYPE])
			source->config = source->reader.attrs[i].attr.config;
}

/* Returns the part that the piece continues, or NULL. The piece before may have been padded. */
static struct trace_part *part_before(struct trace_source *source,
				      const struct perfdata_aux_piece *piece)
{
	for (size_t i = source->nr_parts; i-- > 0;)
		if (source->parts[i].index == piece->index)
			return source->parts[i].end - piece->offset < PERFDATA_AUX_ALIGN
				   ? &source->parts[i]
				   : NULL;
	return NULL;
}

static struct trace_part *new_part(struct trace_source *source,
				   const struct perfdata_aux_piece *piece)
{
	struct trace_part *part;

	source->parts = array_grow(source->parts, source->nr_parts, sizeof(*source->parts));
	part = &source->parts[source->nr_parts++];
	*part = (struct trace_part){.cpu = piece->cpu, .index = piece->index};
	return part;
}

/* Padding is packets of one byte. */
static void add_piece(struct trace_source *source, const struct perfdata_aux_piece *piece)
{
	struct trace_part *part = part_before(source, piece);

	if (!part)
		part = new_part(source, piece);
	part->bytes = realloc(part->bytes, part->size + piece->size);
	if (!part->bytes)
		die(STATUS_OURS, "out of memory");
	memcpy(part->bytes + part->size, piece + 1, piece->size);
	part->size += piece->size;
	part->end = piece->offset + piece->size;
}

void trace_open(struct trace_source *source, const char *path)
{
	char error[EVENT_ERROR_SIZE];

	memset(source, 0, sizeof(*source));
	if (perfdata_read(&source->reader, path, error))
		die(STATUS_OURS, "%s", error);
	if (!find_info(source))
		die(STATUS_OURS,
		    "'%s' has no Processor Trace: `barepmu record -e intel_pt//u -- PROGRAM`",
		    path);
	find_config(source);
	for (size_t i = 0; i < source->reader.nr_records; i++)
		if (perfdata_aux_bytes(record_at(source, i)))
			add_piece(source, (const struct perfdata_aux_piece *)record_at(source, i));
	source->places = places_new(&source->reader);
}

/* Linux's include/uapi/linux/perf_event.h, "cap_user_time_zero". */
uint64_t trace_time(const struct trace_source *source, uint64_t tsc)
{
	uint64_t shift = source->info.words[AUX_TIME_SHIFT] & 63,
		 mult = source->info.words[AUX_TIME_MULT], whole = tsc >> shift,
		 rest = tsc & ((UINT64_C(1) << shift) - 1);

	if (!source->info.words[AUX_HAS_TIME_ZERO])
		return tsc;
	return source->info.words[AUX_TIME_ZERO] + whole * mult + (rest * mult >> shift);
}

/* ---- records ---- */

/* A task that is switched in, or whose trace begins, runs on the record's processor. */
static void learn_task(struct trace_source *source, const struct perf_event_header *record)
{
	const uint32_t *words = (const uint32_t *)(record + 1);
	uint64_t cpu, task;

	if (!perfdata_trailer(&source->reader, record, PERF_SAMPLE_CPU, &cpu) ||
	    !perfdata_trailer(&source->reader, record, PERF_SAMPLE_TID, &task))
		return;
	cpu = (uint32_t)cpu % TRACE_PROCESSORS;
	if (record->type == PERF_RECORD_ITRACE_START)
		task = words[0] | (uint64_t)words[1] << 32;
	else if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		return;
	source->running[cpu].pid = (uint32_t)task;
	source->running[cpu].tid = (uint32_t)(task >> 32);
}

static bool is_of_tasks(uint32_t type)
{
	return type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE ||
	       type == PERF_RECORD_ITRACE_START;
}

void trace_learn(struct trace_source *source, uint64_t time)
{
	const struct perfdata_reader *reader = &source->reader;

	for (; source->learned < reader->nr_records; source->learned++) {
		const struct perfdata_record *record = &reader->records[source->learned];

		if (record->time > time)
			break;
		if (is_of_tasks(record->header->type))
			learn_task(source, record->header);
		else
			places_learn(source->places, record->header);
		source->sequence++;
	}
}
