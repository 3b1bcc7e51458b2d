/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data files of any bytes, as `report` reads them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "apps/lib/perfdata/perfdata.h"
#include "tests/harness/bytes.h"

/* Reads the last element of each array of the sample: the sanitizer finds a wrong length. */
static void read_ends(const struct perfdata_sample *sample)
{
	static volatile uint64_t seen;

	if (sample->nr_chain)
		seen = sample->chain[sample->nr_chain - 1];
	if (sample->nr_branches)
		seen = sample->branches[sample->nr_branches - 1].to;
	if (sample->registers && sample->register_mask)
		seen = sample->registers[__builtin_popcountll(sample->register_mask) - 1];
	if (sample->stack_bytes)
		seen = sample->stack[sample->stack_bytes - 1];
	(void)seen;
}

static void read_all(const struct perfdata_reader *reader)
{
	struct perfdata_sample sample;
	size_t size;

	for (size_t i = 0; i < reader->nr_records; i++) {
		if (reader->records[i].header->type != PERF_RECORD_SAMPLE)
			continue;
		perfdata_sample(reader, reader->records[i].header, &sample);
		read_ends(&sample);
		perfdata_event_of(reader, reader->records[i].header);
	}
	for (int i = 0; i < reader->nr_attrs && i < 8; i++)
		(void)strlen(perfdata_event_name(reader, i));
	for (unsigned feature = 0; feature < 32; feature++)
		perfdata_feature(reader, feature, &size);
	(void)strlen(perfdata_string(reader, PERFDATA_CPUDESC));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;
	struct perfdata_reader reader;
	char error[EVENT_ERROR_SIZE];

	if (fd < 0)
		fd = memfd_create("perf.data", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	if (perfdata_read(&reader, path, error) == 0)
		read_all(&reader);
	free((void *)reader.attrs);
	free(reader.records);
	free(reader.bytes);
	return 0;
}
