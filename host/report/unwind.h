/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwinds copies of stacks by DWARF call frame information, with elfutils' libdwfl. */
#ifndef HOST_REPORT_UNWIND_H
#define HOST_REPORT_UNWIND_H

#include <stdint.h>

#include "apps/lib/perfdata/perfdata.h"

struct places;

/* As struct report_helpers says; 0 in a build without libdw. */
unsigned unwind_stack(struct places *places, const struct perfdata_sample *sample, uint64_t *frames,
		      unsigned max);

#endif
