/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the counts of intervals for the host command, which plots them: lines with tabs, like
 * bench's (host/plot.c). */
#include "apps/stat/stat.h"

#include <string.h>

#include "abi/linux/perf_event.h"
#include "apps/lib/event/pmu_id.h"

#define PANELS      3    /* the kind of plot: each column by itself */
#define MOST        15   /* columns that it draws, and one for the ratio */
#define LEAST_SHARE 0.25 /* of an interval: less, as at the end, says little */

static int find(const struct event_list *events, uint64_t config)
{
	for (int i = 0; i < events->nr; i++)
		if (events->events[i].attr.type == PERF_TYPE_HARDWARE &&
		    (uint32_t)events->events[i].attr.config == config)
			return i;
	return -1;
}

static int columns(const struct options *options)
{
	return options->events.nr < MOST ? options->events.nr : MOST;
}

static bool has_ratio(const struct event_list *events)
{
	return find(events, PERF_COUNT_HW_CPU_CYCLES) >= 0 &&
	       find(events, PERF_COUNT_HW_INSTRUCTIONS) >= 0;
}

void stat_plot_head(FILE *out, const struct options *options)
{
	const char *program = *options->program ? *options->program : "all programs";
	const char *slash = strrchr(program, '/');

	fprintf(out, "%s over time\tseconds\tevents a millisecond\t%d\t0\t0\t%s\n",
		slash ? slash + 1 : program, PANELS, pmu_line());
	for (int i = 0; i < columns(options); i++)
		fprintf(out, "%s%s", i ? "\t" : "", options->events.events[i].name);
	fprintf(out, "%s\n", has_ratio(&options->events) ? "\tinstructions a cycle" : "");
}

/* Sums up all lines. */
static double sum(const struct targets *targets, const struct look *look, int event)
{
	double sum = 0;

	for (int line = 0; event >= 0 && line < targets->nr_lines; line++)
		sum += look->counts[line][event].value.mean;
	return sum;
}

void stat_plot_row(FILE *out, const struct options *options, const struct targets *targets,
		   const struct look *look)
{
	double cycles = sum(targets, look, find(&options->events, PERF_COUNT_HW_CPU_CYCLES));

	if (look->elapsed * 1e3 < options->interval * LEAST_SHARE && look->at > look->elapsed)
		return;
	fprintf(out, "%.6f\t%.9f", look->at, look->at);
	for (int i = 0; i < columns(options); i++)
		fprintf(out, "\t%g", sum(targets, look, i) / look->elapsed / 1e3);
	if (has_ratio(&options->events))
		fprintf(out, "\t%g",
			cycles > 0 ? sum(targets, look,
					 find(&options->events, PERF_COUNT_HW_INSTRUCTIONS)) /
					 cycles
				   : 0);
	fputc('\n', out);
}
