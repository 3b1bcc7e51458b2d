/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the PMUs' descriptions in /sys/bus/event_source/devices. */
#include "apps/lib/event/pmu_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 512

/* Reads the first line of a file, without its end. `directory`: "/events/" and the like, or "/". */
static bool read_line(const char *pmu, const char *directory, const char *name, char *line,
		      int size)
{
	char path[PATH_SIZE];
	FILE *file;
	bool good;

	if (strchr(pmu, '/') || strchr(name, '/') || *pmu == '.' || *name == '.' || !*name)
		return false;
	snprintf(path, sizeof(path), PMU_DEVICES "/%s%s%s", pmu, directory, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	good = fgets(line, size, file);
	fclose(file);
	if (good)
		line[strcspn(line, "\n")] = '\0';
	return good;
}

bool pmu_type(const char *pmu, uint32_t *type)
{
	char line[PMU_TERMS_SIZE];

	if (!read_line(pmu, "/", "type", line, sizeof(line)))
		return false;
	*type = (uint32_t)strtoul(line, NULL, 10);
	return true;
}

bool pmu_event(const char *pmu, const char *name, char terms[PMU_TERMS_SIZE])
{
	return read_line(pmu, "/events/", name, terms, PMU_TERMS_SIZE);
}

bool pmu_event_unit(const char *pmu, const char *name, char unit[PMU_UNIT_SIZE], double *scale)
{
	char file[PMU_TERMS_SIZE], line[PMU_TERMS_SIZE];

	snprintf(file, sizeof(file), "%s.unit", name);
	if (!read_line(pmu, "/events/", file, unit, PMU_UNIT_SIZE))
		return false;
	snprintf(file, sizeof(file), "%s.scale", name);
	*scale = read_line(pmu, "/events/", file, line, sizeof(line)) ? strtod(line, NULL) : 1;
	return true;
}

int pmu_first_cpu(const char *pmu)
{
	char line[PMU_TERMS_SIZE];

	return read_line(pmu, "/", "cpumask", line, sizeof(line)) ? atoi(line) : -1;
}

bool pmu_of_event(const char *name, char pmu[PMU_NAME_SIZE])
{
	char terms[PMU_TERMS_SIZE];
	DIR *devices = opendir(PMU_DEVICES);
	struct dirent *entry;
	bool found = false;

	while (devices && !found && (entry = readdir(devices))) {
		found =
		    strlen(entry->d_name) < PMU_NAME_SIZE && pmu_event(entry->d_name, name, terms);
		if (found)
			strcpy(pmu, entry->d_name);
	}
	if (devices)
		closedir(devices);
	return found;
}

/* ---- terms ---- */

/* Returns the config word that a format names: "config1:0-15". `ranges`: the part after the
 * colon. */
static __u64 *word_of(struct perf_event_attr *attr, char *format, char **ranges)
{
	*ranges = strchr(format, ':');
	if (!*ranges)
		return NULL;
	*(*ranges)++ = '\0';
	if (!strcmp(format, "config"))
		return &attr->config;
	if (!strcmp(format, "config1"))
		return &attr->config1;
	return strcmp(format, "config2") ? NULL : &attr->config2;
}

/* Moves the lowest bits of *value into bits `low` to `high` of the word. */
static void place_range(__u64 *word, uint64_t *value, unsigned low, unsigned high)
{
	unsigned bits = high - low + 1;
	uint64_t mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;

	*word = (*word & ~(mask << low)) | (*value & mask) << low;
	*value = bits < 64 ? *value >> bits : 0;
}

enum pmu_placed pmu_place(const char *pmu, const char *term, uint64_t value,
			  struct perf_event_attr *attr)
{
	char format[PMU_TERMS_SIZE], *ranges, *save = NULL;
	__u64 *word;

	if (!read_line(pmu, "/format/", term, format, sizeof(format)))
		return PMU_NO_TERM;
	word = word_of(attr, format, &ranges);
	if (!word)
		return PMU_NO_TERM;
	for (char *range = strtok_r(ranges, ",", &save); range;
	     range = strtok_r(NULL, ",", &save)) {
		unsigned low = (unsigned)strtoul(range, &range, 10), high = low;

		if (*range == '-')
			high = (unsigned)strtoul(range + 1, NULL, 10);
		if (low > high || high > 63)
			return PMU_NO_TERM;
		place_range(word, &value, low, high);
	}
	return value ? PMU_TOO_LARGE : PMU_PLACED;
}

/* ---- all of them ---- */

/* True of NAME.scale and NAME.unit, which describe an event further. */
static bool describes_event(const char *name)
{
	const char *end = strrchr(name, '.');

	return *name == '.' || (end && (!strcmp(end, ".scale") || !strcmp(end, ".unit")));
}

static int each_of(const char *pmu, void (*show)(const char *, const char *, const char *))
{
	char path[PATH_SIZE], terms[PMU_TERMS_SIZE];
	struct dirent *entry;
	DIR *events;
	int n = 0;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/events", pmu);
	events = opendir(path);
	while (events && (entry = readdir(events))) {
		if (describes_event(entry->d_name) || !pmu_event(pmu, entry->d_name, terms))
			continue;
		show(pmu, entry->d_name, terms);
		n++;
	}
	if (events)
		closedir(events);
	return n;
}

int pmu_each_event(void (*show)(const char *pmu, const char *name, const char *terms))
{
	DIR *devices = opendir(PMU_DEVICES);
	struct dirent *entry;
	int n = 0;

	while (devices && (entry = readdir(devices)))
		if (*entry->d_name != '.')
			n += each_of(entry->d_name, show);
	if (devices)
		closedir(devices);
	return n;
}
