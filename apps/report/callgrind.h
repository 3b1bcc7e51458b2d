/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles for KCachegrind and callgrind_annotate. */
#ifndef APPS_REPORT_CALLGRIND_H
#define APPS_REPORT_CALLGRIND_H

#include <stdio.h>

#include "apps/lib/perfdata/perfdata.h"

/* Writes the samples of event `event` (an index of attrs) in callgrind's format: each instruction's
 * own events, and of each call site the events in its callees. */
void callgrind_write(FILE *out, const struct perfdata_reader *reader, int event);

#endif
