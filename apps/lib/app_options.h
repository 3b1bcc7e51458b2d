/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of `stat` and `record` that the host command hands on to the applications in the image:
 * both read them by these tables. */
#ifndef APPS_LIB_APP_OPTIONS_H
#define APPS_LIB_APP_OPTIONS_H

#include <getopt.h>

/* Letters as getopt(3) wants them. Both know -o and -p too, which the host command takes itself. */
#define STAT_LETTERS   "e:r:x:jdI:M:aC:A"
#define RECORD_LETTERS "e:c:F:gbadWm:C:"
#define TARGET_LETTERS "o:p:"

/* Values of long options. */
enum {
	APP_OPTION_FIRST = 1024,
	OPTION_TOPDOWN = APP_OPTION_FIRST,
	OPTION_PER_CORE,
	OPTION_PLAIN,
	OPTION_TABLE,
	OPTION_PLOT,
	OPTION_CHAINS,
	OPTION_SWITCH,
	OPTION_PHYSICAL
};

extern const struct option stat_long_options[], record_long_options[];

#endif
