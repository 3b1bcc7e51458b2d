/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `barepmu trace`. */
#ifndef HOST_TRACE_REQUEST_H
#define HOST_TRACE_REQUEST_H

#include <getopt.h>
#include <stdbool.h>

struct options;

enum {
	TRACE_OPTION_FIRST = 2100,
	TRACE_INPUT = TRACE_OPTION_FIRST,
	TRACE_INSTRUCTIONS,
	TRACE_FUNCTIONS,
	TRACE_SVG,
	TRACE_HTML,
	TRACE_DEPTH,
	TRACE_KERNEL,
	TRACE_OPTION_LAST
};

struct trace_request {
	const char *input; /* a recorded trace; NULL: the program is traced */
	bool instructions, functions, kernel;
	const char *svg, *html; /* pictures; NULL: none */
	int depth;              /* calls deeper than this are not listed; 0: all are */
};

/* The long options of `trace`. */
extern const struct option trace_long_options[];

/* Takes one option; ends the command on a bad value. */
void trace_take(struct options *options, int option, const char *argument);
/* Ends the command for options that conflict, and chooses what is recorded. */
void trace_check(struct options *options);
/* Shows the trace in the file `path`. Returns the exit status. */
int trace_show(const struct options *options, const char *path);

#endif
