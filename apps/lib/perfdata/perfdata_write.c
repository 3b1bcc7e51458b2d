/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes perf.data files that perf-report(1) and the other perf tools read without options. */
#include "apps/lib/perfdata/perfdata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define STRING_ALIGN 64 /* perf pads header strings so */

void perfdata_put(struct perfdata_writer *writer, const void *bytes, size_t size)
{
	fwrite(bytes, size, 1, writer->file); /* errors are seen at the end, by ferror */
}

static void put32(struct perfdata_writer *writer, uint32_t value)
{
	perfdata_put(writer, &value, sizeof(value));
}

static void put64(struct perfdata_writer *writer, uint64_t value)
{
	perfdata_put(writer, &value, sizeof(value));
}

/* Writes a string: padded length, text, zeros. */
static void put_string(struct perfdata_writer *writer, const char *text)
{
	static const char zeros[STRING_ALIGN];
	size_t length = strlen(text) + 1,
	       padded = (length + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	put32(writer, (uint32_t)padded);
	perfdata_put(writer, text, length);
	perfdata_put(writer, zeros, padded - length);
}

/* Writes the ids of all events, then their attrs, which point at the ids. */
static void put_attrs(struct perfdata_writer *writer)
{
	struct perfdata_header *header = &writer->header;
	uint64_t ids_at = sizeof(*header);

	for (int i = 0; i < writer->nr_events; i++)
		perfdata_put(writer, writer->events[i].ids,
			     writer->events[i].nr_ids * sizeof(uint64_t));
	header->attrs.offset = (uint64_t)ftell(writer->file);
	for (int i = 0; i < writer->nr_events; i++) {
		const struct perfdata_event *event = &writer->events[i];
		struct perfdata_attr attr = {event->attr,
					     {ids_at, event->nr_ids * sizeof(uint64_t)}};

		perfdata_put(writer, &attr, sizeof(attr));
		ids_at += attr.ids.size;
	}
	header->attrs.size = (uint64_t)writer->nr_events * sizeof(struct perfdata_attr);
}

int perfdata_begin(struct perfdata_writer *writer, const char *path,
		   const struct perfdata_event *events, int nr_events)
{
	struct perfdata_header *header = &writer->header;

	memset(writer, 0, sizeof(*writer));
	writer->file = fopen(path, "wb");
	if (!writer->file)
		return -1;
	writer->events = events;
	writer->nr_events = nr_events;
	memcpy(header->magic, PERFDATA_MAGIC, sizeof(header->magic));
	header->size = sizeof(*header);
	header->attr_size = sizeof(struct perfdata_attr);
	perfdata_put(writer, header, sizeof(*header));
	put_attrs(writer);
	header->data.offset = (uint64_t)ftell(writer->file);
	return 0;
}

/* Returns the sample's TIME: after IDENTIFIER (if there is one), IP and TID. */
static uint64_t sample_time(const struct perfdata_writer *writer,
			    const struct perf_event_header *record)
{
	const uint64_t *fields = (const uint64_t *)(record + 1);

	return fields[writer->events[0].attr.sample_type & PERF_SAMPLE_IDENTIFIER ? 3 : 2];
}

static void keep_books(struct perfdata_writer *writer, const struct perf_event_header *record)
{
	const uint64_t *fields = (const uint64_t *)(record + 1);
	uint64_t time;

	if (record->type == PERF_RECORD_LOST)
		writer->lost += fields[1];
	if (record->type == PERF_RECORD_LOST_SAMPLES)
		writer->lost += fields[0];
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	time = sample_time(writer, record);
	if (!writer->samples++ || time < writer->first_time)
		writer->first_time = time;
	if (time > writer->last_time)
		writer->last_time = time;
}

void perfdata_append(struct perfdata_writer *writer, const struct perf_event_header *record)
{
	keep_books(writer, record);
	perfdata_put(writer, record, record->size);
}

static void put_command_line(struct perfdata_writer *writer, int argc, char **argv)
{
	put32(writer, (uint32_t)argc);
	for (int i = 0; i < argc; i++)
		put_string(writer, argv[i]);
}

static void put_event_descriptions(struct perfdata_writer *writer)
{
	put32(writer, (uint32_t)writer->nr_events);
	put32(writer, sizeof(struct perf_event_attr));
	for (int i = 0; i < writer->nr_events; i++) {
		const struct perfdata_event *event = &writer->events[i];

		perfdata_put(writer, &event->attr, sizeof(event->attr));
		put32(writer, event->nr_ids);
		put_string(writer, event->name);
		perfdata_put(writer, event->ids, event->nr_ids * sizeof(uint64_t));
	}
}

/* Writes the names of PMU types: only the two that are the same everywhere. */
static void put_pmu_mappings(struct perfdata_writer *writer)
{
	put32(writer, 2);
	put32(writer, PERF_TYPE_SOFTWARE);
	put_string(writer, "software");
	put32(writer, PERF_TYPE_RAW);
	put_string(writer, "cpu");
}

static uint64_t memory_kilobytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 1024 : 0;
}

static uint32_t processors(int name)
{
	long n = sysconf(name);

	return n > 0 ? (uint32_t)n : 1;
}

void perfdata_put_feature(struct perfdata_writer *writer, enum perfdata_feature feature,
			  const struct perfdata_origin *origin)
{
	char description[PMU_DESCRIPTION_SIZE];
	struct utsname system;

	uname(&system);
	switch (feature) {
	case PERFDATA_HOSTNAME:
		put_string(writer, system.nodename);
		break;
	case PERFDATA_OSRELEASE:
		put_string(writer, system.release);
		break;
	case PERFDATA_VERSION:
		put_string(writer, "barepmu");
		break;
	case PERFDATA_ARCH:
		put_string(writer, system.machine);
		break;
	case PERFDATA_NRCPUS:
		put32(writer, processors(_SC_NPROCESSORS_CONF));
		put32(writer, processors(_SC_NPROCESSORS_ONLN));
		break;
	case PERFDATA_CPUDESC:
		pmu_describe(origin->pmu, description);
		put_string(writer, description);
		break;
	case PERFDATA_CPUID:
		put_string(writer, origin->pmu->cpuid);
		break;
	case PERFDATA_TOTAL_MEM:
		put64(writer, memory_kilobytes());
		break;
	case PERFDATA_CMDLINE:
		put_command_line(writer, origin->argc, origin->argv);
		break;
	case PERFDATA_EVENT_DESC:
		put_event_descriptions(writer);
		break;
	case PERFDATA_BUILD_ID:     /* of files that perf writes */
	case PERFDATA_BRANCH_STACK: /* says only that samples have them */
		break;
	case PERFDATA_AUXTRACE:
		put64(writer, writer->nr_aux);
		perfdata_put(writer, writer->aux_index,
			     writer->nr_aux * sizeof(writer->aux_index[0]));
		break;
	case PERFDATA_PMU_MAPPINGS:
		put_pmu_mappings(writer);
		break;
	case PERFDATA_SAMPLE_TIME:
		put64(writer, writer->first_time);
		put64(writer, writer->last_time);
		break;
	}
}

static const enum perfdata_feature written[] = {
    PERFDATA_HOSTNAME, PERFDATA_OSRELEASE,   PERFDATA_VERSION,      PERFDATA_ARCH,
    PERFDATA_NRCPUS,   PERFDATA_CPUDESC,     PERFDATA_CPUID,        PERFDATA_TOTAL_MEM,
    PERFDATA_CMDLINE,  PERFDATA_EVENT_DESC,  PERFDATA_BRANCH_STACK, PERFDATA_PMU_MAPPINGS,
    PERFDATA_AUXTRACE, PERFDATA_SAMPLE_TIME,
};

#define NR_WRITTEN (sizeof(written) / sizeof(written[0]))

/* True if the file has something to say by this feature. */
static bool has_feature(const struct perfdata_writer *writer, enum perfdata_feature feature)
{
	if (feature == PERFDATA_BRANCH_STACK)
		return writer->events[0].attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
	return feature != PERFDATA_AUXTRACE || writer->nr_aux;
}

/* Writes a table of sections right after the data, then the sections. */
static void put_features(struct perfdata_writer *writer, const struct perfdata_origin *origin)
{
	struct perfdata_section sections[NR_WRITTEN] = {{0}};
	long table = ftell(writer->file);
	int n = 0;

	for (size_t i = 0; i < NR_WRITTEN; i++) {
		if (!has_feature(writer, written[i]))
			continue;
		writer->header.features[0] |= UINT64_C(1) << written[i];
		n++;
	}
	perfdata_put(writer, sections, (size_t)n * sizeof(sections[0]));
	n = 0;
	for (size_t i = 0; i < NR_WRITTEN; i++) {
		if (!has_feature(writer, written[i]))
			continue;
		sections[n].offset = (uint64_t)ftell(writer->file);
		perfdata_put_feature(writer, written[i], origin);
		sections[n].size = (uint64_t)ftell(writer->file) - sections[n].offset;
		n++;
	}
	fseek(writer->file, table, SEEK_SET);
	perfdata_put(writer, sections, (size_t)n * sizeof(sections[0]));
}

int perfdata_end(struct perfdata_writer *writer, const struct perfdata_origin *origin)
{
	int bad;

	if (writer->pipe)
		return perfdata_end_pipe(writer);
	writer->header.data.size = (uint64_t)ftell(writer->file) - writer->header.data.offset;
	put_features(writer, origin);
	fseek(writer->file, 0, SEEK_SET);
	perfdata_put(writer, &writer->header, sizeof(writer->header));
	bad = ferror(writer->file);
	free(writer->aux_index);
	writer->aux_index = NULL;
	return fclose(writer->file) || bad ? -1 : 0;
}
