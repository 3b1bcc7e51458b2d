/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of `stat`, `record` and `list` that the host command passes to the applications in the
 * image: both parse them by these tables. */
#ifndef APPS_LIB_APP_OPTIONS_H
#define APPS_LIB_APP_OPTIONS_H

#include <getopt.h>

/* Short options in getopt(3)'s form. The applications also know -o and -p, which the host command
 * handles itself. */
#define STAT_LETTERS   "e:r:x:jdI:M:aC:AB"
#define RECORD_LETTERS "e:c:F:gbadWm:C:"
#define TARGET_LETTERS "o:p:"

/* Values of long options. */
enum {
	APP_OPTION_FIRST = 1024,
	OPTION_TOPDOWN = APP_OPTION_FIRST,
	OPTION_PER_CORE,
	OPTION_PLAIN,
	OPTION_METRIC_ONLY,
	OPTION_TABLE,
	OPTION_PLOT,
	OPTION_WARM_UP,
	OPTION_CHAINS,
	OPTION_SWITCH,
	OPTION_PHYSICAL,
	OPTION_LIST_JSON
};

extern const struct option stat_long_options[], record_long_options[], list_long_options[];

#endif
