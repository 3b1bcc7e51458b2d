/* SPDX-License-Identifier: BSD-2-Clause */
/* `barepmu compare A B`: two runs, or two directories of runs, in one table. */
#include "host/experiment/compare.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/experiment/statistics.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/plot.h"

enum { PAIRS_MAX = 256 };

/* Two runs of one program. */
struct pair {
	char *name;
	json_t *a, *b;
};

struct comparison {
	struct pair pairs[PAIRS_MAX];
	unsigned nr;
};

static bool is_directory(const char *path)
{
	struct stat info;

	if (stat(path, &info))
		die(STATUS_OURS, "cannot read '%s': %s", path, strerror(errno));
	return S_ISDIR(info.st_mode);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

/* Reads the .json files that both directories have. */
static void read_directories(struct comparison *c, const char *a, const char *b)
{
	DIR *directory = opendir(a);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);
		char *other = format_text("%s/%s", b, entry->d_name);

		if (length > 5 && !strcmp(entry->d_name + length - 5, ".json") &&
		    !access(other, R_OK) && c->nr < PAIRS_MAX)
			c->pairs[c->nr++] =
			    (struct pair){format_text("%.*s", (int)length - 5, entry->d_name),
					  statistics_read(format_text("%s/%s", a, entry->d_name)),
					  statistics_read(other)};
		free(other);
	}
	if (directory)
		closedir(directory);
	if (!c->nr)
		die(STATUS_OURS, "'%s' and '%s' have no .json files of one name", a, b);
	qsort(c->pairs, c->nr, sizeof(c->pairs[0]), by_name);
}

static const char *const ratio_names[] = {"ipc",
					  "branch-mpki",
					  "conditional-mpki",
					  "indirect-jump-mpki",
					  "indirect-call-mpki",
					  "return-mpki",
					  "l1i-mpki",
					  "l1d-load-mpki",
					  "l2-load-mpki",
					  "last-load-mpki",
					  "dtlb-mpki",
					  "l1d-prefetch-accuracy",
					  "l1d-prefetch-coverage",
					  "l2-prefetch-accuracy",
					  "l2-prefetch-coverage",
					  "l2-prefetch-timeliness",
					  "l3-prefetch-accuracy",
					  "l3-prefetch-coverage"};

static void print_number(double value)
{
	if (isnan(value))
		printf(" %12s", "-");
	else
		printf(" %12.4f", value);
}

/* All ratios of one pair. */
static void print_ratios(const struct pair *pair)
{
	printf("%-24s %12s %12s %12s\n", "", "A", "B", "B / A");
	for (size_t i = 0; i < sizeof(ratio_names) / sizeof(ratio_names[0]); i++) {
		double a = statistics_ratio(pair->a, ratio_names[i]),
		       b = statistics_ratio(pair->b, ratio_names[i]);

		if (isnan(a) && isnan(b))
			continue;
		printf("%-24s", ratio_names[i]);
		print_number(a);
		print_number(b);
		print_number(a ? b / a : NAN);
		putchar('\n');
	}
}

static double speed_up(const struct pair *pair)
{
	return statistics_ratio(pair->b, "ipc") / statistics_ratio(pair->a, "ipc");
}

/* A row for each program. The speed-up is that of IPC; its mean is the geometric one. */
static void print_programs(const struct comparison *c)
{
	static const char *const shown[] = {"ipc", "branch-mpki", "l1d-load-mpki",
					    "last-load-mpki"};
	double logarithms = 0;

	printf("%-20s %9s %9s %8s", "", "IPC A", "IPC B", "speed-up");
	for (size_t i = 1; i < sizeof(shown) / sizeof(shown[0]); i++)
		printf(" %15s A %7s B", shown[i], "");
	putchar('\n');
	for (unsigned i = 0; i < c->nr; i++) {
		const struct pair *pair = &c->pairs[i];

		printf("%-20s %9.4f %9.4f %8.4f", pair->name, statistics_ratio(pair->a, "ipc"),
		       statistics_ratio(pair->b, "ipc"), speed_up(pair));
		for (size_t j = 1; j < sizeof(shown) / sizeof(shown[0]); j++)
			printf(" %17.4f %9.4f", statistics_ratio(pair->a, shown[j]),
			       statistics_ratio(pair->b, shown[j]));
		putchar('\n');
		logarithms += log(speed_up(pair));
	}
	printf("%-20s %9s %9s %8.4f\n", "geometric mean", "", "", exp(logarithms / c->nr));
}

/* Draws bars: both IPCs of each program. */
static void draw(const struct comparison *c, const char *const paths[2], const char *picture)
{
	char *text = NULL;
	size_t bytes;
	FILE *sheet = open_memstream(&text, &bytes);

	if (!sheet)
		die(STATUS_OURS, "out of memory");
	fprintf(sheet, "Instructions per cycle\t\tA: %s, B: %s\t1\t0\t0\t\nA\tB\n", paths[0],
		paths[1]);
	for (unsigned i = 0; i < c->nr; i++)
		fprintf(sheet, "%s\t%u\t%.6f\t%.6f\n", c->pairs[i].name, i,
			statistics_ratio(c->pairs[i].a, "ipc"),
			statistics_ratio(c->pairs[i].b, "ipc"));
	fclose(sheet);
	plot_text(text, picture);
	free(text);
}

int compare_runs(char **arguments)
{
	static struct comparison c;
	const char *plot = NULL, *paths[2] = {NULL, NULL};
	unsigned nr = 0;

	for (; *arguments; arguments++) {
		if (!strcmp(*arguments, "--plot") && arguments[1])
			plot = *++arguments;
		else if (**arguments == '-')
			die(STATUS_OURS, "compare: unknown option '%s'", *arguments);
		else if (nr < 2)
			paths[nr++] = *arguments;
		else
			nr++;
	}
	if (nr != 2)
		die(STATUS_OURS, "compare wants two files or directories: barepmu compare A B");
	if (is_directory(paths[0]) != is_directory(paths[1]))
		die(STATUS_OURS, "compare wants two files, or two directories");
	if (is_directory(paths[0]))
		read_directories(&c, paths[0], paths[1]);
	else
		c.pairs[c.nr++] = (struct pair){format_text("IPC"), statistics_read(paths[0]),
						statistics_read(paths[1])};
	if (c.nr == 1)
		print_ratios(&c.pairs[0]);
	else
		print_programs(&c);
	if (plot)
		draw(&c, paths, plot);
	return 0;
}
