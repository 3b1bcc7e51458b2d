/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the kernel's build id from a perf.data file of perf's: tools/lib/perf/include/perf/event.h,
 * "perf_record_header_build_id". */
#include <string.h>

#include "apps/lib/perfdata/perfdata.h"

#define ID_BYTES      20
#define MISC_HAS_SIZE (1 << 15)

struct build_id_record {
	struct perf_event_header header;
	int32_t pid;
	unsigned char id[ID_BYTES];
	uint8_t id_size; /* if MISC_HAS_SIZE is set; otherwise the id is whole */
	uint8_t reserved[3];
	char name[];
};

static bool is_kernel(const struct perf_event_header *header)
{
	return (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

const unsigned char *perfdata_kernel_id(const struct perfdata_reader *reader, size_t *size)
{
	size_t left;
	const unsigned char *at = perfdata_feature(reader, PERFDATA_BUILD_ID, &left);
	struct build_id_record record;

	for (; at && left >= sizeof(record); at += record.header.size, left -= record.header.size) {
		memcpy(&record, at, sizeof(record));
		if (record.header.size < sizeof(record) || record.header.size > left)
			break;
		if (!is_kernel(&record.header) || left == sizeof(record) ||
		    strncmp((const char *)at + sizeof(record), "[kernel", strlen("[kernel")))
			continue;
		*size = record.header.misc & MISC_HAS_SIZE ? record.id_size : ID_BYTES;
		return *size && *size <= ID_BYTES ? at + offsetof(struct build_id_record, id)
						  : NULL;
	}
	return NULL;
}
