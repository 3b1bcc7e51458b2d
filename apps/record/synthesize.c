/* SPDX-License-Identifier: BSD-2-Clause */
/* Synthesizes records of the state before the events, so that readers of the file can resolve
 * addresses. */
#include "apps/lib/perfdata/perfdata.h"
#include "apps/record/record.h"

#include <ctype.h>
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACEHOLDER 0x1000 /* bytes of the empty kernel */

/* Writes the sample_id trailer (man 2 perf_event_open), TID, TIME, CPU and IDENTIFIER, with time 0
 * on processor 0. Returns its size. */
static size_t trailer(const struct session *session, uint32_t pid, uint64_t *fields)
{
	size_t n = 0;

	fields[n++] = pid | (uint64_t)pid << 32;
	fields[n++] = 0; /* time */
	if (session->events[0].attr.sample_type & PERF_SAMPLE_CPU)
		fields[n++] = 0;
	if (session->events[0].attr.sample_type & PERF_SAMPLE_IDENTIFIER)
		fields[n++] = session->events[0].ids[0];
	return n * sizeof(uint64_t);
}

/* Appends a record: `fixed_size` bytes at `record`, the padded name and the trailer; `record` has
 * room for them. */
static void append(struct session *session, struct perf_event_header *record, size_t fixed_size,
		   const char *name, uint32_t pid)
{
	unsigned char *bytes = (unsigned char *)record;
	size_t length = strlen(name) + 1, padded = (length + 7) & ~(size_t)7;
	uint64_t fields[4];
	size_t fields_size = trailer(session, pid, fields);

	memset(bytes + fixed_size, 0, padded);
	memcpy(bytes + fixed_size, name, length);
	memcpy(bytes + fixed_size + padded, fields, fields_size);
	record->size = (uint16_t)(fixed_size + padded + fields_size);
	output_record(session, record);
}

struct mmap_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	char name[4096 + 64];
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[64];
};

static void kernel_map(struct session *session, uint64_t start, uint64_t length, uint64_t offset,
		       const char *name)
{
	struct mmap_record record = {
	    .header = {PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, 0},
	    .pid = PERFDATA_KERNEL,
	    .start = start,
	    .length = length,
	    .offset = offset,
	};

	append(session, &record.header, offsetof(struct mmap_record, name), name, PERFDATA_KERNEL);
}

/*
 * FILE:START:LENGTH:OFFSET, numbers hexadecimal: the kernel's text in its ELF file. perf reads
 * symbols from a file for modules only, so the text is presented as one. The kernel proper is an
 * empty page below it: without any, perf warns, and with the text in it perf would take the symbols
 * of the kernel that it runs on.
 */
static void given_kernel(struct session *session, const char *text)
{
	char name[4096];
	uint64_t numbers[3] = {0}; /* start, length, offset */
	int i = 3;

	snprintf(name, sizeof(name), "%s", text);
	while (i > 0) {
		char *colon = strrchr(name, ':');

		if (!colon)
			break;
		numbers[--i] = strtoull(colon + 1, NULL, 16);
		*colon = '\0';
	}
	if (i || !*name) {
		fprintf(stderr, "record: -K wants FILE:START:LENGTH:OFFSET, not '%s'\n", text);
		return;
	}
	kernel_map(session, numbers[0] - PLACEHOLDER, PLACEHOLDER, numbers[0] - PLACEHOLDER,
		   "[kernel.kallsyms]_text");
	kernel_map(session, numbers[0], numbers[1], numbers[2], name);
}

/* On Linux /proc/kallsyms has the bounds of the text; perf then uses the running kernel's
 * symbols. */
static void running_kernel(struct session *session)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long address, start = 0, end = 0;
	char line[512], name[256];

	while (file && !(start && end) && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %*c %255s", &address, name) != 2)
			continue;
		if (!strcmp(name, "_stext"))
			start = address;
		if (!strcmp(name, "_etext"))
			end = address;
	}
	if (file)
		fclose(file);
	if (start && end)
		kernel_map(session, start, end - start, start, "[kernel.kallsyms]_stext");
}

static void process_name(struct session *session, uint32_t pid, uint32_t tid, const char *name)
{
	struct comm_record comm = {
	    .header = {PERF_RECORD_COMM, PERF_RECORD_MISC_USER, 0}, .pid = pid, .tid = tid};
	char cut[16];

	snprintf(cut, sizeof(cut), "%.15s", name);
	append(session, &comm.header, offsetof(struct comm_record, name), cut, pid);
}

/* Writes the mappings of a process: text, and the tables beside it. */
static void process_maps(struct session *session, uint32_t pid)
{
	char path[64], line[4096 + 128], rights[8];
	struct mmap_record record;
	unsigned long start, end, offset;
	uint16_t misc;
	int name_at;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		name_at = 0;
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, rights, &offset,
			   &name_at) < 4 ||
		    !name_at || !line[name_at])
			continue;
		misc = rights[2] == 'x' ? PERF_RECORD_MISC_USER
					: PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA;
		record = (struct mmap_record){.header = {PERF_RECORD_MMAP, misc, 0},
					      .pid = pid,
					      .tid = pid,
					      .start = start,
					      .length = end - start,
					      .offset = offset};
		append(session, &record.header, offsetof(struct mmap_record, name), line + name_at,
		       pid);
	}
	if (maps)
		fclose(maps);
}

/* Writes the threads' names and the mappings of a process that ran before. */
static void running_process(struct session *session, uint32_t pid)
{
	char path[96], name[64];
	struct dirent *entry;
	DIR *threads;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%.20s/comm", pid, entry->d_name);
		file = fopen(path, "re");
		if (file && fgets(name, sizeof(name), file)) {
			name[strcspn(name, "\n")] = '\0';
			process_name(session, pid, (uint32_t)atoi(entry->d_name), name);
		}
		if (file)
			fclose(file);
	}
	if (threads)
		closedir(threads);
	process_maps(session, pid);
}

static void running_processes(struct session *session)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)*entry->d_name))
			running_process(session, (uint32_t)atoi(entry->d_name));
	if (processes)
		closedir(processes);
}

void synthesize(struct session *session, pid_t pid)
{
	const struct options *options = session->options;

	aux_describe(session);
	if (options->kernel)
		given_kernel(session, options->kernel);
	else
		running_kernel(session);
	if (options->everywhere || options->pids)
		running_processes(session);
	else
		process_name(session, (uint32_t)pid, (uint32_t)pid, "record");
}
