/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds where events are opened: on the program, on threads of other processes, on processors; and
 * which of them share a line. */
#include "apps/lib/targets.h"
#include "apps/stat/stat.h"

#include <string.h>

#define PATH_SIZE 96

static void add_place(struct targets *targets, pid_t pid, int cpu, int line)
{
	targets->places[targets->nr_places++] = (struct place){pid, cpu, line};
	targets->lines[line].places++;
}

/* Reads a number of the processor's topology in /sys; 0 if unknown. */
static unsigned topology(int cpu, const char *name)
{
	char path[PATH_SIZE];
	unsigned value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
	file = fopen(path, "re");
	if (file && fscanf(file, "%u", &value) != 1)
		value = 0;
	if (file)
		fclose(file);
	return value;
}

/* Returns the line of the processor. */
static int line_of(struct targets *targets, enum stat_lines lines, int cpu)
{
	char name[sizeof(targets->lines[0].name)] = "";
	int i = 0;

	if (lines == LINES_CORE)
		snprintf(name, sizeof(name), "S%u-D%u-C%u", topology(cpu, "physical_package_id"),
			 topology(cpu, "die_id"), topology(cpu, "core_id"));
	else if (lines == LINES_CPU)
		snprintf(name, sizeof(name), "CPU%d", cpu);
	while (i < targets->nr_lines && strcmp(targets->lines[i].name, name))
		i++;
	if (i == targets->nr_lines) {
		strcpy(targets->lines[i].name, name);
		targets->nr_lines++;
	}
	return i;
}

static int find_processors(struct targets *targets, const struct options *options)
{
	int cpus[MAX_PLACES], n = target_cpus("stat", options->cpus, cpus, MAX_PLACES);

	for (int i = 0; i < n; i++)
		add_place(targets, -1, cpus[i], line_of(targets, options->lines, cpus[i]));
	return n < 0 ? -1 : 0;
}

int targets_find(struct targets *targets, const struct options *options, pid_t pid)
{
	pid_t threads[MAX_PLACES] = {pid};
	int n = 1;

	memset(targets, 0, sizeof(*targets));
	if (options->everywhere)
		return find_processors(targets, options);
	targets->nr_lines = 1;
	if (options->pids)
		n = target_threads("stat", options->pids, threads, MAX_PLACES);
	for (int i = 0; i < n; i++)
		add_place(targets, threads[i], -1, 0);
	return n < 0 ? -1 : 0;
}
