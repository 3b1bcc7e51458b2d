/* SPDX-License-Identifier: BSD-2-Clause */
/* record: samples a program and writes a perf.data file, like perf-record(1). */
#include "apps/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/app_options.h"
#include "apps/lib/options.h"
#include "apps/lib/workload.h"

#define DEFAULT_EVENT     "cycles:P"
#define DEFAULT_FREQUENCY 4000 /* Hz, perf record's */
#define DEFAULT_PAGES     128
#define DEFAULT_STACK     8192 /* bytes, perf record's */
#define MOST_STACK        65528

static const char usage_text[] =
    "usage: record [-e EVENT] [-c PERIOD | -F HZ] [-g] [-b] [-W] [-d] [-a] [-C CPUS] [-p PIDS]\n"
    "              [-o FILE] [-m PAGES] [--] [PROGRAM [ARG...]]\n"
    "  -e EVENT   what to sample by (default cycles, or cpu-clock where there is no hardware PMU)\n"
    "  -c PERIOD  a sample every so many events\n"
    "  -F HZ      so many samples a second (default 4000)\n"
    "  -g         with callchains, by frame pointers; --call-graph fp, dwarf[,BYTES] or lbr: by\n"
    "             copies of the stack (BYTES, 8192), by the processor's branch records\n"
    "  -b         with branch stacks\n"
    "  -W, -d     with weights (latencies); with the addresses of data; --phys-data: physical\n"
    "  -a, -C CPUS  all that runs on all processors, on these (0,2-3)\n"
    "  -p PIDS    processes that run already\n"
    "  -o FILE    where to (default perf.data); -: to standard output, as perf reads it from "
    "pipes\n"
    "  --switch-output[=SIZE|TIME]  go on in another file after 10M, 2s, ..., or at SIGUSR2\n"
    "  -q         no summary\n"
    "  -N NAME    what to call the file in the summary\n"
    "  -K FILE:START:LENGTH:OFFSET  the kernel's text and the ELF file that has its symbols\n"
    "  -m PAGES[,AUXPAGES]  size of a ring buffer (default 128), and of a trace's area (1024)\n";

static int take_option(void *to, int letter, const char *argument);

static const struct app app = {.name = "record",
			       .usage = usage_text,
			       .letters = "+N:K:q" TARGET_LETTERS RECORD_LETTERS,
			       .longs = record_long_options,
			       .program_is_optional = true,
			       .option = take_option};

/* Parses a positive number into *value. False: it is not one. */
static bool positive(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value;
}

/* Parses a number of pages into *pages; no text leaves it. */
static int parse_pages(unsigned *pages, const char *text)
{
	uint64_t number;

	if (!*text)
		return 0;
	if (!positive(text, &number) || number & (number - 1) || number > 65536)
		return app_fail(&app, "-m wants a power of two up to 65536, not ", text);
	*pages = (unsigned)number;
	return 0;
}

/* PAGES[,AUXPAGES], as perf. */
static int parse_areas(struct options *options, const char *text)
{
	char ring[32];
	size_t length = strcspn(text, ",");

	snprintf(ring, sizeof(ring), "%.*s", (int)length, text);
	if (text[length] && parse_pages(&options->aux_pages, text + length + 1))
		return STATUS_OURS;
	if (!*text)
		return app_fail(&app, "-m wants PAGES[,AUXPAGES]", "");
	return parse_pages(&options->pages, ring);
}

static int parse_chains(struct options *options, const char *text)
{
	uint64_t bytes = DEFAULT_STACK;

	if (!strcmp(text, "fp"))
		options->chains = CHAINS_FP;
	else if (!strcmp(text, "lbr"))
		options->chains = CHAINS_LBR;
	else if (!strncmp(text, "dwarf", 5) &&
		 (!text[5] || (text[5] == ',' && positive(text + 6, &bytes))))
		options->chains = CHAINS_DWARF;
	else
		return app_fail(&app, "--call-graph wants fp, dwarf[,BYTES] or lbr, not ", text);
	if (bytes > MOST_STACK || bytes % 8)
		return app_fail(&app, "a stack's copy is a multiple of 8 up to 65528 bytes, not ",
				text);
	options->stack_bytes = (uint32_t)bytes;
	return 0;
}

/* Parses --switch-output: SIZE with B, K, M or G; TIME with ms, s, m, h; none: only at signals. */
static int parse_switch(struct options *options, const char *text)
{
	static const struct unit {
		const char *name;
		uint64_t bytes, ns;
	} units[] = {{"B", 1, 0},           {"K", 1 << 10, 0},      {"M", 1 << 20, 0},
		     {"G", 1 << 30, 0},     {"ms", 0, 1000000},     {"s", 0, 1000000000},
		     {"m", 0, 60000000000}, {"h", 0, 3600000000000}};
	char *end;
	uint64_t number;

	options->switches = true;
	if (!text || !strcmp(text, "signal"))
		return 0;
	number = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) || !number || *text < '0' || *text > '9')
			continue;
		options->switch_bytes = number * units[i].bytes;
		options->switch_ns = number * units[i].ns;
		return 0;
	}
	return app_fail(&app, "--switch-output wants a size (10M) or a time (2s), not ", text);
}

static int take_number(uint64_t *value, const char *complaint, const char *argument)
{
	return positive(argument, value) ? 0 : app_fail(&app, complaint, argument);
}

/* Parses samples a second; "max" is the most that the kernel allows. */
static int take_frequency(struct options *options, const char *argument)
{
	static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	char text[32] = "";
	FILE *file;

	if (strcmp(argument, "max"))
		return take_number(&options->frequency, "-F wants a frequency, not ", argument);
	file = fopen(path, "re");
	if (file && fgets(text, sizeof(text), file))
		text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
	return take_number(&options->frequency,
			   "-F max: no number in perf_event_max_sample_rate: ", text);
}

/* Handles options that only set something. False: another option. */
static bool take_word(struct options *options, int letter, const char *argument)
{
	switch (letter) {
	case 'g':
		options->chains = CHAINS_FP;
		return true;
	case 'b':
		return options->branches = true;
	case 'W':
		return options->weight = true;
	case 'd':
		return options->data_address = true;
	case OPTION_PHYSICAL:
		return options->physical_address = true;
	case 'C':
		options->cpus = argument;
		return true;
	case 'a':
		return options->everywhere = true;
	case 'p':
		options->pids = argument;
		return true;
	case 'o':
		options->output = argument;
		return true;
	case 'N':
		options->shown = argument;
		return true;
	case 'q':
		return options->quiet = true;
	case 'K':
		options->kernel = argument;
		return true;
	default:
		return false;
	}
}

static int take_option(void *to, int letter, const char *argument)
{
	struct options *options = to;

	if (take_word(options, letter, argument))
		return 0;
	switch (letter) {
	case 'e':
		return app_events(&app, &options->events, argument);
	case 'c':
		return take_number(&options->period, "-c wants a period, not ", argument);
	case 'F':
		return take_frequency(options, argument);
	case OPTION_CHAINS:
		return parse_chains(options, argument);
	case OPTION_SWITCH:
		return parse_switch(options, argument);
	case 'm':
		return parse_areas(options, argument);
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
	if (options->cpus && !options->pids)
		options->everywhere = true;
	if (options->everywhere && options->pids)
		return app_fail(&app, "-p samples processes, -a all that runs: take one", "");
	for (int i = 0; i < options->events.nr && options->events.nr > 1; i++)
		if (aux_is_traced(&options->events.events[i].attr))
			return app_fail(&app, "a trace is recorded alone, without other events: ",
					options->events.events[i].name);
	if (options->branches && options->chains == CHAINS_LBR)
		return app_fail(&app, "branch records serve -b or call chains, not both", "");
	options->pipe = !strcmp(options->output, "-");
	if (options->pipe && options->switches)
		return app_fail(&app, "--switch-output writes several files: not to -o -", "");
	if (options->pipe && isatty(STDOUT_FILENO))
		return app_fail(&app, "-o -: samples are not for a terminal: `| perf report -i -`",
				"");
	if (!*options->program && !options->everywhere && !options->pids)
		return app_fail(&app, usage_text, "");
	return status;
}

static void summarize(const struct session *session, const struct options *options,
		      const struct pmu_id *pmu)
{
	const struct perfdata_writer *writer = &session->writer;
	char core[PMU_CORE_SIZE] = "";

	if (aux_is_traced(&session->events[0].attr))
		fprintf(stderr, "[ barepmu record: %lu bytes", (unsigned long)writer->aux_bytes);
	else
		fprintf(stderr, "[ barepmu record: %lu samples",
			(unsigned long)(session->samples + writer->samples));
	if (session->files)
		fprintf(stderr, " in %d files", session->files + 1);
	if (session->lost + writer->lost)
		fprintf(stderr, ", %lu LOST", (unsigned long)(session->lost + writer->lost));
	fprintf(stderr, " of ");
	for (int i = 0; i < session->nr_events; i++)
		fprintf(stderr, "%s%s", i ? "," : "", session->events[i].name);
	/* Whether the host can write them is unknown here. */
	fprintf(stderr, " for %s%s",
		options->pipe    ? "standard output"
		: options->shown ? options->shown
				 : options->output,
		session->jit_files ? ", with names of generated code" : "");
	fprintf(stderr, ", PMU: %s%s", pmu->name, pmu->emulated ? ", emulated" : "");
	if (*pmu->core)
		pmu_describe_core(pmu, core);
	fprintf(stderr, "%s%s ]\n", *pmu->core ? "; " : "", core);
}

static int cannot_write(const char *path)
{
	fprintf(stderr, "record: cannot write '%s': %s\n", path, strerror(errno));
	return STATUS_OURS;
}

/* Samples the held program, or running processes, to the end. */
static int sample(struct session *session, const struct options *options, struct workload *workload)
{
	struct pmu_id pmu;
	int error, status;

	if (output_begin(session, workload->pid)) {
		status = cannot_write(options->output);
		if (*options->program)
			workload_cancel(workload);
		return status;
	}
	pmu_measures(true);
	session_enable(session);
	error = *options->program ? workload_start(workload) : 0;
	if (error)
		return workload_exec_error("record", options->program[0], error);
	status = session_follow(session, workload->pid);
	pmu_measures(false);
	pmu_identify(&pmu);
	if (output_end(session))
		return cannot_write(options->output);
	status = *options->program ? workload_status(options->program[0], status) : 0;
	if (!options->quiet)
		summarize(session, options, &pmu);
	return status;
}

int main(int argc, char **argv)
{
	static struct options options = {
	    .frequency = DEFAULT_FREQUENCY, .output = "perf.data", .pages = DEFAULT_PAGES};
	static struct session session;
	struct workload workload = {.pid = -1};
	int status = parse_options(&options, argc, argv);

	if (status)
		return status;
	workload.prints_to_stderr = options.pipe;
	session.argc = argc;
	session.argv = argv;
	if (*options.program && workload_fork(&workload, options.program))
		return app_fail(&app, "cannot fork: ", strerror(errno));
	if (session_open(&session, &options, workload.pid)) {
		if (*options.program)
			workload_cancel(&workload);
		return STATUS_OURS;
	}
	return sample(&session, &options, &workload);
}
