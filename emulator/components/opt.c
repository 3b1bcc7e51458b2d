/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Belady's optimum, a bound for other policies: a first run writes the lines of all accesses to a
 * file in the working directory, a second one evicts the line whose next access is the furthest.
 * Source: Belady, A study of replacement algorithms for a virtual-storage computer (1966).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim.h"

enum { FIRST_RUN = 1, SECOND_RUN, AHEAD_MAX = 64 };

#define NEVER UINT64_MAX

struct opt {
	uint32_t ways;
	uint64_t *next; /* of each way: the access that uses its line next; first run: the last */
	uint64_t now;   /* accesses so far */
	FILE *log;      /* of the first run */
	/* Second run: the lines of the first one, and the next access to each. */
	uint64_t nr, *lines, *uses;
	uint64_t *misses, *strays;
};

static const struct sim_parameter parameters[] = {
    {"run", FIRST_RUN, FIRST_RUN, SECOND_RUN, "1: evicts as LRU, writes opt-*.lines; 2: reads it"},
    {NULL, 0, 0, 0, NULL},
};

/* Strays: accesses that the first run did not have at this point. */
static const char *const statistics[] = {"misses", "strays", NULL};

static void destroy(void *self)
{
	struct opt *o = self;

	if (o->log && fclose(o->log))
		fprintf(stderr, "opt: cannot write the accesses\n");
	free(o->next);
	free(o->lines);
	free(o->uses);
	free(o);
}

/* Reads the first run's lines. Returns -1 if there are none. */
static int read_lines(struct opt *o, int file)
{
	struct stat status;
	FILE *stream = fdopen(file, "r");
	uint64_t read = 0;

	if (!stream || fstat(file, &status) || status.st_size < 8)
		return -1;
	o->nr = (uint64_t)status.st_size / 8;
	o->lines = malloc(o->nr * sizeof(*o->lines));
	o->uses = malloc(o->nr * sizeof(*o->uses));
	if (o->lines && o->uses)
		read = fread(o->lines, sizeof(*o->lines), o->nr, stream);
	fclose(stream);
	return read == o->nr ? 0 : -1;
}

/* Finds for each access the next one to its line, from the last one on. Returns -1 without memory.
 */
static int link_uses(struct opt *o)
{
	struct seen {
		uint64_t line, at; /* the line plus 1; 0: free */
	} * table;
	uint64_t size = 1;

	while (size < o->nr * 2)
		size *= 2;
	table = calloc(size, sizeof(*table));
	if (!table)
		return -1;
	for (uint64_t at = o->nr; at--;) {
		uint64_t slot = (o->lines[at] * 0x9e3779b97f4a7c15) >> 20 & (size - 1);

		while (table[slot].line && table[slot].line != o->lines[at] + 1)
			slot = (slot + 1) & (size - 1);
		o->uses[at] = table[slot].line ? table[slot].at : NEVER;
		table[slot] = (struct seen){o->lines[at] + 1, at};
	}
	free(table);
	return 0;
}

static int open_lines(struct opt *o, const struct sim_host *host, uint64_t run)
{
	char name[64];
	int flags = run == FIRST_RUN ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, file;

	snprintf(name, sizeof(name), "opt-l%d-%u.lines", host->level == SIM_L3 ? 3 : 2,
		 host->processor);
	file = open(name, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (file < 0)
		return -1;
	if (run == FIRST_RUN)
		return (o->log = fdopen(file, "w")) ? 0 : -1;
	return read_lines(o, file) || link_uses(o) ? -1 : 0;
}

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct opt *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->ways = host->ways;
	o->misses = &counts[0];
	o->strays = &counts[1];
	o->next = calloc((size_t)host->sets * host->ways, sizeof(*o->next));
	if (o->next && !open_lines(o, host, values[0]))
		return o;
	destroy(o);
	return NULL;
}

/* Returns the first run's next access to the line of this one. Where the runs part it looks for the
 * access a little further on, and else takes the line as one that is not needed again. */
static uint64_t next_use(struct opt *o, uint64_t line)
{
	for (uint64_t at = o->now; at < o->nr && at < o->now + AHEAD_MAX; at++)
		if (o->lines[at] == line) {
			*o->strays += at - o->now;
			o->now = at + 1;
			return o->uses[at];
		}
	++*o->strays;
	return NEVER;
}

static void use(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct opt *o = self;
	uint64_t line = access->address / SIM_LINE_SIZE, *next = &o->next[(size_t)set * o->ways];

	if (!o->log) {
		next[way] = next_use(o, line);
		return;
	}
	next[way] = NEVER - ++o->now; /* the greatest: the least recently used */
	fwrite(&line, sizeof(line), 1, o->log);
}

static uint32_t victim(void *self, uint32_t set, const struct sim_access *access)
{
	struct opt *o = self;
	const uint64_t *next = &o->next[(size_t)set * o->ways];
	uint32_t furthest = 0;

	(void)access;
	for (uint32_t way = 1; way < o->ways; way++)
		if (next[way] > next[furthest])
			furthest = way;
	return furthest;
}

static void fill(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct opt *o = self;

	++*o->misses;
	use(self, set, way, access);
}

static const struct sim_replacement replacement = {.victim = victim, .fill = fill, .hit = use};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_REPLACEMENT,
    .levels = 1 << SIM_L2 | 1 << SIM_L3,
    .name = "opt",
    .shows = "Belady's optimum, in the second of two runs",
    .parameters = parameters,
    .statistics = statistics,
    .create = create,
    .destroy = destroy,
    .replacement = &replacement,
};

SIM_COMPONENT(component)
