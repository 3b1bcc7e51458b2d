/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of generic hardware, cache and software events (man 2 perf_event_open; spelt as
 * perf-list(1) does). */
#include "apps/lib/event/event.h"

#include <stdio.h>
#include <string.h>

#include "apps/lib/closest.h"

#define HARDWARE(name, alias, id, description)                                   \
	{                                                                        \
		name, alias, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, description \
	}
#define SOFTWARE(name, alias, id, description)                                   \
	{                                                                        \
		name, alias, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, description \
	}

const struct event_name event_names[] = {
    HARDWARE("cycles", "cpu-cycles", CPU_CYCLES, "Cycles in which the processor was not halted"),
    HARDWARE("instructions", NULL, INSTRUCTIONS, "Retired instructions"),
    HARDWARE("cache-references", NULL, CACHE_REFERENCES, "Accesses to the last level of cache"),
    HARDWARE("cache-misses", NULL, CACHE_MISSES,
	     "Accesses that the last level of cache did not hold"),
    HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS, "Retired branches"),
    HARDWARE("branch-misses", NULL, BRANCH_MISSES, "Retired branches that were predicted wrongly"),
    HARDWARE("bus-cycles", NULL, BUS_CYCLES, "Cycles of the bus"),
    HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND,
	     "Cycles in which fetching and decoding gave too little"),
    HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND,
	     "Cycles in which execution or memory held up the rest"),
    HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES,
	     "Cycles at the nominal frequency, whatever the real one was"),
    SOFTWARE("task-clock", NULL, TASK_CLOCK, "Time that the task ran, in milliseconds"),
    SOFTWARE("cpu-clock", NULL, CPU_CLOCK, "Time of the processor, in milliseconds"),
    SOFTWARE("page-faults", "faults", PAGE_FAULTS, "Page faults"),
    SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN,
	     "Page faults served without reading from a disk"),
    SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ, "Page faults that waited for a disk"),
    SOFTWARE("context-switches", "cs", CONTEXT_SWITCHES, "Switches to another task"),
    SOFTWARE("cpu-migrations", "migrations", CPU_MIGRATIONS, "Moves to another processor"),
    SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS,
	     "Unaligned accesses that the kernel made good"),
    SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS, "Instructions that the kernel emulated"),
    SOFTWARE("cgroup-switches", NULL, CGROUP_SWITCHES,
	     "Switches to a task of another control group"),
    SOFTWARE("bpf-output", NULL, BPF_OUTPUT, "Samples that BPF programs write"),
    SOFTWARE("dummy", NULL, DUMMY, "Nothing: for the records beside it"),
    {NULL, NULL, 0, 0, NULL},
};

bool event_lookup(const char *name, struct perf_event_attr *attr)
{
	uint64_t config;

	for (const struct event_name *e = event_names; e->name; e++) {
		if (strcmp(name, e->name) && (!e->alias || strcmp(name, e->alias)))
			continue;
		attr->type = e->type;
		attr->config = e->config;
		return true;
	}
	if (!event_cache_lookup(name, &config))
		return false;
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = config;
	return true;
}

#define ALIASES 5

static const char *const caches[PERF_COUNT_HW_CACHE_MAX][ALIASES] = {
    [PERF_COUNT_HW_CACHE_L1D] = {"L1-dcache", "l1-d", "l1d", "L1-data"},
    [PERF_COUNT_HW_CACHE_L1I] = {"L1-icache", "l1-i", "l1i", "L1-instruction"},
    [PERF_COUNT_HW_CACHE_LL] = {"LLC", "L2"},
    [PERF_COUNT_HW_CACHE_DTLB] = {"dTLB", "d-tlb", "Data-TLB"},
    [PERF_COUNT_HW_CACHE_ITLB] = {"iTLB", "i-tlb", "Instruction-TLB"},
    [PERF_COUNT_HW_CACHE_BPU] = {"branch", "branches", "bpu", "btb", "bpc"},
    [PERF_COUNT_HW_CACHE_NODE] = {"node"},
};

/* Plural first (accesses), then singular (in "load-misses"). */
static const char *const operations[PERF_COUNT_HW_CACHE_OP_MAX][ALIASES] = {
    [PERF_COUNT_HW_CACHE_OP_READ] = {"loads", "load", "read"},
    [PERF_COUNT_HW_CACHE_OP_WRITE] = {"stores", "store", "write"},
    [PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetches", "prefetch", "speculative-read",
					 "speculative-load"},
};

static const char *const results[PERF_COUNT_HW_CACHE_RESULT_MAX][ALIASES] = {
    [PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {"refs", "Reference", "ops", "access"},
    [PERF_COUNT_HW_CACHE_RESULT_MISS] = {"misses", "miss"},
};

#define READ     (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE    (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* Valid operations of each cache. */
static const unsigned char meaningful[PERF_COUNT_HW_CACHE_MAX] = {
    [PERF_COUNT_HW_CACHE_L1D] = READ | WRITE | PREFETCH,
    [PERF_COUNT_HW_CACHE_L1I] = READ | PREFETCH,
    [PERF_COUNT_HW_CACHE_LL] = READ | WRITE | PREFETCH,
    [PERF_COUNT_HW_CACHE_DTLB] = READ | WRITE | PREFETCH,
    [PERF_COUNT_HW_CACHE_ITLB] = READ,
    [PERF_COUNT_HW_CACHE_BPU] = READ,
    [PERF_COUNT_HW_CACHE_NODE] = READ | WRITE | PREFETCH,
};

uint64_t event_cache_config(unsigned index)
{
	unsigned cache = index / 6, op = index / 2 % 3, result = index % 2;

	return cache | op << 8 | result << 16;
}

bool event_cache_name(uint64_t config, char *name, size_t size)
{
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX || !(meaningful[cache] & 1 << op))
		return false;
	if (result == PERF_COUNT_HW_CACHE_RESULT_MISS)
		snprintf(name, size, "%s-%s-misses", caches[cache][0], operations[op][1]);
	else
		snprintf(name, size, "%s-%s", caches[cache][0], operations[op][0]);
	return true;
}

void event_cache_meaning(uint64_t config, char *description, size_t size)
{
	static const char *const places[PERF_COUNT_HW_CACHE_MAX] = {
	    "the first-level data cache", "the instruction cache",
	    "the last level of cache",    "the data TLB",
	    "the instruction TLB",        "the branch predictor",
	    "the memory of this node"};
	static const char *const what[PERF_COUNT_HW_CACHE_OP_MAX] = {"Loads", "Stores",
								     "Prefetches"};
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	snprintf(description, size, "%s that %s %s", what[op],
		 result == PERF_COUNT_HW_CACHE_RESULT_MISS ? "missed in" : "asked", places[cache]);
}

/*
 * Consumes the longest of `words` (rows of aliases) at `*text`, which must end there or before a
 * '-'. Returns the row, or -1.
 */
static int take_word(const char *const (*words)[ALIASES], int rows, const char **text)
{
	size_t longest = 0;
	int found = -1;

	for (int row = 0; row < rows; row++) {
		for (int i = 0; i < ALIASES && words[row][i]; i++) {
			size_t n = strlen(words[row][i]);

			if (n <= longest || strncmp(*text, words[row][i], n) ||
			    ((*text)[n] && (*text)[n] != '-'))
				continue;
			longest = n;
			found = row;
		}
	}
	*text += longest;
	if (found >= 0 && **text == '-')
		(*text)++;
	return found;
}

bool event_cache_lookup(const char *name, uint64_t *config)
{
	int cache = take_word(caches, PERF_COUNT_HW_CACHE_MAX, &name);
	int op, result;

	if (cache < 0)
		return false;
	op = take_word(operations, PERF_COUNT_HW_CACHE_OP_MAX, &name);
	result = take_word(results, PERF_COUNT_HW_CACHE_RESULT_MAX, &name);
	if (*name)
		return false;
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	*config = (unsigned)cache | (unsigned)op << 8 | (unsigned)result << 16;
	return meaningful[cache] & 1 << op;
}

const char *event_closest(const char *name)
{
	static char best[EVENT_NAME_SIZE];
	char cache_name[EVENT_NAME_SIZE];
	struct closest search = {.word = name};

	for (const struct event_name *e = event_names; e->name; e++) {
		closest_offer(&search, e->name);
		if (e->alias)
			closest_offer(&search, e->alias);
	}
	for (unsigned i = 0; i < EVENT_NR_CACHE; i++) {
		const char *before = search.best;

		if (!event_cache_name(event_cache_config(i), cache_name, sizeof(cache_name)))
			continue;
		closest_offer(&search, cache_name);
		if (search.best == before)
			continue;
		strcpy(best, cache_name);
		search.best = best;
	}
	return search.best;
}
