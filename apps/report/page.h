/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile as one page of HTML. */
#ifndef APPS_REPORT_PAGE_H
#define APPS_REPORT_PAGE_H

#include <stdio.h>

#include "apps/lib/perfdata/perfdata.h"

struct profile;

/* Writes the page of event `event`; the profile is sorted. */
void page_write(FILE *out, const struct perfdata_reader *reader, int event,
		const struct profile *profile);

/* Prints the code of the function with the most samples of the event, or of `function` (NULL: any),
 * with the share of each instruction. False: no sample has one. */
bool page_annotate(FILE *out, const struct perfdata_reader *reader, int event,
		   const struct profile *profile, const char *function);

#endif
