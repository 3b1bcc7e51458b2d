/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a timeline: a row a level of calls, the threads below each other. */
#include "host/trace/timeline.h"

#include <stdlib.h>

#include "apps/report/flame.h"
#include "host/lib/array.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define MARGIN 10

static struct timeline_thread *thread_of(struct timeline *timeline,
					 const struct trace_thread *thread)
{
	struct timeline_thread *found;

	for (size_t i = 0; i < timeline->nr_threads; i++)
		if (timeline->threads[i].tid == thread->tid)
			return &timeline->threads[i];
	timeline->threads =
	    array_grow(timeline->threads, timeline->nr_threads, sizeof(*timeline->threads));
	found = &timeline->threads[timeline->nr_threads++];
	*found = (struct timeline_thread){.tid = thread->tid};
	return found;
}

static size_t new_bar(struct timeline *timeline)
{
	timeline->bars = array_grow(timeline->bars, timeline->nr, sizeof(*timeline->bars));
	return timeline->nr++;
}

/* Joins the call with the row's last bar, if both are short and near. */
static bool join(const struct timeline *timeline, struct timeline_bar *bar,
		 const struct trace_frame *frame, uint64_t end)
{
	if (end - frame->begin >= timeline->shortest || frame->begin < bar->end ||
	    end - bar->begin >= timeline->shortest)
		return false;
	if (bar->name != frame->function)
		bar->name = NULL;
	bar->end = end;
	bar->calls++;
	return true;
}

static void leave(void *context, const struct trace_thread *thread)
{
	struct timeline *timeline = context;
	const struct trace_frame *frame = &thread->frames[thread->nr - 1];
	struct timeline_thread *mine = thread_of(timeline, thread);
	unsigned level = thread->nr - 1;
	size_t bar;

	if (!mine->command || !frame->site)
		mine->command =
		    places_find(timeline->source->places, thread->pid, 0, false).command;
	if (level >= TIMELINE_ROWS)
		return;
	if (level >= mine->levels)
		mine->levels = level + 1;
	if (mine->last[level] &&
	    join(timeline, &timeline->bars[mine->last[level] - 1], frame, thread->now))
		return;
	bar = new_bar(timeline);
	mine->last[level] = bar + 1;
	timeline->bars[bar] = (struct timeline_bar){.name = frame->function,
						    .begin = frame->begin,
						    .end = thread->now,
						    .calls = 1,
						    .tid = thread->tid,
						    .level = level};
}

struct trace_listener timeline_collect(struct timeline *timeline)
{
	return (struct trace_listener){.context = timeline, .leave = leave};
}

static void draw_bar(const struct timeline_bar *bar, FILE *out, uint64_t first, uint64_t last,
		     unsigned row)
{
	double whole = last > first ? (double)(last - first) : 1;
	char name[256], tip[512], colour[FLAME_COLOUR_BYTES];

	if (bar->calls == 1)
		snprintf(name, sizeof(name), "%s", bar->name);
	else
		snprintf(name, sizeof(name), "%s (%lu calls)", bar->name ? bar->name : "...",
			 (unsigned long)bar->calls);
	snprintf(tip, sizeof(tip), "%s: at %.3f us, took %.3f us", name,
		 (double)(bar->begin - first) / 1000, (double)(bar->end - bar->begin) / 1000);
	flame_colour(colour, bar->name ? bar->name : "", false);
	flame_bar(out, &(struct flame_bar){.name = name,
					   .label = name,
					   .tip = tip,
					   .colour = colour,
					   .begin = (double)(bar->begin - first) / whole,
					   .share = (double)(bar->end - bar->begin) / whole,
					   .y = FLAME_TOP + FLAME_ROW * row});
}

static void draw_thread(const struct timeline *timeline, const struct timeline_thread *thread,
			FILE *out, uint64_t first, uint64_t last, unsigned row)
{
	char *head = format_text("%s, thread %u", thread->command, thread->tid);

	fprintf(out, "<text x=\"%d\" y=\"%u\" font-weight=\"bold\">", MARGIN,
		FLAME_TOP + FLAME_ROW * row + FLAME_ROW - 5);
	flame_text(out, head);
	fprintf(out, "</text>\n");
	free(head);
	for (size_t i = 0; i < timeline->nr; i++)
		if (timeline->bars[i].tid == thread->tid)
			draw_bar(&timeline->bars[i], out, first, last,
				 row + 1 + timeline->bars[i].level);
}

void timeline_draw(const struct timeline *timeline, FILE *out, uint64_t first, uint64_t last,
		   const char *title)
{
	unsigned rows = 0, row = 0;
	char *note = format_text("width: time, %.3f us in all; a row a level of calls",
				 (double)(last - first) / 1000);

	for (size_t i = 0; i < timeline->nr_threads; i++)
		rows += timeline->threads[i].levels + 2;
	flame_begin(out, FLAME_TOP + FLAME_ROW * rows + MARGIN, title, note);
	for (size_t i = 0; i < timeline->nr_threads; i++) {
		draw_thread(timeline, &timeline->threads[i], out, first, last, row);
		row += timeline->threads[i].levels + 2;
	}
	flame_end(out);
	free(note);
}
