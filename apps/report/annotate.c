/* SPDX-License-Identifier: BSD-2-Clause */
/* Disassembles the hottest functions with objdump, and puts the share of each instruction beside
 * it. */
#include "apps/report/annotate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/report/flame.h"
#include "apps/report/names.h"

#define MOST_FUNCTIONS 5
#define MOST_BYTES     65536 /* of a function */
#define MOST_LINE      4096
#define LABEL          60 /* bytes of a jump's target; a longer name loses its middle */

struct hot {
	const struct place *place; /* of one of its samples */
	uint64_t period;
};

static bool same_function(const struct place *a, const struct place *b)
{
	return a->start == b->start && !strcmp(a->path, b->path);
}

static int by_period(const void *left, const void *right)
{
	const struct hot *a = left, *b = right;

	return a->period > b->period ? -1 : a->period < b->period;
}

/* Collects all functions with their events, sorted by events; `hot` has room for one per spot. */
static size_t add_up(struct hot *hot, const struct spot *spots, size_t nr)
{
	size_t count = 0, j;

	for (size_t i = 0; i < nr; i++) {
		if (!spots[i].place.path)
			continue;
		for (j = 0; j < count && !same_function(hot[j].place, &spots[i].place);)
			j++;
		if (j == count)
			hot[count++] = (struct hot){&spots[i].place, 0};
		hot[j].period += spots[i].period;
	}
	qsort(hot, count, sizeof(*hot), by_period);
	return count;
}

/* Starts objdump on the function. Returns its output, or NULL. */
static FILE *disassemble(const struct place *place, pid_t *pid)
{
	char start[64], stop[64];
	int ends[2];

	snprintf(start, sizeof(start), "--start-address=%#llx", (unsigned long long)place->start);
	snprintf(stop, sizeof(stop), "--stop-address=%#llx", (unsigned long long)place->end);
	if (pipe(ends))
		return NULL;
	*pid = fork();
	if (!*pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		if (!freopen("/dev/null", "w", stderr))
			_exit(127);
		execlp("objdump", "objdump", "-d", "-S", "-C", "-Mintel", "--no-show-raw-insn",
		       start, stop, "--", place->path, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (*pid > 0)
		return fdopen(ends[0], "r");
	close(ends[0]);
	return NULL;
}

static uint64_t events_at(const struct hot *hot, uint64_t address, const struct spot *spots,
			  size_t nr)
{
	uint64_t events = 0;

	for (size_t i = 0; i < nr; i++)
		if (spots[i].place.path && spots[i].place.address == address &&
		    same_function(hot->place, &spots[i].place))
			events += spots[i].period;
	return events;
}

/* An instruction is "  ADDRESS:<tab>TEXT"; other lines are source. */
static bool instruction(const char *line, uint64_t *address)
{
	char *end;

	*address = strtoull(line, &end, 16);
	return *line == ' ' && end[0] == ':' && end[1] == '\t';
}

/* Writes a line of the function with its share of the events, 0: none. */
typedef void line_writer(FILE *out, const char *line, double percent);

/* Replaces tabs by blanks up to the next multiple of eight columns. */
static void write_code(FILE *out, const char *line)
{
	char text[1024];
	size_t used = 0;

	for (; *line && used < sizeof(text) - 8; line++)
		do
			text[used++] = *line == '\t' ? ' ' : *line;
		while (used % 8 && *line == '\t');
	text[used] = '\0';
	flame_text(out, text);
}

static void write_row(FILE *out, const char *line, double percent)
{
	if (percent > 0)
		fprintf(out,
			"<tr style=\"background:rgba(214,39,40,%.2f)\"><td class=\"n\">%.2f %%",
			percent / 100, percent);
	else
		fprintf(out, "<tr><td>");
	fprintf(out, "<td><pre>");
	write_code(out, line);
	fprintf(out, "</pre></tr>\n");
}

/* A profile may be untrusted: control characters must not reach a terminal. */
static void print_line(FILE *out, const char *line, double percent)
{
	if (percent > 0)
		fprintf(out, "%7.2f%%  ", percent);
	else
		fprintf(out, "%10s", "");
	for (; *line; line++)
		fputc(*line == '\t' || (unsigned char)*line >= ' ' ? *line : '?', out);
	fputc('\n', out);
}

/* Cuts the name in "<NAME>" at the line's end. */
static void cut_label(char *line)
{
	char *begin = strchr(line, '<'), *end = strrchr(line, '>'), cut[LABEL + 1];

	if (!begin || !end || end[1])
		return;
	*end = '\0';
	name_cut(cut, LABEL, begin + 1);
	sprintf(begin, "<%s>", cut);
}

/* Passes each line of the function to `write`. False: objdump shows none. */
static bool each_line(FILE *out, const struct hot *hot, const struct spot *spots, size_t nr,
		      line_writer *write)
{
	char line[MOST_LINE];
	bool begun = false;
	pid_t pid = -1;
	FILE *from = disassemble(hot->place, &pid);
	uint64_t address;

	while (from && fgets(line, sizeof(line), from)) {
		bool code = instruction(line, &address);

		line[strcspn(line, "\n")] = 0;
		if (begun && code)
			cut_label(line);
		if (begun && *line)
			write(out, line,
			      code && hot->period
				  ? 100 * (double)events_at(hot, address, spots, nr) /
					(double)hot->period
				  : 0);
		begun |= strstr(line, ">:") != NULL;
	}
	if (from)
		fclose(from);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return begun;
}

static void write_function(FILE *out, const struct hot *hot, const struct spot *spots, size_t nr)
{
	fprintf(out, "<table class=\"code\">\n");
	if (!each_line(out, hot, spots, nr, write_row))
		fprintf(out, "<tr><td>objdump shows nothing of it.</tr>\n");
	fprintf(out, "</table>\n");
}

void annotate_write(FILE *out, const struct spot *spots, size_t nr, uint64_t whole)
{
	struct hot *hot = calloc(nr + 1, sizeof(*hot));
	size_t count = hot ? add_up(hot, spots, nr) : 0;

	fprintf(out, "<h2>Code</h2>\n<style>pre{margin:0}table.code{margin-bottom:20px;"
		     "display:block;overflow-x:auto}</style>\n");
	for (size_t i = 0; i < count && i < MOST_FUNCTIONS; i++) {
		const struct place *place = hot[i].place;

		fprintf(out, "<h3>");
		flame_text(out, place->function);
		fprintf(out, ", %.2f %%</h3>\n",
			100 * (double)hot[i].period / (double)(whole ? whole : 1));
		if (place->end - place->start <= MOST_BYTES)
			write_function(out, &hot[i], spots, nr);
	}
	free(hot);
}

static void print_function(FILE *out, const struct hot *hot, const struct spot *spots, size_t nr,
			   uint64_t whole)
{
	fprintf(out, "\n%s, %.2f %% of all events:\n\n", hot->place->function,
		100 * (double)hot->period / (double)(whole ? whole : 1));
	if (hot->place->end - hot->place->start > MOST_BYTES)
		fprintf(out, "    more than %d KiB: not shown\n", MOST_BYTES / 1024);
	else if (!each_line(out, hot, spots, nr, print_line))
		fprintf(out, "    objdump shows nothing of %s\n", hot->place->path);
}

bool annotate_print(FILE *out, const struct spot *spots, size_t nr, uint64_t whole,
		    const char *function)
{
	struct hot *hot = calloc(nr + 1, sizeof(*hot));
	size_t count = hot ? add_up(hot, spots, nr) : 0;
	bool found = false;

	for (size_t i = 0; i < count && (function || !found); i++) {
		if (function && !name_matches(hot[i].place->function, function))
			continue;
		found = true;
		print_function(out, &hot[i], spots, nr, whole);
	}
	free(hot);
	return found;
}
