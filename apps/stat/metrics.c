/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics by name (-M): shares and ratios of several events. Intel's top-down method: Optimization
 * Reference Manual, appendix B.1; /sys/bus/event_source lists which of its events a PMU has. */
#include "apps/stat/metrics.h"

#include <string.h>
#include <strings.h>

#include "apps/lib/event/pmu_files.h"

/* Pipeline slots of each cycle, on processors that do not count slots. */
#define WIDTH 4

#define SHARES(event)               \
	{                           \
		{"slots", 0, 1},    \
		{                   \
			event, 1, 0 \
		}                   \
	}

const struct metric_row metric_rows[] = {
    {"IPC", "", "", "%8.2f", "IPC", 1, {{"instructions", 1, 0}, {"cycles", 0, 1}}},
    {"CPI", "", "", "%8.2f", "CPI", 1, {{"cycles", 1, 0}, {"instructions", 0, 1}}},
    {"branch_miss_rate",
     "",
     "",
     "%7.2f%%",
     "branch_miss_rate",
     100,
     {{"branch-misses", 1, 0}, {"branches", 0, 1}}},
    {"branch_mpki",
     "",
     "",
     "%8.2f",
     "branch_mpki",
     1000,
     {{"branch-misses", 1, 0}, {"instructions", 0, 1}}},
    {"l1d_miss_rate",
     "",
     "",
     "%7.2f%%",
     "l1d_miss_rate",
     100,
     {{"L1-dcache-load-misses", 1, 0}, {"L1-dcache-loads", 0, 1}}},
    {"l1d_mpki",
     "",
     "",
     "%8.2f",
     "l1d_mpki",
     1000,
     {{"L1-dcache-load-misses", 1, 0}, {"instructions", 0, 1}}},
    {"llc_mpki",
     "",
     "",
     "%8.2f",
     "llc_mpki",
     1000,
     {{"cache-misses", 1, 0}, {"instructions", 0, 1}}},
    /* Ice Lake and later: the PMU counts the shares. */
    {"retiring", "TopdownL1", "slots", "%7.1f%%", "retiring", 100, SHARES("topdown-retiring")},
    {"bad_speculation", "TopdownL1", "slots", "%7.1f%%", "bad speculation", 100,
     SHARES("topdown-bad-spec")},
    {"frontend_bound", "TopdownL1", "slots", "%7.1f%%", "frontend bound", 100,
     SHARES("topdown-fe-bound")},
    {"backend_bound", "TopdownL1", "slots", "%7.1f%%", "backend bound", 100,
     SHARES("topdown-be-bound")},
    /* Earlier processors: computed from counts. */
    {"retiring",
     "TopdownL1",
     "topdown-total-slots",
     "%7.1f%%",
     "retiring",
     100,
     {{"topdown-total-slots", 0, WIDTH}, {"topdown-slots-retired", 1, 0}}},
    {"bad_speculation",
     "TopdownL1",
     "topdown-total-slots",
     "%7.1f%%",
     "bad speculation",
     100,
     {{"topdown-total-slots", 0, WIDTH},
      {"topdown-slots-issued", 1, 0},
      {"topdown-slots-retired", -1, 0},
      {"topdown-recovery-bubbles", WIDTH, 0}}},
    {"frontend_bound",
     "TopdownL1",
     "topdown-total-slots",
     "%7.1f%%",
     "frontend bound",
     100,
     {{"topdown-total-slots", 0, WIDTH}, {"topdown-fetch-bubbles", 1, 0}}},
    {"backend_bound",
     "TopdownL1",
     "topdown-total-slots",
     "%7.1f%%",
     "backend bound",
     100,
     {{"topdown-total-slots", WIDTH, WIDTH},
      {"topdown-fetch-bubbles", -1, 0},
      {"topdown-slots-issued", -1, 0},
      {"topdown-recovery-bubbles", -WIDTH, 0}}},
    {0},
};

/* True when the row's PMU is this machine's. */
static bool fits(const struct metric_row *row)
{
	char pmu[PMU_NAME_SIZE];

	return !*row->needs || pmu_of_event(row->needs, pmu);
}

/* On hybrid processors returns the event of the first kind. */
static int find_event(const struct event_list *list, const char *name)
{
	char of_core[2 * EVENT_NAME_SIZE];

	snprintf(of_core, sizeof(of_core), "cpu_core/%s/", name);
	for (int i = 0; i < list->nr; i++)
		if (!strcmp(list->events[i].name, name) || !strcmp(list->events[i].name, of_core))
			return i;
	return -1;
}

static int add_row(struct options *options, const struct metric_row *row, char *error)
{
	size_t most = sizeof(options->metrics) / sizeof(options->metrics[0]);

	if (options->nr_metrics == (int)most) {
		snprintf(error, EVENT_ERROR_SIZE, "too many metrics: at most %zu", most);
		return -1;
	}
	for (const struct metric_term *t = row->terms; t->event; t++)
		if (find_event(&options->events, t->event) < 0 &&
		    event_parse(&options->events, t->event, error))
			return -1;
	options->metrics[options->nr_metrics++] = row;
	return 0;
}

int metrics_add(struct options *options, const char *name, char error[EVENT_ERROR_SIZE])
{
	bool known = false, added = false;

	for (const struct metric_row *row = metric_rows; row->name; row++) {
		if (strcasecmp(row->name, name) && strcasecmp(row->group, name))
			continue;
		known = true;
		if (!fits(row))
			continue;
		added = true;
		if (add_row(options, row, error))
			return -1;
	}
	if (added)
		return 0;
	if (known)
		snprintf(error, EVENT_ERROR_SIZE, "this PMU has no events for the metric '%.64s'",
			 name);
	else
		snprintf(error, EVENT_ERROR_SIZE,
			 "unknown metric '%.64s': `stat -M help` lists them", name);
	return -1;
}

void metrics_show(FILE *out)
{
	for (const struct metric_row *row = metric_rows; row->name; row++) {
		if (!fits(row))
			continue;
		fprintf(out, "  %-20s %-10s", row->name, row->group);
		for (const struct metric_term *t = row->terms; t->event; t++)
			fprintf(out, " %s", t->event);
		fputc('\n', out);
	}
}

struct metric metrics_value(const struct options *options, const struct counts *counts, int index)
{
	const struct metric_row *row = options->metrics[index];
	double top = 0, bottom = 0;

	for (const struct metric_term *t = row->terms; t->event; t++) {
		int event = find_event(&options->events, t->event);

		if (event < 0 || !counts[event].counted)
			return (struct metric){0, NULL, row->unit};
		top += t->top * counts[event].value.mean;
		bottom += t->bottom * counts[event].value.mean;
	}
	if (!bottom)
		return (struct metric){0, NULL, row->unit};
	return (struct metric){row->factor * top / bottom, row->format, row->unit};
}
