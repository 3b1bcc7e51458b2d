/* SPDX-License-Identifier: BSD-2-Clause */
/* The command bench: options, and the jobs that it finds in the image. */
#ifndef HOST_BENCH_H
#define HOST_BENCH_H

#include <getopt.h>

#include "host/options.h"

/* Takes one of bench_long_options. */
void bench_option(struct options *options, const struct option *option, const char *argument);
/* Takes -e or -l, the short names of --events and --library. */
void bench_letter(struct options *options, int letter, const char *argument);
/* Makes the files that bench finds in the image; ends the command for options that conflict. */
void bench_prepare(struct options *options);
/* Adds one piece of code to the list of jobs. `init` may be NULL. */
void bench_add_job(struct options *options, struct buffer *jobs, const char *label,
		   const char *text, const char *init, const char *define);

#endif
