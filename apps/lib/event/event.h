/* SPDX-License-Identifier: BSD-2-Clause */
/* Events by name: from perf's event syntax to struct perf_event_attr. */
#ifndef APPS_LIB_EVENT_H
#define APPS_LIB_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/linux/perf_event.h"
#include "apps/lib/event/event_class.h"
#include "apps/lib/event/pmu_files.h"

#define EVENT_NAME_SIZE   96
#define EVENT_MAX         64
#define EVENT_ERROR_SIZE  256
#define EVENT_PRECISE_MAX 3 /* modifier P: as precise as the PMU can */
/* The shift of the PMU's number in the config of a generic event, on hybrid machines. */
#define EVENT_PMU_SHIFT 32

/* One parsed event; only type, config* and the filter bits of attr are set. */
struct event {
	struct perf_event_attr attr;
	char name[EVENT_NAME_SIZE]; /* as typed, modifiers included */
	int leader;                 /* index of its group's leader; its own when it is alone */
	bool filtered;              /* a modifier chose the rings */
	bool precise_max;           /* modifier P: lower precise_ip until it opens */
	bool reads_group; /* modifier S: the leader's samples contain the counts of its group */
	enum event_class class; /* once event_classify() has found it */
	/* A package's PMU: 1 + the processor that it must be opened on, without a task; 0: a PMU
	 * that counts tasks */
	int on_cpu;
	double scale; /* of its counts, in `unit`; 0: they are plain numbers */
	char unit[PMU_UNIT_SIZE];
};

struct event_list {
	struct event events[EVENT_MAX];
	int nr;
};

/* A name of one fixed event. */
struct event_name {
	const char *name;
	const char *alias; /* or NULL */
	uint32_t type;     /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
	const char *description; /* description */
};

extern const struct event_name event_names[]; /* ended by a NULL name; hardware first */

/*
 * Appends the events of `text`: comma lists, groups {a,b}, modifiers (:u, :k, :h, :p, :P, :D, :e,
 * :I, :S), names, cache events, rHEX, cpu/event=0x..,umask=0x../. Returns 0, or -1 with one line in
 * `error` (EVENT_ERROR_SIZE bytes) that names the closest event.
 */
int event_parse(struct event_list *list, const char *text, char *error);

/* On hybrid machines: duplicates each group with generic events, one for each PMU. Returns 0, or -1
 * when there would be too many. */
int event_split_hybrid(struct event_list *list);

/* On hybrid processors, makes generic and raw events refer to this processor's PMU. */
void event_place_hybrid(struct event_list *list, int cpu);

/* Sets `attr`'s type and config from a plain name (no modifiers). False: no such name. */
bool event_lookup(const char *name, struct perf_event_attr *attr);

#define EVENT_NR_CACHE \
	(PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX * PERF_COUNT_HW_CACHE_RESULT_MAX)
/* Returns the config of cache event `index`, 0 to EVENT_NR_CACHE - 1, for loops over all of
 * them. */
uint64_t event_cache_config(unsigned index);

/*
 * Writes the canonical name of the cache event `config` (cache | op << 8 | result << 16) to `name`;
 * false: this combination has no meaning.
 */
bool event_cache_name(uint64_t config, char *name, size_t size);
/* Describes the combination in words. */
void event_cache_meaning(uint64_t config, char *description, size_t size);
/* Parses the name of a cache event, with every alias ("L1-dcache-load-misses", "l1d-read-miss").
 * False: no such name. */
bool event_cache_lookup(const char *name, uint64_t *config);

/* Returns the known event closest to `name`, or NULL. Valid until the next call. */
const char *event_closest(const char *name);

#endif
