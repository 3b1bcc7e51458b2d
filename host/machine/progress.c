/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress line: what runs, for how long, and how many lines it has printed. */
#include "host/machine/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_SECOND  2
#define QUIET_SECONDS 1 /* after output, before the line comes back */

static struct {
	const char *what;
	int limit; /* seconds; 0: none */
	bool after_output, is_terminal;
	bool shown, in_line; /* in_line: the program's last line is not ended */
	int last;            /* the second that was shown */
	size_t lines;
	double start, output_at;
} progress;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_begin(const char *what, int limit, bool after_output)
{
	progress.what = what;
	progress.limit = limit;
	progress.after_output = after_output;
	progress.is_terminal = isatty(STDERR_FILENO);
	progress.start = now();
}

void progress_hide(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
	fflush(stderr);
}

void progress_output(const void *bytes, size_t size)
{
	const char *text = bytes;

	progress_hide();
	if (!size)
		return;
	for (size_t i = 0; i < size; i++)
		progress.lines += text[i] == '\n';
	progress.in_line = text[size - 1] != '\n';
	progress.output_at = now();
}

/* True while the line would disturb the program's own output. */
static bool must_wait(double time)
{
	if (!progress.output_at)
		return false;
	return !progress.after_output || progress.in_line ||
	       time - progress.output_at < QUIET_SECONDS;
}

void progress_show(const char *state)
{
	double time = now();
	int elapsed = (int)(time - progress.start);

	if (!progress.is_terminal || elapsed < FIRST_SECOND || elapsed == progress.last ||
	    must_wait(time))
		return;
	progress.last = elapsed;
	progress.shown = true;
	fprintf(stderr, "\r\033[Kbarepmu: %s is %s, %d s", progress.what, state, elapsed);
	if (progress.limit)
		fprintf(stderr, " of at most %d", progress.limit);
	if (progress.lines)
		fprintf(stderr, ", %zu line%s so far", progress.lines,
			progress.lines == 1 ? "" : "s");
	fflush(stderr);
}
