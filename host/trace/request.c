/* SPDX-License-Identifier: BSD-2-Clause */
/* `barepmu trace`: its options, and the lists and pictures that they select. */
#include "host/trace/request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/report/flame.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/personalities.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/results.h"
#include "host/options.h"
#include "host/trace/decode.h"
#include "host/trace/functions.h"
#include "host/trace/list.h"
#include "host/trace/timeline.h"
#include "host/values.h"

#define FINEST        20000 /* part of the whole time that a bar is drawn for alone */
#define PAGE_ROWS     1000
#define MAX_LISTENERS 4

/* Cycles give each packet a time, and each return a packet its own. Decoders would calibrate cycles
 * by MTC. */
#define EVENT  "intel_pt/cyc,noretcomp,mtc=0"
#define VALUES ",ptw" /* where the processor has PTWRITE */

const struct option trace_long_options[] = {
    {"input", required_argument, NULL, TRACE_INPUT},
    {"instructions", no_argument, NULL, TRACE_INSTRUCTIONS},
    {"functions", no_argument, NULL, TRACE_FUNCTIONS},
    {"svg", required_argument, NULL, TRACE_SVG},
    {"html", required_argument, NULL, TRACE_HTML},
    {"depth", required_argument, NULL, TRACE_DEPTH},
    {"kernel", no_argument, NULL, TRACE_KERNEL},
    {NULL, 0, NULL, 0},
};

void trace_take(struct options *options, int option, const char *argument)
{
	struct trace_request *request = &options->trace;

	switch (option) {
	case TRACE_INPUT:
		request->input = readable_value(argument);
		break;
	case TRACE_INSTRUCTIONS:
		request->instructions = true;
		break;
	case TRACE_FUNCTIONS:
		request->functions = true;
		break;
	case TRACE_SVG:
		request->svg = argument;
		break;
	case TRACE_HTML:
		request->html = argument;
		break;
	case TRACE_DEPTH:
		request->depth = number_value("--depth", argument, 1, INT_MAX);
		break;
	default:
		request->kernel = true;
	}
}

/* Returns the event, which is allocated and never freed. */
static const char *event_name(const char *pmu, bool kernel)
{
	const struct personality *personality = personality_find(pmu);
	bool values = personality && personality->features & FEATURE_PTWRITE;

	return format_text("%s%s/%s", EVENT, values ? VALUES : "", kernel ? "" : "u");
}

void trace_check(struct options *options)
{
	const struct trace_request *request = &options->trace;

	if (request->input && *options->program)
		die(STATUS_OURS, "trace takes --input FILE or a PROGRAM, not both");
	if (!request->input && !*options->program)
		die(STATUS_OURS,
		    "trace wants a PROGRAM: barepmu trace [OPTIONS] -- PROGRAM [ARG...]");
	if (request->instructions && request->functions)
		die(STATUS_OURS, "--instructions and --functions are two lists: take one");
	add_word(&options->pass, "-q");
	add_word(&options->pass, "-e");
	add_word(&options->pass, event_name(options->pmu, request->kernel));
}

/* Everything that the options want to know of the trace. */
struct views {
	struct trace_source source;
	struct trace_output output;
	struct trace_result result;
	struct trace_listener listeners[MAX_LISTENERS];
	struct trace_list list;
	struct trace_functions functions;
	struct timeline timeline;
};

static void listen(struct views *views, struct trace_listener listener)
{
	views->listeners[views->output.nr++] = listener;
}

/* Returns the time from the first record to the last. */
static uint64_t whole_time(const struct trace_source *source)
{
	const struct perfdata_reader *reader = &source->reader;
	size_t first = 0;

	while (first < reader->nr_records && !reader->records[first].time)
		first++;
	return first < reader->nr_records
		   ? reader->records[reader->nr_records - 1].time - reader->records[first].time
		   : 0;
}

static FILE *create(const char *path)
{
	FILE *file = results_open(path);

	if (!file)
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	return file;
}

static void finish(FILE *file, const char *path)
{
	if (!results_close(file))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
}

static void choose_views(struct views *views, const struct options *options, FILE *out)
{
	const struct trace_request *request = &options->trace;
	bool pictures = request->svg || request->html;

	views->list =
	    (struct trace_list){.out = out,
				.source = &views->source,
				.depth = request->depth ? (unsigned)request->depth : UINT_MAX};
	views->timeline.source = &views->source;
	views->timeline.shortest = whole_time(&views->source) / FINEST;
	if (request->instructions)
		listen(views, trace_list_instructions(&views->list));
	else if (!request->functions && !pictures)
		listen(views, trace_list_calls(&views->list));
	if (request->functions || request->html)
		listen(views, trace_functions_count(&views->functions));
	if (pictures)
		listen(views, timeline_collect(&views->timeline));
}

/* Returns the recorded program's command line, as far as the options know it. */
static char *title_of(const struct options *options)
{
	return format_text("Calls of %s",
			   *options->program ? *options->program : options->trace.input);
}

static void draw(const struct views *views, FILE *out, const struct options *options)
{
	char *title = title_of(options);

	timeline_draw(&views->timeline, out, views->result.first, views->result.last, title);
	free(title);
}

static void write_rows(const struct trace_functions *functions, FILE *out)
{
	for (size_t i = 0; i < functions->nr && i < PAGE_ROWS; i++) {
		const struct trace_function *f = &functions->list[i];

		fprintf(out, "<tr><td>%lu<td>%lu<td>%.3f<td>%.3f<th>", (unsigned long)f->calls,
			(unsigned long)f->instructions, (double)f->self / 1000,
			(double)f->total / 1000);
		flame_text(out, f->name);
		fprintf(out, "</tr>\n");
	}
}

static void write_page(struct views *views, const struct options *options)
{
	FILE *out = create(options->trace.html);
	char *title = title_of(options);

	trace_functions_sort(&views->functions);
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>");
	flame_text(out, title);
	fprintf(out,
		"</title>\n<style>body{font-family:sans-serif}td{text-align:right;padding:0 1em}"
		"th{text-align:left;padding:0 1em}</style>\n");
	draw(views, out, options);
	fprintf(out,
		"<h2>Functions</h2>\n<table><tr><th>calls<th>instructions<th>self, us<th>total, "
		"us<th>function</tr>\n");
	write_rows(&views->functions, out);
	fprintf(out, "</table>\n</html>\n");
	free(title);
	finish(out, options->trace.html);
}

static void summarize(const struct views *views)
{
	const struct trace_result *result = &views->result;

	fprintf(stderr, "[ barepmu trace: %lu instructions in %.3f us",
		(unsigned long)result->instructions, (double)(result->last - result->first) / 1000);
	if (result->errors)
		fprintf(stderr, ", %lu gaps; the first: %s", (unsigned long)result->errors,
			result->error);
	fprintf(stderr, " ]\n");
}

int trace_show(const struct options *options, const char *path)
{
	static struct views views;
	FILE *out = options->output ? create(options->output) : stdout;
	FILE *svg;

	trace_open(&views.source, path);
	views.output = (struct trace_output){.source = &views.source, .listeners = views.listeners};
	choose_views(&views, options, out);
	trace_decode(&views.output, &views.result);
	trace_list_end(&views.list);
	if (options->trace.functions)
		trace_functions_print(&views.functions, out);
	if (out != stdout)
		finish(out, options->output);
	if (options->trace.svg) {
		svg = create(options->trace.svg);
		draw(&views, svg, options);
		finish(svg, options->trace.svg);
	}
	if (options->trace.html)
		write_page(&views, options);
	summarize(&views);
	return fflush(stdout) ? STATUS_OURS : 0;
}
