/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads perf.data files: checks their format, and sorts their records by time. */
#include "apps/lib/perfdata/perfdata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/perfdata/perfdata_aux.h"
#include "apps/lib/perfdata/perfdata_fields.h"
#include "apps/lib/slurp.h"

const void *perfdata_inside(const struct perfdata_reader *reader, struct perfdata_section section)
{
	if (section.offset > reader->size || section.size > reader->size - section.offset ||
	    section.offset % 8)
		return NULL;
	return reader->bytes + section.offset;
}

/* The fields of the trailer, in their order. */
static const uint64_t trailer[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
				   PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};

bool perfdata_trailer(const struct perfdata_reader *reader, const struct perf_event_header *record,
		      uint64_t field, uint64_t *value)
{
	uint64_t type = perfdata_sample_type(reader);
	size_t words = record->size / sizeof(uint64_t), fields = 0, before = 0;

	for (unsigned i = 0; i < sizeof(trailer) / sizeof(trailer[0]); i++) {
		if (trailer[i] == field)
			before = fields;
		fields += (type & trailer[i]) != 0;
	}
	if (!(type & field) || words <= fields)
		return false;
	*value = ((const uint64_t *)record)[words - fields + before];
	return true;
}

static uint64_t record_time(const struct perfdata_reader *reader,
			    const struct perf_event_header *record)
{
	size_t at = 1 + perfdata_fields_before(perfdata_sample_type(reader), PERF_SAMPLE_TIME);
	uint64_t time = 0;

	if (record->type == PERF_RECORD_SAMPLE)
		return at < record->size / sizeof(uint64_t) ? ((const uint64_t *)record)[at] : 0;
	if (record->type < PERF_RECORD_MAX) /* perf's own records have no time */
		perfdata_trailer(reader, record, PERF_SAMPLE_TIME, &time);
	return time;
}

static int by_time(const void *left, const void *right)
{
	const struct perfdata_record *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* Walks the data once; with `records` NULL only counts. Returns the number of records, or -1:
 * damaged. */
static long walk(const struct perfdata_reader *reader, const unsigned char *data,
		 struct perfdata_record *records)
{
	uint64_t left = reader->header->data.size, aux;
	long n = 0;

	while (left >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *record = (const struct perf_event_header *)data;

		if (record->size < sizeof(*record) || record->size > left || record->size % 8)
			return -1;
		aux = perfdata_aux_bytes(record);
		if (aux % PERFDATA_AUX_ALIGN || aux > left - record->size)
			return -1;
		if (records)
			records[n] = (struct perfdata_record){record, record_time(reader, record),
							      (uint64_t)n};
		n++;
		data += record->size + aux;
		left -= record->size + aux;
	}
	return n;
}

static int fail(char *error, const char *path, const char *why)
{
	snprintf(error, EVENT_ERROR_SIZE, "'%.100s': %s", path, why);
	return -1;
}

/* The events' attributes, which another perf's header may have made shorter or longer; the section
 * of their ids is behind. Returns false if there are none. */
static bool read_attrs(struct perfdata_reader *reader)
{
	const unsigned char *from = perfdata_inside(reader, reader->header->attrs);
	uint64_t each = reader->header->attr_size,
		 count = each ? reader->header->attrs.size / each : 0,
		 size = each - sizeof(reader->attrs->ids);
	struct perfdata_attr *attrs;

	if (!from || each < PERF_ATTR_SIZE_VER0 + sizeof(attrs->ids) || !count || count > INT32_MAX)
		return false;
	attrs = calloc(count, sizeof(*attrs));
	for (uint64_t i = 0; attrs && i < count; i++, from += each) {
		memcpy(&attrs[i].attr, from,
		       size < sizeof(attrs->attr) ? size : sizeof(attrs->attr));
		memcpy(&attrs[i].ids, from + size, sizeof(attrs[i].ids));
	}
	reader->attrs = attrs;
	reader->nr_attrs = (int)count;
	return attrs;
}

int perfdata_read(struct perfdata_reader *reader, const char *path, char error[EVENT_ERROR_SIZE])
{
	const unsigned char *data;
	long n;

	memset(reader, 0, sizeof(*reader));
	reader->path = path;
	reader->bytes = slurp(path, &reader->size);
	if (!reader->bytes)
		return fail(error, path, strerror(errno));
	reader->header = (const struct perfdata_header *)reader->bytes;
	if (reader->size < sizeof(*reader->header) ||
	    memcmp(reader->header->magic, PERFDATA_MAGIC, 8))
		return fail(error, path, "not a perf.data file");
	data = perfdata_inside(reader, reader->header->data);
	if (!read_attrs(reader))
		return fail(error, path, "truncated or damaged");
	n = data ? walk(reader, data, NULL) : -1;
	if (n < 0)
		return fail(error, path, "truncated or damaged");
	reader->records = calloc((size_t)n + 1, sizeof(*reader->records));
	if (!reader->records)
		return fail(error, path, "out of memory");
	walk(reader, data, reader->records);
	reader->nr_records = (size_t)n;
	qsort(reader->records, reader->nr_records, sizeof(*reader->records), by_time);
	return 0;
}

/* The event's id in a sample, as the first word or behind others; NULL: it has none. */
static const uint64_t *id_of(const struct perfdata_reader *reader,
			     const struct perf_event_header *record)
{
	static const uint64_t before[] = {PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					  PERF_SAMPLE_ADDR};
	const uint64_t *word = (const uint64_t *)(record + 1);
	uint64_t type = perfdata_sample_type(reader);

	if (type & PERF_SAMPLE_IDENTIFIER)
		return word;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		word += !!(type & before[i]);
	return type & PERF_SAMPLE_ID &&
		       (const char *)(word + 1) <= (const char *)record + record->size
		   ? word
		   : NULL;
}

int perfdata_event_of(const struct perfdata_reader *reader, const struct perf_event_header *record)
{
	const uint64_t *id = id_of(reader, record);

	for (int i = 0; id && i < reader->nr_attrs; i++) {
		const uint64_t *ids = perfdata_inside(reader, reader->attrs[i].ids);

		for (uint64_t j = 0; ids && j < reader->attrs[i].ids.size / sizeof(*ids); j++) {
			if (ids[j] == *id)
				return i;
		}
	}
	return 0;
}

const void *perfdata_feature(const struct perfdata_reader *reader, enum perfdata_feature feature,
			     size_t *size)
{
	struct perfdata_section table = {reader->header->data.offset + reader->header->data.size,
					 0};
	uint64_t below = reader->header->features[0] & ((UINT64_C(1) << feature) - 1);
	const struct perfdata_section *sections;
	unsigned index = (unsigned)__builtin_popcountll(below);

	table.size = (index + 1) * sizeof(*sections);
	sections = perfdata_inside(reader, table);
	if (!(reader->header->features[0] >> feature & 1) || !sections)
		return NULL;
	*size = sections[index].size;
	if (sections[index].offset > reader->size || *size > reader->size - sections[index].offset)
		return NULL;
	return reader->bytes + sections[index].offset;
}

/* Returns the text after a 32-bit length, if it ends inside `size` bytes. */
static const char *string_at(const unsigned char *bytes, size_t size)
{
	uint32_t length;

	if (!bytes || size < sizeof(length))
		return "";
	memcpy(&length, bytes, sizeof(length));
	if (!length || length > size - sizeof(length) || !memchr(bytes + sizeof(length), 0, length))
		return "";
	return (const char *)bytes + sizeof(length);
}

const char *perfdata_string(const struct perfdata_reader *reader, enum perfdata_feature feature)
{
	size_t size = 0;
	const void *section = perfdata_feature(reader, feature, &size);

	return string_at(section, size);
}

const char *perfdata_event_name(const struct perfdata_reader *reader, int index)
{
	size_t size = 0, at = 2 * sizeof(uint32_t);
	const unsigned char *section = perfdata_feature(reader, PERFDATA_EVENT_DESC, &size);
	uint32_t words[2], nr_ids, length;

	if (!section || size < at)
		return "";
	memcpy(words, section, sizeof(words));
	for (;; index--) {
		at += words[1];
		if (at > size || size - at < 2 * sizeof(uint32_t))
			return "";
		memcpy(&nr_ids, section + at, sizeof(nr_ids));
		at += sizeof(nr_ids);
		if (!index)
			return string_at(section + at, size - at);
		memcpy(&length, section + at, sizeof(length));
		at += sizeof(length) + length + (size_t)nr_ids * sizeof(uint64_t);
	}
}
