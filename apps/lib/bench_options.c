/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses and checks the options of `bench`. */
#include "apps/lib/bench_options.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/closest.h"

enum {
	OPTION_ASM = BENCH_OPTION_FIRST,
	OPTION_INIT,
	OPTION_CODE,
	OPTION_INIT_CODE,
	OPTION_CALL,
	OPTION_JOBS,
	OPTION_PLOT,
	OPTION_RING,
	OPTION_UNROLL,
	OPTION_LOOP,
	OPTION_WARM_UP,
	OPTION_RUNS,
	OPTION_CPU,
	OPTION_MINIMUM,
	OPTION_MEDIAN,
	OPTION_MEAN,
	OPTION_BASIC,
	OPTION_EVENTS,
	OPTION_MEMORY,
	OPTION_FLUSH,
	OPTION_PREFETCH,
	OPTION_COLD,
	OPTION_RANGE,
	OPTION_CSV,
	OPTION_JSON,
	OPTION_ENERGY,
	OPTION_LIST,
	OPTION_TSC,
	OPTION_LIBRARY,
	OPTION_PORTS,
	OPTION_HARNESS_OFFSET,
};

const struct option bench_long_options[] = {
    {"asm", required_argument, NULL, OPTION_ASM},
    {"init", required_argument, NULL, OPTION_INIT},
    {"code", required_argument, NULL, OPTION_CODE},
    {"init-code", required_argument, NULL, OPTION_INIT_CODE},
    {"call", required_argument, NULL, OPTION_CALL},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"ring", required_argument, NULL, OPTION_RING},
    {"unroll", required_argument, NULL, OPTION_UNROLL},
    {"loop", required_argument, NULL, OPTION_LOOP},
    {"warm-up", required_argument, NULL, OPTION_WARM_UP},
    {"runs", required_argument, NULL, OPTION_RUNS},
    {"cpu", required_argument, NULL, OPTION_CPU},
    {"min", no_argument, NULL, OPTION_MINIMUM},
    {"median", no_argument, NULL, OPTION_MEDIAN},
    {"mean", no_argument, NULL, OPTION_MEAN},
    {"basic", no_argument, NULL, OPTION_BASIC},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"flush", no_argument, NULL, OPTION_FLUSH},
    {"prefetch", required_argument, NULL, OPTION_PREFETCH},
    {"cold", required_argument, NULL, OPTION_COLD},
    {"range", required_argument, NULL, OPTION_RANGE},
    {"csv", no_argument, NULL, OPTION_CSV},
    {"json", no_argument, NULL, OPTION_JSON},
    {"energy", no_argument, NULL, OPTION_ENERGY},
    {"list", required_argument, NULL, OPTION_LIST},
    {"tsc", no_argument, NULL, OPTION_TSC},
    {"library", required_argument, NULL, OPTION_LIBRARY},
    {"ports", optional_argument, NULL, OPTION_PORTS},
    {"harness-offset", required_argument, NULL, OPTION_HARNESS_OFFSET},
    {NULL, 0, NULL, 0},
};

const char *const bench_suites[] = {"memory", "tlb",      "branches", "instructions",
				    "cores",  "syscalls", NULL};

void bench_defaults(struct bench_options *options)
{
	*options = (struct bench_options){
	    .ring = 3, .unroll = 100, .warm_up = 5, .runs = 10, .cpu = -1, .events = BENCH_EVENTS};
}

/* Options whose argument sets one field: text, or a number from low to high. */
static const struct {
	int option;
	size_t field;
	bool number;
	int low, high;
} fields[] = {
#define TEXT(name, member)                                                         \
	{                                                                          \
		OPTION_##name, offsetof(struct bench_options, member), false, 0, 0 \
	}
#define NUMBER(name, member, low, high)                                                \
	{                                                                              \
		OPTION_##name, offsetof(struct bench_options, member), true, low, high \
	}
    TEXT(ASM, assembly),
    TEXT(INIT, init),
    TEXT(CODE, code),
    TEXT(INIT_CODE, init_code),
    TEXT(CALL, function),
    TEXT(JOBS, jobs),
    TEXT(PLOT, plot),
    TEXT(LIST, list),
    NUMBER(UNROLL, unroll, 1, 100000),
    NUMBER(LOOP, loop, 0, 1000000000),
    NUMBER(WARM_UP, warm_up, 0, 1000000),
    NUMBER(RUNS, runs, 1, 1000000),
    NUMBER(CPU, cpu, 0, 4095),
};

static uint64_t bit(int option)
{
	return 1ul << (option - BENCH_OPTION_FIRST);
}

static const char *name_of(int option)
{
	return bench_long_options[option - BENCH_OPTION_FIRST].name;
}

static int wrong(char *error, const char *what, const char *wants, const char *got)
{
	snprintf(error, EVENT_ERROR_SIZE, "--%s wants %s, not '%s'", what, wants, got);
	return -1;
}

static int take_number(int *to, size_t field, const char *argument, char *error)
{
	char *end, wants[64];
	long value = strtol(argument, &end, 10);

	if (*argument && !*end && value >= fields[field].low && value <= fields[field].high) {
		*to = (int)value;
		return 0;
	}
	snprintf(wants, sizeof(wants), "a number from %d to %d", fields[field].low,
		 fields[field].high);
	return wrong(error, name_of(fields[field].option), wants, argument);
}

/* Returns the text after `word`, or NULL if the text starts with something else. */
static const char *after(const char *text, const char *word)
{
	size_t length = strlen(word);

	return strncmp(text, word, length) || (text[length] && text[length] != ',') ? NULL
										    : text + length;
}

/* SIZE[K|M|G][,aligned][,huge[=2M|=1G]] */
static int take_memory(struct bench_options *options, const char *argument, char *error)
{
	static const char units[] = "KMG", wants[] = "SIZE[K|M|G][,aligned][,huge[=1G]], 4K to 16G";
	char *end;
	const char *rest, *unit;
	unsigned long size = strtoul(argument, &end, 10);

	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit && size < 1ul << 40)
		size <<= 10 * (unit - units + 1);
	for (rest = end + (unit != NULL); *rest == ',';) {
		const char *next;

		if ((next = after(rest + 1, "aligned")))
			options->aligned = true;
		else if ((next = after(rest + 1, "huge")) || (next = after(rest + 1, "huge=2M")))
			options->huge = 2ul << 20;
		else if ((next = after(rest + 1, "huge=1G")))
			options->huge = 1ul << 30;
		else
			return wrong(error, "memory", wants, argument);
		rest = next;
	}
	if (*rest || size < 4096 || size > 1ul << 34)
		return wrong(error, "memory", wants, argument);
	options->memory = size;
	return 0;
}

static int take_cold(struct bench_options *options, const char *argument, char *error)
{
	static const struct {
		const char *name;
		enum bench_cold cold;
	} kinds[] = {{"i", BENCH_COLD_CODE},
		     {"d", BENCH_COLD_DATA},
		     {"tlb", BENCH_COLD_TLB},
		     {"branch", BENCH_COLD_BRANCHES}};
	const char *rest = argument, *next = NULL;

	do {
		for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if ((next = after(rest, kinds[i].name))) {
				options->cold |= kinds[i].cold;
				break;
			}
		if (!next)
			return wrong(error, "cold", "a list of i, d, tlb, branch", argument);
		rest = next + 1;
	} while (*next);
	return 0;
}

/* NAME=FIRST..LAST[:STEP] */
static int take_range(struct bench_options *options, const char *argument, char *error)
{
	static const char wants[] = "NAME=FIRST..LAST[:STEP] of at most 4096 points";
	int length = 0, end = -1;

	options->step = 1;
	if (sscanf(argument, "%31[A-Za-z0-9_]=%n", options->variable, &length) != 1 || !length ||
	    isdigit((unsigned char)*options->variable))
		return wrong(error, "range", wants, argument);
	if (sscanf(argument + length, "%ld..%ld%n:%ld%n", &options->first, &options->last, &end,
		   &options->step, &end) < 2 ||
	    end < 0 || argument[length + end] || options->step < 1 ||
	    options->last < options->first ||
	    (options->last - options->first) / options->step >= BENCH_POINTS_MAX)
		return wrong(error, "range", wants, argument);
	return 0;
}

static int take_ring(struct bench_options *options, const char *argument, char *error)
{
	if (strcmp(argument, "0") && strcmp(argument, "3"))
		return wrong(error, "ring", "0 or 3", argument);
	options->ring = *argument - '0';
	return 0;
}

static int take_prefetch(struct bench_options *options, const char *argument, char *error)
{
	options->prefetch_off = !strcmp(argument, "off");
	return options->prefetch_off || !strcmp(argument, "on")
		   ? 0
		   : wrong(error, "prefetch", "on or off", argument);
}

static int take_events(struct bench_options *options, const char *argument, char *error)
{
	(void)error; /* the host command knows more names than we do, and the program that counts
			asks */
	options->events = argument;
	return 0;
}

static int take_library(struct bench_options *options, const char *argument, char *error)
{
	if (options->nr_libraries == BENCH_LIBRARIES)
		return wrong(error, "library", "at most 8 archives", argument);
	options->libraries[options->nr_libraries++] = argument;
	return 0;
}

/* The host command names the events. */
static int take_ports(struct bench_options *options, const char *argument, char *error)
{
	(void)error;
	options->ports = argument ? argument : "";
	return 0;
}

static int take_harness_offset(struct bench_options *options, const char *argument, char *error)
{
	char *end;
	long value = strtol(argument, &end, 0);

	if (!*argument || *end || value < 0 || value >= 4096 || value % 64)
		return wrong(error, "harness-offset", "a multiple of 64 below 4096", argument);
	options->harness_offset = (int)value;
	return 0;
}

static void take_switch(struct bench_options *options, int option)
{
	options->basic |= option == OPTION_BASIC;
	options->flush |= option == OPTION_FLUSH;
	options->energy |= option == OPTION_ENERGY;
	options->ticks |= option == OPTION_TSC;
	if (option >= OPTION_MINIMUM && option <= OPTION_MEAN)
		options->aggregate = option == OPTION_MINIMUM  ? BENCH_MINIMUM
				     : option == OPTION_MEDIAN ? BENCH_MEDIAN
							       : BENCH_MEAN;
	if (option == OPTION_CSV || option == OPTION_JSON)
		options->format = option == OPTION_CSV ? BENCH_CSV : BENCH_JSON;
}

int bench_take(struct bench_options *options, int option, const char *argument, char *error)
{
	static int (*const takers[])(struct bench_options *, const char *, char *) = {
	    [OPTION_RING - BENCH_OPTION_FIRST] = take_ring,
	    [OPTION_EVENTS - BENCH_OPTION_FIRST] = take_events,
	    [OPTION_MEMORY - BENCH_OPTION_FIRST] = take_memory,
	    [OPTION_PREFETCH - BENCH_OPTION_FIRST] = take_prefetch,
	    [OPTION_COLD - BENCH_OPTION_FIRST] = take_cold,
	    [OPTION_RANGE - BENCH_OPTION_FIRST] = take_range,
	    [OPTION_LIBRARY - BENCH_OPTION_FIRST] = take_library,
	    [OPTION_PORTS - BENCH_OPTION_FIRST] = take_ports,
	    [OPTION_HARNESS_OFFSET - BENCH_OPTION_FIRST] = take_harness_offset,
	};

	options->given |= bit(option);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		char *to = (char *)options + fields[i].field;

		if (fields[i].option != option)
			continue;
		if (fields[i].number)
			return take_number((int *)to, i, argument, error);
		*(const char **)to = argument;
		return *argument ? 0 : wrong(error, name_of(option), "something", argument);
	}
	if (takers[option - BENCH_OPTION_FIRST])
		return takers[option - BENCH_OPTION_FIRST](options, argument, error);
	take_switch(options, option);
	return 0;
}

int bench_points(const struct bench_options *options)
{
	return *options->variable ? (int)((options->last - options->first) / options->step) + 1 : 1;
}

static int check_suite(const char *suite, char *error)
{
	struct closest search = {.word = suite};

	for (unsigned i = 0; bench_suites[i]; i++) {
		if (!strcmp(suite, bench_suites[i]))
			return 0;
		closest_offer(&search, bench_suites[i]);
	}
	snprintf(error, EVENT_ERROR_SIZE, "unknown suite '%s'%s%s%s", suite,
		 search.best ? ": did you mean '" : ": see `barepmu --help`",
		 search.best ? search.best : "", search.best ? "'?" : "");
	return -1;
}

/* Rejects two options that exclude each other. */
static int check_pairs(const struct bench_options *options, char *error)
{
	static const int pairs[][2] = {
	    {OPTION_INIT, OPTION_INIT_CODE}, {OPTION_CSV, OPTION_JSON},
	    {OPTION_ENERGY, OPTION_COLD},    {OPTION_ENERGY, OPTION_FLUSH},
	    {OPTION_MINIMUM, OPTION_MEDIAN}, {OPTION_MINIMUM, OPTION_MEAN},
	    {OPTION_MEDIAN, OPTION_MEAN}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if ((options->given & bit(pairs[i][0])) && (options->given & bit(pairs[i][1]))) {
			snprintf(error, EVENT_ERROR_SIZE, "--%s and --%s exclude each other",
				 name_of(pairs[i][0]), name_of(pairs[i][1]));
			return -1;
		}
	return 0;
}

/* Rejects options for code, events and runs with a suite, which chooses them itself. */
static int check_suite_options(const struct bench_options *options, char *error)
{
	const uint64_t takes = bit(OPTION_JOBS) | bit(OPTION_PLOT) | bit(OPTION_RING) |
			       bit(OPTION_CPU) | bit(OPTION_PREFETCH) | bit(OPTION_CSV) |
			       bit(OPTION_JSON);
	bool walks = !strcmp(options->suite, "memory") || !strcmp(options->suite, "tlb");
	bool lists = !strcmp(options->suite, "instructions");
	uint64_t wrong = options->given & ~takes & ~(walks ? bit(OPTION_MEMORY) : 0) &
			 ~(lists ? bit(OPTION_LIST) | bit(OPTION_PORTS) : 0);

	if (wrong)
		snprintf(error, EVENT_ERROR_SIZE, "the suite '%s' takes no --%s", options->suite,
			 name_of(BENCH_OPTION_FIRST + __builtin_ctzl(wrong)));
	else if (options->aligned)
		snprintf(error, EVENT_ERROR_SIZE,
			 "the suite '%s' takes no --memory SIZE,aligned: it has no register that "
			 "points to it",
			 options->suite);
	return wrong || options->aligned ? -1 : 0;
}

int bench_check(const struct bench_options *options, char *error)
{
	int sources = (options->assembly != NULL) + (options->code != NULL) +
		      (options->jobs || options->suite);
	const char *what = NULL;

	if (options->suite && check_suite(options->suite, error))
		return -1;
	if (check_pairs(options, error))
		return -1;
	if (sources != 1)
		what = "bench wants one of --asm TEXT, --code FILE and the name of a suite";
	else if (options->function && !options->code && !options->jobs)
		what = "--call wants the object file or archive of the function: --code FILE";
	else if (options->nr_libraries && !options->function)
		what = "--library is for the function of an object file or archive: --call";
	else if (*options->variable && !options->assembly && !options->jobs)
		what = "--range needs --asm, whose text names the variable";
	else if ((long)options->unroll * (options->loop ? options->loop : 1) > 4000000000l)
		what = "--unroll times --loop is more than a counter can count";
	if (!what)
		return options->suite ? check_suite_options(options, error) : 0;
	snprintf(error, EVENT_ERROR_SIZE, "%s", what);
	return -1;
}
