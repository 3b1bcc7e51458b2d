/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the page: the table, the flame graph, samples over time, the hottest addresses, data by
 * address. */
#include "apps/report/page.h"

#include <stdlib.h>

#include "apps/report/annotate.h"
#include "apps/report/flame.h"
#include "apps/report/latency.h"
#include "apps/report/names.h"
#include "apps/report/places/places.h"
#include "apps/report/profile.h"

#define MOST_LETTERS   80 /* of a name */
#define MOST_LINES     40
#define MOST_ADDRESSES 30
#define BINS           100
#define CHART_WIDTH    1180
#define CHART_HEIGHT   140

struct chart {
	struct spot *spots; /* of all samples */
	size_t nr;
	uint64_t bins[BINS], first, last; /* ns */
};

/* Writes a name that fits the page; the pointer shows the whole. */
static void short_name(FILE *out, const char *name)
{
	char text[MOST_LETTERS + 1];

	fprintf(out, "<span title=\"");
	flame_text(out, name);
	fprintf(out, "\">");
	flame_text(out, name_cut(text, MOST_LETTERS, name));
	fprintf(out, "</span>");
}

static void table(FILE *out, const struct profile *profile)
{
	fprintf(out, "<h2>Functions</h2>\n<table><tr><th>share<th>samples<th>command<th>object"
		     "<th>function</tr>\n");
	for (size_t i = 0; i < profile->nr && i < MOST_LINES; i++) {
		const struct line *line = &profile->lines[i];

		fprintf(out, "<tr><td class=\"n\">%.2f %%<td class=\"n\">%llu<td>",
			profile->period ? 100.0 * (double)line->period / (double)profile->period
					: 0,
			(unsigned long long)line->samples);
		flame_text(out, line->command);
		fprintf(out, "<td>");
		flame_text(out, line->file);
		fprintf(out, "<td>[%c] ", line->ring);
		short_name(out, line->function);
		fprintf(out, "</tr>\n");
	}
	fprintf(out, "</table>\n");
}

/* ---- contents of samples ---- */

static bool is_sample(const struct perfdata_reader *reader, size_t i, int event)
{
	return reader->records[i].header->type == PERF_RECORD_SAMPLE &&
	       perfdata_event_of(reader, reader->records[i].header) == event;
}

/* Finds the first and last time of the event's samples. */
static void find_times(struct chart *chart, const struct perfdata_reader *reader, int event)
{
	for (size_t i = 0; i < reader->nr_records; i++) {
		if (!is_sample(reader, i, event))
			continue;
		if (!chart->nr++)
			chart->first = reader->records[i].time;
		chart->last = reader->records[i].time;
	}
}

/* The bin of a time; a file's times may be any numbers, in any order. */
static unsigned bin_of(const struct chart *chart, uint64_t time)
{
	double whole = (double)(chart->last - chart->first) + 1;
	double share = (double)(time - chart->first) / whole;

	return share < 1 ? (unsigned)(share * BINS) : BINS - 1;
}

/* `data`: by the address of the data instead of the code's. */
static void collect(struct chart *chart, const struct perfdata_reader *reader, int event, bool data)
{
	struct places *places = places_new(reader);
	size_t nr = 0;

	find_times(chart, reader, event);
	chart->spots = calloc(chart->nr + 1, sizeof(*chart->spots));
	for (size_t i = 0; chart->spots && i < reader->nr_records; i++) {
		const struct perf_event_header *record = reader->records[i].header;
		bool kernel =
		    (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
		struct perfdata_sample sample;

		if (record->type != PERF_RECORD_SAMPLE)
			places_learn(places, record);
		if (!is_sample(reader, i, event))
			continue;
		perfdata_sample(reader, record, &sample);
		chart->bins[bin_of(chart, reader->records[i].time)] += sample.period;
		chart->spots[nr++] = (struct spot){
		    data ? sample.address & ~63ul : sample.ip, sample.period, sample.weight,
		    places_find(places, sample.pid, sample.ip, kernel)};
	}
}

static int by_address(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static int by_period(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	return a->period > b->period ? -1 : a->period < b->period;
}

/* Merges spots with equal addresses, sorted by weight. Returns how many are left. */
static size_t add_up(struct chart *chart)
{
	size_t nr = 0;

	qsort(chart->spots, chart->nr, sizeof(*chart->spots), by_address);
	for (size_t i = 0; i < chart->nr; i++) {
		if (nr && chart->spots[nr - 1].address == chart->spots[i].address)
			chart->spots[nr - 1].period += chart->spots[i].period;
		else
			chart->spots[nr++] = chart->spots[i];
	}
	qsort(chart->spots, nr, sizeof(*chart->spots), by_period);
	return nr;
}

/* ---- charts ---- */

static void over_time(FILE *out, const struct chart *chart)
{
	uint64_t most = 1;

	for (int i = 0; i < BINS; i++)
		most = chart->bins[i] > most ? chart->bins[i] : most;
	fprintf(out,
		"<h2>Over time</h2>\n<p>%.3f ms; each bar is a hundredth of it.</p>\n"
		"<svg id=\"time\" viewBox=\"0 0 %d %d\" width=\"%d\">\n",
		(double)(chart->last - chart->first) / 1e6, CHART_WIDTH, CHART_HEIGHT + 20,
		CHART_WIDTH);
	for (int i = 0; i < BINS; i++) {
		double height = CHART_HEIGHT * (double)chart->bins[i] / (double)most;

		fprintf(out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
			"fill=\"#d62728\"><title>%llu events</title></rect>\n",
			CHART_WIDTH / (double)BINS * i, CHART_HEIGHT - height,
			CHART_WIDTH / (double)BINS - 1, height, (unsigned long long)chart->bins[i]);
	}
	for (int i = 0; i <= 10; i++)
		fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%.4g%s</text>\n",
			CHART_WIDTH * i / 10, CHART_HEIGHT + 16,
			!i        ? "start"
			: i == 10 ? "end"
				  : "middle",
			(double)(chart->last - chart->first) * i / 1e7, i == 10 ? " ms" : "");
	fprintf(out, "</svg>\n");
}

static void hottest(FILE *out, struct chart *chart, const char *heading, uint64_t whole)
{
	size_t nr = add_up(chart);

	fprintf(out, "<h2>%s</h2>\n<table><tr><th>share<th>address<th>function</tr>\n", heading);
	for (size_t i = 0; i < nr && i < MOST_ADDRESSES; i++) {
		fprintf(out, "<tr><td class=\"n\">%.2f %%<td class=\"n\">%llx<td>",
			100 * (double)chart->spots[i].period / (double)(whole ? whole : 1),
			(unsigned long long)chart->spots[i].address);
		short_name(out, chart->spots[i].place.function);
		if (!chart->spots[i].place.known)
			fprintf(out, "+0x%llx", (unsigned long long)chart->spots[i].place.offset);
		fprintf(out, "</tr>\n");
	}
	fprintf(out, "</table>\n");
}

void page_write(FILE *out, const struct perfdata_reader *reader, int event,
		const struct profile *profile)
{
	struct node root = {.name = "all", .ring = '.'};
	struct chart code = {NULL, 0, {0}, 0, 0}, data = {NULL, 0, {0}, 0, 0};

	tree_add(&root, reader, event, false);
	collect(&code, reader, event, false);
	fprintf(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>");
	flame_text(out, perfdata_event_name(reader, event));
	fprintf(out, "</title><style>body{font-family:sans-serif;margin:20px}"
		     "td,th{padding:1px 10px;text-align:left}td.n{text-align:right;"
		     "font-family:monospace;white-space:nowrap}"
		     "svg{max-width:100%%;height:auto;font-size:12px}</style></head><body>\n<h1>");
	flame_text(out, perfdata_event_name(reader, event));
	fprintf(out, "</h1>\n<p>%llu samples of %llu events; PMU: ",
		(unsigned long long)profile->samples, (unsigned long long)profile->period);
	flame_text(out, perfdata_string(reader, PERFDATA_CPUDESC));
	fprintf(out, "</p>\n");
	table(out, profile);
	fprintf(out, "<h2>Calls</h2>\n");
	flame_write(out, &root, "By call stack", "click: zoom; orange: ring 3, blue: kernel",
		    false);
	over_time(out, &code);
	annotate_write(out, code.spots, code.nr, profile->period);
	hottest(out, &code, "Hottest instructions", profile->period);
	if (reader->attrs[event].attr.sample_type & PERF_SAMPLE_ADDR) {
		collect(&data, reader, event, true);
		latency_write(out, data.spots, data.nr);
		hottest(out, &data, "Lines of memory", profile->period);
	}
	fprintf(out, "</body></html>\n");
	free(code.spots);
	free(data.spots);
}

bool page_annotate(FILE *out, const struct perfdata_reader *reader, int event,
		   const struct profile *profile, const char *function)
{
	struct chart code = {0};
	bool found;

	collect(&code, reader, event, false);
	found = annotate_print(out, code.spots, code.nr, profile->period, function);
	free(code.spots);
	return found;
}
