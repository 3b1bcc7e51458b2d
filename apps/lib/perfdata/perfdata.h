/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data files: their format (Linux tools/perf/Documentation/perf.data-file-format.txt), a
 * writer and a reader. */
#ifndef APPS_LIB_PERFDATA_H
#define APPS_LIB_PERFDATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/linux/perf_event.h"
#include "apps/lib/event/event.h"
#include "apps/lib/event/pmu_id.h"

#define PERFDATA_MAGIC   "PERFILE2"
#define PERFDATA_MAX_IDS 256        /* processors of one event */
#define PERFDATA_KERNEL  UINT32_MAX /* pid of mappings of the kernel */

struct perfdata_section {
	uint64_t offset, size;
};

struct perfdata_header {
	char magic[8];
	uint64_t size;      /* of this header */
	uint64_t attr_size; /* of one struct perfdata_attr */
	struct perfdata_section attrs, data, event_types;
	uint64_t features[4]; /* bit map */
};

struct perfdata_attr {
	struct perf_event_attr attr;
	struct perfdata_section ids;
};

_Static_assert(sizeof(struct perfdata_header) == 104, "perf.data header");

/* Bits of `features`; each has a section, in this order, after the data. */
enum perfdata_feature {
	PERFDATA_BUILD_ID = 2,
	PERFDATA_HOSTNAME,
	PERFDATA_OSRELEASE,
	PERFDATA_VERSION,
	PERFDATA_ARCH,
	PERFDATA_NRCPUS,
	PERFDATA_CPUDESC,
	PERFDATA_CPUID,
	PERFDATA_TOTAL_MEM,
	PERFDATA_CMDLINE,
	PERFDATA_EVENT_DESC,
	PERFDATA_BRANCH_STACK = 15,
	PERFDATA_PMU_MAPPINGS,
	PERFDATA_AUXTRACE = 18,
	PERFDATA_SAMPLE_TIME = 21,
};

/* The header in a pipe: records replace the rest of a file's header
 * (tools/lib/perf/include/perf/event.h). */
struct perfdata_pipe_header {
	char magic[8];
	uint64_t size; /* of this header: it distinguishes a pipe from a file */
};

enum perfdata_pipe_record {
	PERFDATA_RECORD_ATTR = 64,
	PERFDATA_RECORD_EVENT_UPDATE = 78,
	PERFDATA_RECORD_FEATURE = 80,
};

#define PERFDATA_UPDATE_NAME 2 /* an EVENT_UPDATE with the name */

/* One opened event and its ids, one for each processor. */
struct perfdata_event {
	struct perf_event_attr attr;
	char name[EVENT_NAME_SIZE];
	uint64_t ids[PERFDATA_MAX_IDS];
	uint32_t nr_ids;
};

struct perfdata_writer {
	FILE *file;
	bool pipe; /* it cannot seek: perf's format for pipes */
	const struct perfdata_event *events;
	int nr_events;
	struct perfdata_header header;
	uint64_t first_time, last_time; /* of samples, ns */
	uint64_t samples, lost;
	/* Hardware traces (perfdata_aux.h): where their pieces are, and their bytes. */
	struct perfdata_section *aux_index;
	size_t nr_aux;
	uint64_t aux_bytes;
};

/* The sample_type bits up to TIME in the order of a sample; every event that is written has
 * them. */
#define PERFDATA_SAMPLE_TYPE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

/* The data of the feature sections. */
struct perfdata_origin {
	const struct pmu_id *pmu;
	int argc;
	char **argv;
};

/* Starts a file at `path`. Returns 0, or -1 and errno. `events` must stay until the end. */
int perfdata_begin(struct perfdata_writer *writer, const char *path,
		   const struct perfdata_event *events, int nr_events);
/* As perfdata_begin(), on a descriptor `fd` that cannot seek: perf's format for pipes. */
int perfdata_begin_pipe(struct perfdata_writer *writer, int fd, const struct perfdata_event *events,
			int nr_events, const struct perfdata_origin *origin);
/* Appends one whole record and updates the totals (samples, lost, times). */
void perfdata_append(struct perfdata_writer *writer, const struct perf_event_header *record);
/* Writes the feature sections and the final header, and closes the file. Returns 0, or -1 and
 * errno. */
int perfdata_end(struct perfdata_writer *writer, const struct perfdata_origin *origin);

/* Shared by the files of the writer: append bytes, a string in the sections' form, the section of
 * one feature. */
void perfdata_put(struct perfdata_writer *writer, const void *bytes, size_t size);
void perfdata_put_feature(struct perfdata_writer *writer, enum perfdata_feature feature,
			  const struct perfdata_origin *origin);
/* Ends a file of perfdata_begin_pipe(). Returns 0, or -1 and errno. */
int perfdata_end_pipe(struct perfdata_writer *writer);

/* A record and its time. */
struct perfdata_record {
	const struct perf_event_header *header;
	uint64_t time;  /* ns */
	uint64_t order; /* in the file */
};

struct perfdata_reader {
	const char *path; /* perfdata_read()'s */
	unsigned char *bytes;
	size_t size;
	const struct perfdata_header *header;
	const struct perfdata_attr *attrs;
	int nr_attrs;
	struct perfdata_record *records; /* by time */
	size_t nr_records;
};

/* The fields of a sample that `report` uses. */
struct perfdata_sample {
	uint64_t ip, time, period;
	uint64_t address;      /* of the data; 0: not known */
	uint64_t weight;       /* cycles of the access; 0: not known */
	const uint64_t *chain; /* the call chain with its PERF_CONTEXT_* marks, innermost first */
	uint64_t nr_chain;
	const struct perf_branch_entry *branches; /* the newest first */
	uint64_t nr_branches;
	bool branches_are_calls;    /* the processor's stack of calls that have not returned */
	const uint64_t *registers;  /* of ring 3, the ones in `register_mask`; NULL: none */
	uint64_t register_mask;     /* bits of enum perf_event_x86_regs */
	const unsigned char *stack; /* a copy from the user's stack pointer on; NULL: none */
	uint64_t stack_bytes;
	uint32_t pid, tid;
};

/* Reads a file that the writer wrote (or perf, with the same sample fields). Returns 0, or -1 with
 * a line in `error`. */
int perfdata_read(struct perfdata_reader *reader, const char *path, char error[EVENT_ERROR_SIZE]);
/* Returns the event of `record` (a sample), as an index of attrs. */
int perfdata_event_of(const struct perfdata_reader *reader, const struct perf_event_header *record);
void perfdata_sample(const struct perfdata_reader *reader, const struct perf_event_header *record,
		     struct perfdata_sample *sample);
/* Reads a field, one bit of enum perf_event_sample_format, of the trailer that sample_id_all
 * appends to other records than samples. False: the record has none. */
bool perfdata_trailer(const struct perfdata_reader *reader, const struct perf_event_header *record,
		      uint64_t field, uint64_t *value);
/* Looks up event `event` in the sample of a group: sets *value to the count of its id number *which
 * (below PERFDATA_MAX_IDS). False: not in the sample. */
bool perfdata_count(const struct perfdata_reader *reader, const struct perf_event_header *record,
		    int event, uint64_t *which, uint64_t *value);
/* Returns a feature section, or NULL when the file has none. */
const void *perfdata_feature(const struct perfdata_reader *reader, enum perfdata_feature feature,
			     size_t *size);
/* Returns a feature that is one string (host name, CPU description, ...), or "". */
const char *perfdata_string(const struct perfdata_reader *reader, enum perfdata_feature feature);
/* Returns the build id of the kernel that ran, which has `*size` bytes; NULL: unknown. */
const unsigned char *perfdata_kernel_id(const struct perfdata_reader *reader, size_t *size);
/* Returns the name of event `index`, or "". */
const char *perfdata_event_name(const struct perfdata_reader *reader, int index);

#endif
