/* SPDX-License-Identifier: BSD-2-Clause */
/* record: samples a program and writes a perf.data file, like perf-record(1). */
#include "apps/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/options.h"
#include "apps/lib/workload.h"

#define DEFAULT_EVENT     "cycles:P"
#define DEFAULT_FREQUENCY 4000 /* Hz, perf record's */
#define DEFAULT_PAGES     128

static const char usage_text[] =
    "usage: record [-e EVENT] [-c PERIOD | -F HZ] [-g] [-b] [-o FILE] [-m PAGES] [--] PROGRAM "
    "[ARG...]\n"
    "  -e EVENT   what to sample by (default cycles, or cpu-clock where there is no hardware PMU)\n"
    "  -c PERIOD  a sample every so many events\n"
    "  -F HZ      so many samples a second (default 4000)\n"
    "  -g         with callchains, by frame pointers\n"
    "  -b         with branch stacks\n"
    "  -o FILE    where to (default perf.data)\n"
    "  -N NAME    what to call the file in the summary\n"
    "  -K FILE:START:LENGTH:OFFSET  the kernel's text and the ELF file that has its symbols\n"
    "  -m PAGES   size of a ring buffer (default 128)\n";

static int take_option(void *to, int letter, const char *argument);

static const struct app app = {
    .name = "record", .usage = usage_text, .letters = "+e:c:F:gbo:N:K:m:", .option = take_option};

/* A positive number into *value. False: it is none. */
static bool positive(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value;
}

static int parse_pages(struct options *options, const char *text)
{
	uint64_t pages;

	if (!positive(text, &pages) || pages & (pages - 1) || pages > 65536)
		return app_fail(&app, "-m wants a power of two up to 65536, not ", text);
	options->pages = (unsigned)pages;
	return 0;
}

static int take_option(void *to, int letter, const char *argument)
{
	struct options *options = to;

	switch (letter) {
	case 'e':
		return app_events(&app, &options->events, argument);
	case 'c':
		return positive(argument, &options->period)
			   ? 0
			   : app_fail(&app, "-c wants a period, not ", argument);
	case 'F':
		return positive(argument, &options->frequency)
			   ? 0
			   : app_fail(&app, "-F wants a frequency, not ", argument);
	case 'g':
		options->callchain = true;
		return 0;
	case 'b':
		options->branches = true;
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case 'N':
		options->shown = argument;
		return 0;
	case 'K':
		options->kernel = argument;
		return 0;
	case 'm':
		return parse_pages(options, argument);
	default:
		return APP_USAGE;
	}
}

static int parse_options(struct options *options, int argc, char **argv)
{
	int status = app_options(&app, options, argc, argv, &options->program);

	if (status)
		return status;
	if (!options->events.nr) {
		status = app_events(&app, &options->events, DEFAULT_EVENT);
		strcpy(options->events.events[0].name, "cycles");
	}
	if (options->events.nr > MAX_EVENTS)
		return app_fail(&app, "too many events: at most 8", "");
	return status;
}

static void summarize(const struct session *session, const struct options *options,
		      const struct pmu_id *pmu)
{
	const struct perfdata_writer *writer = &session->writer;

	fprintf(stderr, "[ barepmu record: wrote %s, %lu samples",
		options->shown ? options->shown : options->output, (unsigned long)writer->samples);
	if (writer->lost)
		fprintf(stderr, ", %lu LOST", (unsigned long)writer->lost);
	fprintf(stderr, " of ");
	for (int i = 0; i < session->nr_events; i++)
		fprintf(stderr, "%s%s", i ? "," : "", session->events[i].name);
	fprintf(stderr, ", PMU: %s%s", pmu->name, pmu->emulated ? ", emulated" : "");
	fprintf(stderr, *pmu->core ? "; core: %s (simulated) ]\n" : "%s ]\n", pmu->core);
}

static int cannot_write(const char *path)
{
	fprintf(stderr, "record: cannot write '%s': %s\n", path, strerror(errno));
	return STATUS_OURS;
}

/* Samples the held program to its end. */
static int sample(struct session *session, const struct options *options, struct workload *workload,
		  int argc, char **argv)
{
	struct pmu_id pmu;
	int error, status;

	if (perfdata_begin(&session->writer, options->output, session->events,
			   session->nr_events)) {
		status = cannot_write(options->output);
		workload_cancel(workload);
		return status;
	}
	synthesize(session, options, workload->pid);
	error = workload_start(workload);
	if (error)
		return workload_exec_error("record", options->program[0], error);
	status = session_follow(session, workload->pid);
	pmu_identify(&pmu);
	if (perfdata_end(&session->writer, &pmu, argc, argv))
		return cannot_write(options->output);
	status = workload_status(options->program[0], status);
	summarize(session, options, &pmu);
	return status;
}

int main(int argc, char **argv)
{
	static struct options options = {
	    .frequency = DEFAULT_FREQUENCY, .output = "perf.data", .pages = DEFAULT_PAGES};
	static struct session session;
	struct workload workload;
	int status = parse_options(&options, argc, argv);

	if (status)
		return status;
	if (workload_fork(&workload, options.program))
		return app_fail(&app, "cannot fork: ", strerror(errno));
	if (session_open(&session, &options, workload.pid)) {
		workload_cancel(&workload);
		return STATUS_OURS;
	}
	return sample(&session, &options, &workload, argc, argv);
}
