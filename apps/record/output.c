/* SPDX-License-Identifier: BSD-2-Clause */
/* The output file; with --switch-output a series of files, each complete. */
#include "apps/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATH_SIZE 4096

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Keeps records of processes and their mappings, including ended processes, because each file must
 * contain them. */
static void keep(struct session *session, const struct perf_event_header *record)
{
	size_t needed = session->kept_bytes + record->size;
	unsigned char *grown = session->kept;

	if (record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2 &&
	    record->type != PERF_RECORD_COMM && record->type != PERF_RECORD_FORK)
		return;
	if (needed > session->kept_room) {
		grown = realloc(session->kept, 2 * needed);
		if (!grown)
			return;
		session->kept = grown;
		session->kept_room = 2 * needed;
	}
	memcpy(session->kept + session->kept_bytes, record, record->size);
	session->kept_bytes = needed;
}

void output_record(struct session *session, const struct perf_event_header *record)
{
	if (session->options->switches)
		keep(session, record);
	jit_note(record);
	perfdata_append(&session->writer, record);
}

static void repeat_kept(struct session *session)
{
	for (size_t at = 0; at < session->kept_bytes;) {
		const struct perf_event_header *record =
		    (const struct perf_event_header *)(session->kept + at);

		perfdata_append(&session->writer, record);
		at += record->size;
	}
}

static int begin_writer(struct session *session)
{
	const struct options *options = session->options;
	struct pmu_id pmu;
	struct perfdata_origin origin = {&pmu, session->argc, session->argv};

	if (!options->pipe)
		return perfdata_begin(&session->writer, options->output, session->events,
				      session->nr_events);
	pmu_identify(&pmu);
	return perfdata_begin_pipe(&session->writer, STDOUT_FILENO, session->events,
				   session->nr_events, &origin);
}

int output_begin(struct session *session, pid_t pid)
{
	session->began_ns = now_ns();
	if (begin_writer(session))
		return -1;
	if (session->files)
		repeat_kept(session);
	else
		synthesize(session, pid);
	return 0;
}

/* Builds the next free name of the form NAME.YYYYMMDDhhmmsscc, as perf does. */
static void dated(const char *name, char path[PATH_SIZE])
{
	struct timespec t;
	struct tm day;
	unsigned hundredth;

	clock_gettime(CLOCK_REALTIME, &t);
	hundredth = (unsigned)(t.tv_nsec / 10000000);
	do {
		gmtime_r(&t.tv_sec, &day);
		snprintf(path, PATH_SIZE, "%s.%04d%02d%02d%02d%02d%02d%02u", name,
			 day.tm_year + 1900, day.tm_mon + 1, day.tm_mday, day.tm_hour, day.tm_min,
			 day.tm_sec, hundredth % 100);
		if (++hundredth % 100 == 0)
			t.tv_sec++;
	} while (!access(path, F_OK));
}

int output_end(struct session *session)
{
	struct pmu_id pmu;
	struct perfdata_origin origin = {&pmu, session->argc, session->argv};
	char path[PATH_SIZE];

	pmu_identify(&pmu);
	if (perfdata_end(&session->writer, &origin))
		return -1;
	snprintf(path, sizeof(path), "%s", session->options->output);
	if (session->options->switches)
		dated(session->options->output, path);
	if (session->options->switches && rename(session->options->output, path))
		return -1;
	session->jit_files = session->options->pipe ? 0 : jit_copy(path);
	return 0;
}

int output_switch(struct session *session, bool requested)
{
	const struct options *options = session->options;

	if (options->switch_bytes && (uint64_t)ftell(session->writer.file) >= options->switch_bytes)
		requested = true;
	if (options->switch_ns && now_ns() - session->began_ns >= options->switch_ns)
		requested = true;
	if (!requested)
		return 0;
	if (output_end(session))
		return -1;
	session->samples += session->writer.samples;
	session->lost += session->writer.lost;
	session->files++;
	return output_begin(session, 0);
}
