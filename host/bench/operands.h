/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses single commands' arguments: the hooks of the table of commands (commands.h). */
#ifndef HOST_OPERANDS_H
#define HOST_OPERANDS_H

#include "host/options.h"

/* Turns record's `-g dwarf` and the like in argv into perf's `--call-graph dwarf`. */
void take_call_graph(int argc, char **argv);
/* Sets the filter of list: all rows, or rows that match an argument. */
void take_filter(struct options *options, int argc);
/* Sets the suite of bench. */
void take_suite(struct options *options, int argc);
/* Makes the host's perf the program, and shares the working directory for its output. */
void take_perf(struct options *options, int argc);

/* These end the command for options that conflict. */
void check_stat(struct options *options);
void check_record(struct options *options);
void check_linux(struct options *options);
void check_boot(struct options *options);
void check_image(struct options *options);

#endif
