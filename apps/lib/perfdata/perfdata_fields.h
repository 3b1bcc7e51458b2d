/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the fields of a sample are: for the files of the reader of perf.data. */
#ifndef APPS_LIB_PERFDATA_FIELDS_H
#define APPS_LIB_PERFDATA_FIELDS_H

#include "apps/lib/perfdata/perfdata.h"

/* Returns the bytes of a section, or NULL if it is not inside the file. */
const void *perfdata_inside(const struct perfdata_reader *reader, struct perfdata_section section);
/* Returns the sample type of the file's first event; all events have its fields up to the period.
 */
uint64_t perfdata_sample_type(const struct perfdata_reader *reader);
/* Returns how many 8-byte fields of a sample with `type` precede `field`. */
unsigned perfdata_fields_before(uint64_t type, uint64_t field);

#endif
