/* SPDX-License-Identifier: BSD-2-Clause */
/* Additions of the host's libraries to the report; in the image there are none. */
#ifndef APPS_REPORT_HELPERS_H
#define APPS_REPORT_HELPERS_H

#include <stdint.h>

#include "apps/lib/perfdata/perfdata.h"

struct places;

struct report_helpers {
	/* Returns the source's name of a mangled symbol, which the caller frees; NULL: it is not
	 * mangled. */
	char *(*demangle)(const char *symbol);
	/* Unwinds the copy of the user's stack in the sample. Writes at most `max` addresses to
	 * `frames`, the innermost first, of callers the one that they return to. Returns how many.
	 */
	unsigned (*unwind)(struct places *places, const struct perfdata_sample *sample,
			   uint64_t *frames, unsigned max);
	/* The file of barepmu's kernel, for data that has its build id; NULL: none. */
	const char *kernel;
};

/* Set before the report starts; the report does without what is NULL. */
extern struct report_helpers report_helpers;

/* The program: prints the report that the arguments want. Returns its exit status. */
int report_main(int argc, char **argv);

#endif
