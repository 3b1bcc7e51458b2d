/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the records of what existed before the events did, for whoever reads the file to resolve
 * addresses with. */
#include "apps/record/record.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_PID  ((uint32_t)-1)
#define PLACEHOLDER 0x1000 /* bytes of the empty kernel */

/* sample_id_all's trailer (man 2 perf_event_open): TID, TIME and IDENTIFIER, all as before time
 * began. */
static size_t trailer(const struct session *session, uint32_t pid, uint64_t *fields)
{
	size_t n = 0;

	fields[n++] = pid | (uint64_t)pid << 32;
	fields[n++] = 0; /* time */
	if (session->events[0].attr.sample_type & PERF_SAMPLE_IDENTIFIER)
		fields[n++] = session->events[0].ids[0];
	return n * sizeof(uint64_t);
}

/* Appends `fixed_size` bytes at `record`, the padded name and the trailer; `record` has room for
 * them. */
static void append(struct session *session, struct perf_event_header *record, size_t fixed_size,
		   const char *name, uint32_t pid)
{
	unsigned char *bytes = (unsigned char *)record;
	size_t length = strlen(name) + 1, padded = (length + 7) & ~(size_t)7;
	uint64_t fields[3];
	size_t fields_size = trailer(session, pid, fields);

	memset(bytes + fixed_size, 0, padded);
	memcpy(bytes + fixed_size, name, length);
	memcpy(bytes + fixed_size + padded, fields, fields_size);
	record->size = (uint16_t)(fixed_size + padded + fields_size);
	perfdata_append(&session->writer, record);
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
	    .pid = KERNEL_PID,
	    .start = start,
	    .length = length,
	    .offset = offset,
	};

	append(session, &record.header, offsetof(struct mmap_record, name), name, KERNEL_PID);
}

/*
 * FILE:START:LENGTH:OFFSET, numbers hexadecimal: the kernel's text in its ELF file. perf reads
 * symbols from a file for modules only, so the text is presented as one; the kernel proper is a
 * page below it in which nothing lies: without any, perf warns, and with the text in it perf would
 * take the symbols of the kernel that it runs on.
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

/* Linux tells where its text lies in /proc/kallsyms; perf then takes the running kernel's symbols.
 */
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

void synthesize(struct session *session, const struct options *options, pid_t pid)
{
	struct comm_record comm = {
	    .header = {PERF_RECORD_COMM, PERF_RECORD_MISC_USER, 0},
	    .pid = (uint32_t)pid,
	    .tid = (uint32_t)pid,
	};

	if (options->kernel)
		given_kernel(session, options->kernel);
	else
		running_kernel(session);
	append(session, &comm.header, offsetof(struct comm_record, name), "record", (uint32_t)pid);
}
