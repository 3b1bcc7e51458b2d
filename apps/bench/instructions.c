/* SPDX-License-Identifier: BSD-2-Clause */
/* The suite `instructions`: latency and throughput of the host command's list, and with --ports the
 * micro-operations that each port of the processor executes for one instruction. */
#include <stdlib.h>
#include <string.h>

#include "apps/bench/suites.h"

#define INDEPENDENT 12 /* instructions of a job of the list that do not wait */
#define UNROLL      48
#define FIRST_PORT  2 /* the column */
#define PORT_EVENTS 512
#define MOST_BARS   40 /* more have no room for their names */

/* Cuts off " /2" at the end of a label. Returns the number, or 1. */
static int take_instances(char *label)
{
	char *slash = strrchr(label, '/');
	int instances = slash && slash > label && slash[-1] == ' ' ? atoi(slash + 1) : 0;

	if (instances < 1)
		return 1;
	slash[-1] = '\0';
	return instances;
}

/* Measures the events of one execution of the code. */
static const struct outcome *execute(struct sheet *sheet, const struct job *job)
{
	struct bench_options options = *suite_options();

	options.unroll = UNROLL;
	options.loop = 0;
	options.warm_up = 2;
	return suite_tried(sheet, job, &options);
}

/* Returns the cycles of the code; not a number if this processor does not have the instruction. */
static double cycles_of(struct sheet *sheet, const struct job *job)
{
	const struct outcome *outcome = execute(sheet, job);

	return outcome->failed ? __builtin_nan("") : outcome->figures[0].value;
}

/* Adds a column for each port of "p0=EVENT,p1=EVENT". Returns the events, "EVENT,EVENT". */
static const char *port_columns(struct sheet *sheet, const char *ports)
{
	static char names[PORT_EVENTS], events[PORT_EVENTS];
	char *rest = names, *port;

	snprintf(names, sizeof(names), "%s", ports);
	while ((port = strsep(&rest, ","))) {
		size_t name = strcspn(port, "=");
		const char *event = port + name + 1;

		if (!port[name] || sheet->nr_columns == SHEET_COLUMNS)
			fail("--ports: '%s' is no port and event", port);
		port[name] = '\0';
		sheet->columns[sheet->nr_columns++] = port;
		snprintf(events + strlen(events), sizeof(events) - strlen(events), "%s%s",
			 *events ? "," : "", event);
	}
	return events;
}

static void measure_ports(struct sheet *sheet, const struct job *job, struct sheet_row *row,
			  const char *events)
{
	const struct outcome *outcome;

	suite_events(events);
	outcome = execute(sheet, job);
	for (int i = FIRST_PORT; i < sheet->nr_columns; i++)
		row->values[i] = outcome->failed
				     ? __builtin_nan("")
				     : outcome->figures[i - FIRST_PORT].value / INDEPENDENT;
	suite_events("cycles");
}

/* Measures a code of the list: for each instruction the first is dependent, the second is not. */
static void measure_code(struct sheet *sheet, struct job *job, int nr, const char *port_events)
{
	int instances = take_instances(job->label);
	struct sheet_row *row =
	    nr % 2 ? &sheet->rows[nr / 2] : sheet_add(sheet, nr / 2.0, "%s", job->label);

	row->values[nr % 2] = cycles_of(sheet, job);
	if (!(nr % 2)) {
		row->values[0] /= instances;
		return;
	}
	row->values[1] /= INDEPENDENT;
	if (port_events)
		measure_ports(sheet, job, row, port_events);
	suite_row_done(sheet);
}

struct sheet suite_instructions(void)
{
	struct sheet sheet = {.title = "instructions",
			      .heading = "Instructions",
			      .x = "instruction",
			      .y = "cycles of one that waits for the one before, and of many that "
				   "do not",
			      .kind = SHEET_BARS,
			      .columns = {"latency", "throughput"},
			      .nr_columns = FIRST_PORT};
	const struct bench_options *options = suite_options();
	const char *port_events = NULL;
	struct job job;

	if (!options->jobs)
		fail("the list of instructions is the host command's: barepmu bench instructions");
	if (options->ports) {
		port_events = port_columns(&sheet, options->ports);
		sheet.kind = SHEET_HEAT;
		sheet.columns_name = "cycles, and operations on ports";
		sheet.y = "cycles of one that waits for the one before, and of many that do not; "
			  "operations of one on each port";
	}
	for (int nr = 0; jobs_next(options, &job); nr++) {
		measure_code(&sheet, &job, nr, port_events);
		job_free(&job);
	}
	if (sheet.kind == SHEET_BARS && sheet.nr_rows > MOST_BARS) {
		sheet.kind = SHEET_HEAT;
		sheet.columns_name = "cycles";
	}
	return sheet;
}
