/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording and the results that `boot` is to make. */
#ifndef HOST_PROFILE_REQUEST_H
#define HOST_PROFILE_REQUEST_H

#include <getopt.h>
#include <stdbool.h>

#include "host/lib/words.h"
#include "host/profile/output.h"

/* The short and the long options, for getopt_long(). */
#define PROFILE_LETTERS "e:c:g"

enum {
	PROFILE_RECORD = 2048,
	PROFILE_STAT,
	PROFILE_JSON,
	PROFILE_HTML,
	PROFILE_LCOV,
	PROFILE_DIFF,
	PROFILE_BASELINE,
	PROFILE_TOLERANCE,
	PROFILE_NO_WAITS,
	PROFILE_SYMBOLS,
	PROFILE_MARK,
	PROFILE_UNTIL,
	PROFILE_DEBUG_PORT,
	PROFILE_BIOS,
	PROFILE_DISK,
	PROFILE_FLASH,
	PROFILE_CALL_GRAPH,
	PROFILE_OPTION_FIRST = PROFILE_RECORD,
};

/* clang-format off */
#define PROFILE_OPTIONS \
	{"record", required_argument, NULL, PROFILE_RECORD}, \
	{"stat", no_argument, NULL, PROFILE_STAT}, \
	{"json", required_argument, NULL, PROFILE_JSON}, \
	{"html", required_argument, NULL, PROFILE_HTML}, \
	{"lcov", required_argument, NULL, PROFILE_LCOV}, \
	{"diff", required_argument, NULL, PROFILE_DIFF}, \
	{"baseline", required_argument, NULL, PROFILE_BASELINE}, \
	{"tolerance", required_argument, NULL, PROFILE_TOLERANCE}, \
	{"no-waits", no_argument, NULL, PROFILE_NO_WAITS}, \
	{"symbols", required_argument, NULL, PROFILE_SYMBOLS}, \
	{"mark", required_argument, NULL, PROFILE_MARK}, \
	{"until", required_argument, NULL, PROFILE_UNTIL}, \
	{"debug-port", no_argument, NULL, PROFILE_DEBUG_PORT}, \
	{"bios", required_argument, NULL, PROFILE_BIOS}, \
	{"disk", required_argument, NULL, PROFILE_DISK}, \
	{"flash", required_argument, NULL, PROFILE_FLASH}, \
	{"call-graph", required_argument, NULL, PROFILE_CALL_GRAPH}
/* clang-format on */

struct mark {
	const char *name;
	char *where; /* the plugin's option: KIND:VALUE */
	bool last;   /* the machine ends there */
	bool symbol; /* `where` is a function's name, to be looked up */
};

struct profile_request {
	const char *record; /* perf.data; NULL: none */
	bool stat;          /* print tables */
	const char *json, *html, *lcov;
	const char *diff;     /* an earlier --json, compared with another one: nothing boots */
	const char *baseline; /* an earlier --json */
	double tolerance;     /* per cent */
	bool no_waits;
	const char *chains; /* the plugin's option; NULL: none */
	uint64_t period;    /* of all events; 0: their own */
	struct output_event events[PROFILE_EVENTS];
	unsigned nr_events;
	struct words symbols; /* FILE, FILE@ADDRESS, DIRECTORY */
	struct mark marks[24];
	unsigned nr_marks;
	bool debug_port;    /* the machine has a debug port at 402H */
	const char *bios;   /* the firmware's file; NULL: by --firmware */
	const char *disk;   /* a disk image to boot from; NULL: none */
	struct words flash; /* files of the flash chips, the highest one first */
};

/* Parses one option; ends the command on a bad value. */
void profile_take(struct profile_request *request, int option, const char *argument);
/* True if something is to be recorded. */
bool profile_wanted(const struct profile_request *request);
/* True if an event needs the simulated core. */
bool profile_needs_core(const struct profile_request *request);
/* Checks the options together, and completes them. */
void profile_check(struct profile_request *request);

#endif
