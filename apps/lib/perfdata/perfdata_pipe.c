/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data through a pipe, as `perf report -i -` reads it: records in place of a header's
 * tables. */
#include "apps/lib/perfdata/perfdata.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_ALIGN 8

static void put_record(struct perfdata_writer *writer, uint32_t type, size_t payload)
{
	struct perf_event_header header = {
	    .type = type, .misc = 0, .size = (uint16_t)(sizeof(header) + payload)};

	perfdata_put(writer, &header, sizeof(header));
}

static void put_padding(struct perfdata_writer *writer, size_t size)
{
	static const char zeros[RECORD_ALIGN];

	perfdata_put(writer, zeros, -size % RECORD_ALIGN);
}

static size_t padded(size_t size)
{
	return size + -size % RECORD_ALIGN;
}

/* Writes an event, its ids and its name. */
static void put_event(struct perfdata_writer *writer, const struct perfdata_event *event)
{
	size_t ids = event->nr_ids * sizeof(event->ids[0]), length = strlen(event->name) + 1;
	uint64_t update[2] = {PERFDATA_UPDATE_NAME, event->ids[0]};

	put_record(writer, PERFDATA_RECORD_ATTR, sizeof(event->attr) + ids);
	perfdata_put(writer, &event->attr, sizeof(event->attr));
	perfdata_put(writer, event->ids, ids);
	put_record(writer, PERFDATA_RECORD_EVENT_UPDATE, sizeof(update) + padded(length));
	perfdata_put(writer, update, sizeof(update));
	perfdata_put(writer, event->name, length);
	put_padding(writer, length);
}

/* Writes a section, whose size is known once it is complete. */
static void put_feature(struct perfdata_writer *writer, uint64_t feature,
			const struct perfdata_origin *origin)
{
	FILE *out = writer->file;
	char *bytes = NULL;
	size_t size = 0;

	writer->file = open_memstream(&bytes, &size);
	if (writer->file) {
		perfdata_put_feature(writer, (enum perfdata_feature)feature, origin);
		fclose(writer->file);
	}
	writer->file = out;
	if (size && size < UINT16_MAX - 64) {
		put_record(writer, PERFDATA_RECORD_FEATURE, sizeof(feature) + padded(size));
		perfdata_put(writer, &feature, sizeof(feature));
		perfdata_put(writer, bytes, size);
		put_padding(writer, size);
	}
	free(bytes);
}

int perfdata_begin_pipe(struct perfdata_writer *writer, int fd, const struct perfdata_event *events,
			int nr_events, const struct perfdata_origin *origin)
{
	static const enum perfdata_feature sent[] = {
	    PERFDATA_HOSTNAME, PERFDATA_OSRELEASE,  PERFDATA_VERSION,      PERFDATA_ARCH,
	    PERFDATA_NRCPUS,   PERFDATA_CPUDESC,    PERFDATA_CPUID,        PERFDATA_TOTAL_MEM,
	    PERFDATA_CMDLINE,  PERFDATA_EVENT_DESC, PERFDATA_PMU_MAPPINGS,
	};
	struct perfdata_pipe_header header = {PERFDATA_MAGIC, sizeof(header)};
	int copy = dup(fd);

	memset(writer, 0, sizeof(*writer));
	writer->pipe = true;
	writer->file = copy < 0 ? NULL : fdopen(copy, "wb");
	if (!writer->file)
		return -1;
	writer->events = events;
	writer->nr_events = nr_events;
	perfdata_put(writer, &header, sizeof(header));
	for (int i = 0; i < nr_events; i++)
		put_event(writer, &events[i]);
	for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++)
		put_feature(writer, sent[i], origin);
	return 0;
}

int perfdata_end_pipe(struct perfdata_writer *writer)
{
	int bad;

	put_feature(writer, PERFDATA_SAMPLE_TIME, NULL);
	bad = ferror(writer->file);
	return fclose(writer->file) || bad ? -1 : 0;
}
