/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes perf.data: the machine is one process, with a thread for each phase of the boot. A unit is
 * mapped before its first sample, and again when another one was at its addresses in between.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/page.h"
#include "apps/lib/perfdata/perfdata.h"
#include "host/lib/text.h"
#include "host/profile/output.h"

#define TASK  1
#define NAMED 512 /* phases */
#define KINDS 4   /* of samples in a phase: enum profile_flag's SAMPLE_WAITS and SAMPLE_SMM */

#define NAME_CHARACTERS 10 /* of a phase: with "-wait" a command's 15; */
#define SMM_CHARACTERS  6  /* of one in SMM, which has "-SMM" before that */
#define TEXT            4096
#define RECORD_MAX      4096
#define PROT_RX         5
#define MAP_PRIVATE     2
#define SEEN            4096
#define CHECK_EVERY     512 /* samples between two looks for errors */

#define SAMPLE_TYPE \
	(PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN)

struct mapped {
	const struct unit *unit;
	struct mapped *before;
};

struct writer {
	struct perfdata_writer file;
	const struct profile *profile;
	struct mapped *maps;       /* the newest first */
	uint64_t seen[SEEN];       /* pages of callers, plus 1 */
	bool named[KINDS * NAMED]; /* threads */
	uint64_t whole;            /* bytes of the file that are written for certain */
	bool full;
};

struct record {
	union {
		struct perf_event_header header;
		unsigned char bytes[RECORD_MAX];
	};
};

static void perf_file_put(struct record *record, const void *bytes, size_t size)
{
	memcpy(record->bytes + record->header.size, bytes, size);
	record->header.size = (uint16_t)(record->header.size + size);
}

static void put64(struct record *record, uint64_t value)
{
	perf_file_put(record, &value, sizeof(value));
}

static void put32(struct record *record, uint32_t value)
{
	perf_file_put(record, &value, sizeof(value));
}

/* Appends a text, padded with zeros to 8 bytes. */
static void put_text(struct record *record, const char *text)
{
	static const char zeros[8];
	size_t length = strlen(text) + 1;

	perf_file_put(record, text, length);
	perf_file_put(record, zeros, -length & 7);
}

/* Appends the fields of sample_id_all. */
static void put_sample_id(struct record *record, uint64_t time)
{
	put32(record, TASK);
	put32(record, TASK);
	put64(record, time);
	put64(record, 0); /* CPU: any */
	put64(record, 1); /* IDENTIFIER: the first event */
}

static struct record begin(uint32_t type)
{
	struct record record;

	record.header =
	    (struct perf_event_header){type, PERF_RECORD_MISC_USER, sizeof(record.header)};
	return record;
}

/* Names a thread when it runs first. */
static void put_command(struct writer *writer, uint32_t thread, const char *name, uint64_t time)
{
	struct record record = begin(PERF_RECORD_COMM);

	put32(&record, TASK);
	put32(&record, thread);
	put_text(&record, name);
	put_sample_id(&record, time);
	perfdata_append(&writer->file, &record.header);
}

static void put_mapping(struct writer *writer, const struct unit *unit, uint64_t time)
{
	struct record record = begin(PERF_RECORD_MMAP2);

	put32(&record, TASK);
	put32(&record, TASK);
	put64(&record, unit->base);
	put64(&record, unit->size);
	put64(&record, TEXT);
	put32(&record, 0); /* device */
	put32(&record, 0);
	put64(&record, 0); /* inode and its generation */
	put64(&record, 0);
	put32(&record, PROT_RX);
	put32(&record, MAP_PRIVATE);
	put_text(&record, unit->path);
	put_sample_id(&record, time);
	perfdata_append(&writer->file, &record.header);
}

static bool overlaps(const struct unit *a, const struct unit *b)
{
	return a->base < b->base + b->size && b->base < a->base + a->size;
}

/* Maps the unit unless it is the newest one at its addresses. */
static void map_unit(struct writer *writer, const struct unit *unit, uint64_t time)
{
	struct mapped **place = &writer->maps, *entry;

	if (!unit->path)
		return;
	while (*place && !overlaps((*place)->unit, unit))
		place = &(*place)->before;
	if (*place && (*place)->unit == unit)
		return;
	entry = allocate(sizeof(*entry));
	*entry = (struct mapped){unit, writer->maps};
	writer->maps = entry;
	put_mapping(writer, unit, time);
}

/* Maps the units of a sample's callers; a page that was seen is mapped. */
static void map_callers(struct writer *writer, const struct sample *sample, uint64_t time)
{
	const struct profile *profile = writer->profile;

	for (uint32_t i = 0; i < sample->record->nr; i++) {
		uint64_t site = sample->chain[i], *seen = &writer->seen[site / PAGE % SEEN];

		if (*seen == site / PAGE + 1)
			continue;
		*seen = site / PAGE + 1;
		for (size_t u = 0; u < profile->nr_units; u++)
			if (site - profile->units[u]->base < profile->units[u]->size) {
				map_unit(writer, profile->units[u], time);
				break;
			}
	}
}

static const struct unit *sample_unit(const struct profile *profile, const struct sample *sample)
{
	uint32_t block = sample->record->block;

	return block < profile->nr_blocks ? profile->blocks[block].unit : NULL;
}

/* Returns the phase at a time; `hint` is that of an earlier one. */
static size_t phase_at(const struct profile *profile, uint64_t instructions, size_t hint)
{
	while (hint + 1 < profile->nr_phases &&
	       instructions >= profile->phases[hint].end.instructions)
		hint++;
	return hint;
}

/* Returns the thread of a sample: each phase has one, one for loops that wait, and two for SMM. */
static uint32_t name_thread(struct writer *writer, const struct sample *sample, size_t phase,
			    uint64_t time)
{
	bool waits = sample->record->flags & SAMPLE_WAITS, smm = sample->record->flags & SAMPLE_SMM;
	size_t number = KINDS * phase + 2 * smm + waits;
	char *name;

	if (!writer->profile->nr_phases || number >= KINDS * NAMED || writer->named[number])
		return (uint32_t)number + TASK;
	writer->named[number] = true;
	name = format_text("%.*s%s%s", smm ? SMM_CHARACTERS : NAME_CHARACTERS,
			   writer->profile->phases[phase].name, smm ? "-SMM" : "",
			   waits ? "-wait" : "");
	put_command(writer, (uint32_t)number + TASK, name, time);
	free(name);
	return (uint32_t)number + TASK;
}

/* One time a sample: perf sorts by time, and a mapping must stay before its sample. */
static uint64_t sample_time(const struct sample *sample)
{
	return sample->record->when.ns ? sample->record->when.ns
				       : sample->record->when.instructions;
}

static void put_sample(struct writer *writer, const struct sample *sample,
		       const struct output_event *event, uint32_t thread, uint64_t time)
{
	struct record record = begin(PERF_RECORD_SAMPLE);
	const struct profile_sample *from = sample->record;

	put64(&record, from->event + 1);
	put64(&record, from->ip);
	put32(&record, TASK);
	put32(&record, thread);
	put64(&record, time);
	put32(&record, from->processor);
	put32(&record, 0);
	put64(&record, event->period * from->periods);
	put64(&record, (uint64_t)from->nr + 2);
	put64(&record, PERF_CONTEXT_USER);
	put64(&record, from->ip);
	perf_file_put(&record, sample->chain, from->nr * sizeof(*sample->chain));
	perfdata_append(&writer->file, &record.header);
}

/* Notes how much is written; false: the disk is full. */
static bool check(struct writer *writer)
{
	if (fflush(writer->file.file) || ferror(writer->file.file))
		writer->full = true;
	else
		writer->whole = (uint64_t)ftell(writer->file.file);
	return !writer->full;
}

static void put_samples(struct writer *writer, const struct output_origin *origin)
{
	const struct profile *profile = writer->profile;
	uint64_t last = 0;
	size_t phase = 0;

	for (size_t i = 0; i < profile->nr_samples; i++) {
		const struct sample *sample = &profile->samples[i];
		const struct unit *unit = sample_unit(profile, sample);
		uint64_t time = sample_time(sample);
		uint32_t thread;

		if ((sample->record->flags & SAMPLE_WAITS && !origin->waits) ||
		    sample->record->event >= origin->nr_events)
			continue;
		last = time = time > last ? time : last + 1;
		phase = phase_at(profile, sample->record->when.instructions, phase);
		thread = name_thread(writer, sample, phase, time);
		if (unit)
			map_unit(writer, unit, time);
		map_callers(writer, sample, time);
		put_sample(writer, sample, &origin->events[sample->record->event], thread, time);
		if (i % CHECK_EVERY == 0 && !check(writer))
			return;
	}
}

static void describe_events(struct perfdata_event *events, const struct output_origin *origin)
{
	for (unsigned i = 0; i < origin->nr_events; i++) {
		const struct output_event *from = &origin->events[i];
		struct perfdata_event *event = &events[i];

		event->attr = (struct perf_event_attr){.type = from->event->type,
						       .size = sizeof(event->attr),
						       .config = from->event->config,
						       .sample_period = from->period,
						       .sample_type = SAMPLE_TYPE};
		event->attr.sample_id_all = 1;
		event->attr.mmap = event->attr.mmap2 = event->attr.comm = !i;
		snprintf(event->name, sizeof(event->name), "%s", from->event->name);
		event->ids[0] = i + 1;
		event->nr_ids = 1;
	}
}

/* The disk is full: the header describes the whole records that are there. */
static bool end_short(struct writer *writer, int error)
{
	struct perfdata_header *header = &writer->file.header;
	int fd = dup(fileno(writer->file.file));

	fclose(writer->file.file);
	header->data.size = writer->whole - header->data.offset;
	if (ftruncate(fd, (off_t)writer->whole) ||
	    pwrite(fd, header, sizeof(*header), 0) != sizeof(*header))
		error = errno;
	close(fd);
	errno = error;
	return false;
}

bool write_perf_file(const struct profile *profile, const char *path,
		     const struct output_origin *origin)
{
	static struct perfdata_event events[PROFILE_EVENTS];
	const struct pmu_id pmu = {.name = "none", .cpuid = "GenuineIntel,6,94,3"};
	struct writer writer = {.profile = profile};
	const struct perfdata_origin header = {&pmu, origin->argc, origin->argv};

	describe_events(events, origin);
	if (perfdata_begin(&writer.file, path, events, (int)origin->nr_events))
		return false;
	if (!check(&writer))
		return end_short(&writer, ENOSPC);
	put_samples(&writer, origin);
	if (writer.full || !check(&writer))
		return end_short(&writer, ENOSPC);
	return !perfdata_end(&writer.file, &header);
}
