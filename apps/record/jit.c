/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes along the names of code that programs generate at run time: /tmp/perf-PID.map and jitdump
 * files (Linux tools/perf/Documentation: jit-interface.txt, jitdump-specification.txt). Each is
 * copied beside the profile, as PROFILE.perf-PID.map and PROFILE.jit-PID.dump. */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/record/record.h"

#define PATH_SIZE 4096
#define DUMP      "/jit-%u.dump%n"

/* The files that have been seen, by process. */
static struct seen {
	uint32_t pid;
	char *dump; /* path of its jitdump file; NULL: none */
} * seen;
static size_t nr_seen;

static struct seen *seen_process(uint32_t pid)
{
	struct seen *grown;

	for (size_t i = nr_seen; i--;)
		if (seen[i].pid == pid)
			return &seen[i];
	grown = realloc(seen, (nr_seen + 1) * sizeof(*seen));
	if (!grown)
		return NULL;
	seen = grown;
	seen[nr_seen] = (struct seen){pid, NULL};
	return &seen[nr_seen++];
}

/* Returns the path if it is that of the process's jitdump file, which the process maps for us. */
static const char *dump_of(const char *path, size_t size, uint32_t pid)
{
	const char *slash = memchr(path, 0, size) ? strrchr(path, '/') : NULL;
	unsigned number;
	int length = 0;

	if (!slash || sscanf(slash, DUMP, &number, &length) != 1 || !length || slash[length])
		return NULL;
	return number == pid ? path : NULL;
}

/* PERF_RECORD_MMAP2 (man 2 perf_event_open). */
struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset, device, inode, generation;
	uint32_t protection, flags;
	char name[];
};

void jit_note(const struct perf_event_header *record)
{
	const size_t name_at = offsetof(struct mmap2_record, name);
	uint32_t pid;
	struct seen *process;
	const char *dump = NULL;

	if (record->type != PERF_RECORD_COMM && record->type != PERF_RECORD_MMAP2)
		return;
	memcpy(&pid, record + 1, sizeof(pid));
	if (record->type == PERF_RECORD_MMAP2 && record->size > name_at)
		dump = dump_of((const char *)record + name_at, record->size - name_at, pid);
	if (record->type == PERF_RECORD_MMAP2 && !dump)
		return;
	process = seen_process(pid);
	if (process && dump && !process->dump)
		process->dump = strdup(dump);
}

/* Copies a file if it can be read. False: it cannot. */
static bool copy_file(const char *from, const char *to)
{
	int source = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), target;
	static char bytes[65536];
	ssize_t n = 0;
	bool good;

	if (source < 0)
		return false;
	target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	good = target >= 0;
	while (good && (n = read(source, bytes, sizeof(bytes))) > 0)
		good = write(target, bytes, (size_t)n) == n;
	close(source);
	if (target >= 0 && close(target))
		good = false;
	return good && !n;
}

unsigned jit_copy(const char *profile)
{
	char from[PATH_SIZE], to[PATH_SIZE];
	unsigned copied = 0;

	for (size_t i = 0; i < nr_seen; i++) {
		snprintf(from, sizeof(from), "/tmp/perf-%u.map", seen[i].pid);
		snprintf(to, sizeof(to), "%s.perf-%u.map", profile, seen[i].pid);
		copied += copy_file(from, to);
		snprintf(to, sizeof(to), "%s.jit-%u.dump", profile, seen[i].pid);
		copied += seen[i].dump && copy_file(seen[i].dump, to);
	}
	return copied;
}
