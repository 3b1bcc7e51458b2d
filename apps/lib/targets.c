/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses lists of processors and of processes. */
#include "apps/lib/targets.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_SIZE 64

static int fail(const char *app, const char *what, const char *text)
{
	fprintf(stderr, "%s: %s%s\n", app, what, text);
	return -1;
}

/* Parses one number, or two with a dash. Returns the rest of the text, or NULL. */
static const char *range(const char *text, long *low, long *high)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	*low = *high = strtol(text, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*high = strtol(end + 1, &end, 10);
	if (*end && *end != ',')
		return NULL;
	return *end ? end + 1 : end;
}

int target_cpus(const char *app, const char *list, int *cpus, int most)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN), low = 0, high = online - 1;
	const char *text = list ? list : "";
	int n = 0;

	do {
		if (list && !(text = range(text, &low, &high)))
			return fail(app, "-C wants processors like 0,2-3, not ", list);
		if (low > high || high >= online)
			return fail(app, "there is no such processor: -C ", list ? list : "");
		for (long cpu = low; cpu <= high; cpu++) {
			if (n == most)
				return fail(app, "too many processors", "");
			cpus[n++] = (int)cpu;
		}
	} while (*text);
	return n;
}

/* Returns the next number of a list; 0: the end, -1: not a number. */
static long next_pid(const char **text)
{
	char *end;
	long pid;

	if (!**text)
		return 0;
	pid = strtol(*text, &end, 10);
	if (!isdigit((unsigned char)**text) || pid < 1 || (*end && *end != ','))
		return -1;
	*text = *end ? end + 1 : end;
	return pid;
}

int target_threads(const char *app, const char *pids, pid_t *threads, int most)
{
	const char *text = pids;
	struct dirent *entry;
	char path[PATH_SIZE];
	DIR *directory;
	long pid;
	int n = 0;

	while ((pid = next_pid(&text)) > 0) {
		snprintf(path, sizeof(path), "/proc/%ld/task", pid);
		directory = opendir(path);
		if (!directory)
			return fail(app, "there is no process ", pids);
		while (n < most && (entry = readdir(directory)))
			if (isdigit((unsigned char)*entry->d_name))
				threads[n++] = atoi(entry->d_name);
		closedir(directory);
	}
	if (pid < 0 || !n)
		return fail(app, "-p wants process numbers, not ", pids);
	return n == most ? fail(app, "too many threads", "") : n;
}

bool target_lives(const char *pids)
{
	char path[PATH_SIZE];
	long pid;

	while ((pid = next_pid(&pids)) > 0) {
		snprintf(path, sizeof(path), "/proc/%ld", pid);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}
