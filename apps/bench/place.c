/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which sets of the data cache, which code and which branches the harness uses itself between
 * its two readings of the counters: what measured code may collide with. */
#define _GNU_SOURCE
#include <sched.h>

#include "abi/page.h"
#include "apps/bench/bench.h"

#define LINE 64

/* Returns the sets of the first-level data cache, or 0 if this machine does not say. */
static unsigned data_sets(void)
{
	char path[96];
	unsigned sets = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index0/number_of_sets",
		 sched_getcpu());
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%u", &sets) != 1)
		sets = 0;
	fclose(file);
	return sets;
}

static unsigned page_offset(const void *address)
{
	return (unsigned)((uint64_t)address % PAGE);
}

static void print_range(unsigned from, unsigned to)
{
	fprintf(stderr, "%u", from);
	if (to != from)
		fprintf(stderr, " to %u", to);
}

/* Prints the data's place. A cache with more sets than a page has lines takes more bits of the
 * physical address than are known here. */
static void print_data(const void *start, const void *last)
{
	unsigned sets = data_sets(), lines = PAGE / LINE;
	unsigned from, to;

	if (sets && sets <= lines)
		lines = sets;
	from = page_offset(start) / LINE % lines;
	to = page_offset(last) / LINE % lines;
	fprintf(stderr, "data in %s%s ", lines == sets ? "L1D set" : "line", from == to ? "" : "s");
	print_range(from, to < from ? lines - 1 : to);
	if (to < from) {
		fprintf(stderr, " and ");
		print_range(0, to);
	}
	fprintf(stderr, " of %u%s", lines, lines == sets ? "" : " of its page");
}

void place_print(const struct job *job, const struct harness *h, int nr)
{
	if (*job->label)
		fprintf(stderr, "%s: ", job->label);
	fprintf(stderr, "harness: ");
	print_data(&h->block->rax, (const uint8_t *)&h->block->counts[nr] - 1);
	fprintf(stderr, ", code at page offset");
	for (int i = 0; i < 2; i++)
		fprintf(stderr, "%s 0x%03x to 0x%03x", i ? " and" : "",
			page_offset(h->readings[i][0]), page_offset(h->readings[i][1] - 1));
	fprintf(stderr, ", ");
	if (h->branch)
		fprintf(stderr, "its branch at page offset 0x%03x\n", page_offset(h->branch));
	else
		fprintf(stderr, "no branches\n");
}
