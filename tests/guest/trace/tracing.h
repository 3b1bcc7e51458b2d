/* SPDX-License-Identifier: BSD-2-Clause */
/* Where tracefs is, and the ids of its events. */
#ifndef TESTS_GUEST_TRACING_H
#define TESTS_GUEST_TRACING_H

#include <fcntl.h>
#include <sys/mount.h>
#include "tests/guest/perf.h"

#define TRACING "/sys/kernel/tracing/"

/* Mounts tracefs unless it is mounted. */
static inline void mount_tracefs(void)
{
	if (access(TRACING "events", F_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
}

/* Whether the kernel is Linux: ours has no ftrace. */
static inline bool is_linux(void)
{
	return !access("/proc/sys/kernel/ftrace_enabled", F_OK);
}

/* The id of "system/name", 0: there is none. */
static inline uint64_t id_of(const char *event)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), TRACING "events/%s/id", event);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = 0;
	close(fd);
	return strtoull(text, NULL, 10);
}

/* An event of "system/name", off at first. */
static inline struct perf_event_attr attr_of(const char *event)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of(event));

	attr.disabled = 1;
	return attr;
}

#endif
