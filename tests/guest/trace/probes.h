/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes in the test's own program: the offsets of its functions in its file. */
#ifndef TESTS_GUEST_PROBES_H
#define TESTS_GUEST_PROBES_H

#include "tests/guest/trace/tracing.h"

static char probe_path[256]; /* of this program */

/* Returns the address's offset in the file. */
static inline uint64_t file_offset(const void *address)
{
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t found = 0;
	char line[512];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    (uintptr_t)address >= start && (uintptr_t)address < end)
			found = offset + ((uintptr_t)address - start);
	fclose(maps);
	return found;
}

static inline struct perf_event_attr uprobe_attr(const void *address, bool returns)
{
	struct perf_event_attr attr = perf_attr(pmu_type("uprobe"), returns);

	if (!*probe_path && readlink("/proc/self/exe", probe_path, sizeof(probe_path) - 1) < 0)
		printf("# no /proc/self/exe\n");
	attr.uprobe_path = (uintptr_t)probe_path;
	attr.probe_offset = file_offset(address);
	return attr;
}

/* Counts executions of the instruction, or returns of the function, by this task. */
static inline int uprobe_count(const void *address, bool returns)
{
	struct perf_event_attr attr = uprobe_attr(address, returns);

	return perf_try(&attr, 0, -1, -1, 0);
}

/* Writes to a file of tracefs: 0 or a negative errno. */
static inline int tracefs_write(const char *file, const char *text, int flags)
{
	char path[128];
	int fd, result;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | flags);
	if (fd < 0)
		return -errno;
	result = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return result;
}

#endif
