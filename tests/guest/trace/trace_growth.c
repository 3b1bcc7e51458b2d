/* SPDX-License-Identifier: BSD-2-Clause */
/* Costs of tracefs beside 10, 100 and 1,000 groups of probes, in instructions: a probe that
 * comes and goes and a directory that is looked up grow with a logarithm at most, lists by a
 * constant for each. */
#define _GNU_SOURCE
#include "tests/guest/trace/tracing.h"
#include <dirent.h>
#include <sys/stat.h>

static int counter, commands;

static void command(const char *format, unsigned number)
{
	char text[128];
	int bytes = snprintf(text, sizeof(text), format, number);

	if (write(commands, text, (size_t)bytes) != bytes)
		printf("# %s: errno %d\n", text, errno);
}

static void more_groups(unsigned from, unsigned to)
{
	for (; from < to; from++)
		command("p:g%u/e /proc/self/exe:0x1000\n", from);
}

static void come_and_go(void)
{
	command("p:another/e%u /proc/self/exe:0x1000\n", 0);
	command("-:another/e%u\n", 0);
}

static void look_up(void)
{
	struct stat status;

	stat(TRACING "events/g9/e/id", &status);
}

static void list_directories(void)
{
	DIR *directory = opendir(TRACING "events");

	while (directory && readdir(directory))
		;
	if (directory)
		closedir(directory);
}

static void list_events(void)
{
	static char text[1 << 20];
	int fd = open(TRACING "available_events", O_RDONLY);

	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

static uint64_t cost(void (*what)(void))
{
	uint64_t before;

	what();
	before = perf_value(counter);
	what();
	return perf_value(counter) - before;
}

static const struct {
	const char *name;
	void (*what)(void);
	uint64_t each; /* instructions that one more group may cost; 0: none */
} cases[] = {
    {"a probe comes and goes", come_and_go, 0},
    {"a probe's directory", look_up, 0},
    {"the list of directories", list_directories, 3000},
    {"available_events", list_events, 3000},
};

#define NR_CASES (sizeof(cases) / sizeof(cases[0]))

int main(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t costs[3][NR_CASES];

	mount_tracefs();
	counter = perf_try(&attr, 0, -1, -1, 0);
	if (counter < 0)
		return tap_skip_all("no counter of instructions");
	commands = open(TRACING "uprobe_events", O_WRONLY | O_APPEND);
	for (unsigned i = 0, n = 10; n <= 1000; n *= 10, i++) {
		more_groups(n == 10 ? 0 : n / 10, n);
		for (unsigned c = 0; c < NR_CASES; c++)
			costs[i][c] = cost(cases[c].what);
	}
	for (unsigned c = 0; c < NR_CASES; c++) {
		uint64_t grown = costs[2][c] - costs[1][c],
			 most = cases[c].each ? 900 * cases[c].each : costs[0][c] + 500;

		printf("# %s: %lu %lu %lu\n", cases[c].name, costs[0][c], costs[1][c], costs[2][c]);
		ok((int64_t)grown < (int64_t)most, "%s", cases[c].name);
	}
	close(commands);
	close(open(TRACING "uprobe_events", O_WRONLY | O_TRUNC));
	return tap_end();
}
