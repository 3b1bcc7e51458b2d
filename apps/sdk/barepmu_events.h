/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of events for barepmu.h, as `barepmu stat -e` and perf take them: perf's generic hardware,
 * software and cache events, rHEX, PMU/term=value,.../ by the kernel's tables in sysfs, modifiers
 * (:u, :k, :p), and with BAREPMU_LIBPFM defined (and -lpfm) the vendors' names.
 */
#ifndef BAREPMU_EVENTS_H
#define BAREPMU_EVENTS_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BAREPMU_LIBPFM
#include <perfmon/pfmlib_perf_event.h>
#endif

struct barepmu_name_ {
	const char *name;
	uint64_t config;
};

/* Sets attr->config by a table that ends with a NULL name. Returns 0 if the name is not there. */
static inline int barepmu_lookup_(const struct barepmu_name_ *names, const char *name,
				  uint32_t type, struct perf_event_attr *attr)
{
	for (; names->name; names++)
		if (!strcmp(names->name, name)) {
			attr->type = type;
			attr->config = names->config;
			return 1;
		}
	return 0;
}

static inline int barepmu_generic_(const char *name, struct perf_event_attr *attr)
{
	static const struct barepmu_name_ hardware[] = {
	    {"cycles", PERF_COUNT_HW_CPU_CYCLES},
	    {"cpu-cycles", PERF_COUNT_HW_CPU_CYCLES},
	    {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
	    {"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
	    {"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
	    {"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	    {"branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	    {"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
	    {"bus-cycles", PERF_COUNT_HW_BUS_CYCLES},
	    {"stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	    {"stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	    {"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES},
	    {NULL, 0}};
	static const struct barepmu_name_ software[] = {
	    {"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
	    {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
	    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
	    {"faults", PERF_COUNT_SW_PAGE_FAULTS},
	    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
	    {"cs", PERF_COUNT_SW_CONTEXT_SWITCHES},
	    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
	    {"migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
	    {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
	    {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	    {"alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS},
	    {"emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS},
	    {"dummy", PERF_COUNT_SW_DUMMY},
	    {NULL, 0}};

	return barepmu_lookup_(hardware, name, PERF_TYPE_HARDWARE, attr) ||
	       barepmu_lookup_(software, name, PERF_TYPE_SOFTWARE, attr);
}

/* CACHE-OPERATIONs or CACHE-OPERATION-misses, as L1-dcache-load-misses. */
static inline int barepmu_cache_(const char *name, struct perf_event_attr *attr)
{
	static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
					     "iTLB",      "branch",    "node"};
	static const char *const operations[] = {"load", "store", "prefetch"};
	static const char *const ends[][2] = {{"s", "es"}, {"-misses", "-misses"}};

	for (unsigned cache = 0; cache < 7; cache++) {
		size_t length = strlen(caches[cache]);

		if (strncmp(name, caches[cache], length) || name[length] != '-')
			continue;
		for (unsigned op = 0; op < 3; op++)
			for (unsigned result = 0; result < 2; result++) {
				char text[32];

				snprintf(text, sizeof(text), "%s%s", operations[op],
					 ends[result][op == 2]);
				if (strcmp(name + length + 1, text))
					continue;
				attr->type = PERF_TYPE_HW_CACHE;
				attr->config = cache | op << 8 | result << 16;
				return 1;
			}
	}
	return 0;
}

/* Reads a file of one line in a PMU's directory of sysfs. Returns 0 if there is none. */
static inline int barepmu_sysfs_(const char *pmu, const char *kind, const char *name, char *text,
				 size_t size)
{
	char path[256];
	FILE *file;
	int good;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s%s", pmu, kind, name);
	file = fopen(path, "re");
	good = file && fgets(text, (int)size, file);
	if (file)
		fclose(file);
	text[good ? strcspn(text, "\n") : 0] = '\0';
	return good;
}

/* Puts the value into the bits that the format names: "config:0-7,21". */
static inline int barepmu_term_(const char *format, uint64_t value, struct perf_event_attr *attr)
{
	uint64_t *field = !strncmp(format, "config1:", 8)   ? (uint64_t *)&attr->config1
			  : !strncmp(format, "config2:", 8) ? (uint64_t *)&attr->config2
							    : (uint64_t *)&attr->config;
	const char *at = strchr(format, ':');

	while (at && *at++) {
		char *end;
		unsigned long low = strtoul(at, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		for (; low <= high && high < 64; low++, value >>= 1)
			*field |= (value & 1) << low;
		at = *end == ',' ? end : NULL;
	}
	return value == 0;
}

/* Takes "term=value,term,..." of a PMU; a term without a format may be one of the PMU's events. */
static inline int barepmu_terms_(const char *pmu, const char *terms, struct perf_event_attr *attr,
				 int depth)
{
	char list[256], *rest = NULL;

	snprintf(list, sizeof(list), "%s", terms);
	for (char *term = strtok_r(list, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
		char text[256], *value = strchr(term, '=');

		if (value)
			*value++ = '\0';
		if (barepmu_sysfs_(pmu, "format/", term, text, sizeof(text))) {
			if (!barepmu_term_(text, value ? strtoull(value, NULL, 0) : 1, attr))
				return 0;
		} else if (value || depth ||
			   !barepmu_sysfs_(pmu, "events/", term, text, sizeof(text)) ||
			   !barepmu_terms_(pmu, text, attr, 1)) {
			return 0;
		}
	}
	return 1;
}

/* PMU/TERMS/. */
static inline int barepmu_pmu_event_(const char *name, struct perf_event_attr *attr)
{
	const char *slash = strchr(name, '/'), *end = slash ? strchr(slash + 1, '/') : NULL;
	char pmu[64], terms[192], type[16];

	if (!end || end[1])
		return 0;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - name), name);
	snprintf(terms, sizeof(terms), "%.*s", (int)(end - slash - 1), slash + 1);
	if (!barepmu_sysfs_(pmu, "", "type", type, sizeof(type)))
		return 0;
	attr->type = (uint32_t)strtoul(type, NULL, 10);
	return barepmu_terms_(pmu, terms, attr, 0);
}

static inline int barepmu_vendor_event_(const char *name, struct perf_event_attr *attr)
{
#ifdef BAREPMU_LIBPFM
	pfm_perf_encode_arg_t argument;

	memset(&argument, 0, sizeof(argument));
	argument.attr = attr;
	argument.size = sizeof(argument);
	return pfm_initialize() == PFM_SUCCESS &&
	       pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument) ==
		   PFM_SUCCESS;
#else
	(void)name, (void)attr;
	return 0;
#endif
}

/* Returns the way to names such as INST_RETIRED.ANY, for a message; "" where it is open. */
static inline const char *barepmu_vendor_hint_(const char *name)
{
#ifdef BAREPMU_LIBPFM
	(void)name;
	return "";
#else
	return strchr(name, '.') ? ": for vendors' names -DBAREPMU_LIBPFM -lpfm" : "";
#endif
}

/* Applies ":ukp" at the end of the name, or "ukp" after a PMU's slash, which it cuts off. Without
 * modifiers only ring 3 counts.
 */
static inline void barepmu_modifiers_(char *name, struct perf_event_attr *attr)
{
	char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	char *end = slash ? slash + 1 : colon;
	const char *letters = slash ? slash + 1 : colon ? colon + 1 : "";

	attr->exclude_kernel = attr->exclude_hv = 1;
	if (!*letters || strspn(letters, "ukhpP") != strlen(letters))
		return;
	if (strpbrk(letters, "ukh")) {
		attr->exclude_user = !strchr(letters, 'u');
		attr->exclude_kernel = !strchr(letters, 'k');
		attr->exclude_hv = !strchr(letters, 'h');
	}
	for (const char *p = letters; *p && attr->precise_ip < 3; p++)
		attr->precise_ip += *p == 'p';
	*end = '\0';
}

/* Sets `attr` for a name. Returns 0 if no event has this name. */
static inline int barepmu_event_(const char *typed, struct perf_event_attr *attr)
{
	char name[256], *end;

	snprintf(name, sizeof(name), "%s", typed);
	barepmu_modifiers_(name, attr);
	if (barepmu_generic_(name, attr) || barepmu_cache_(name, attr) ||
	    barepmu_pmu_event_(name, attr))
		return 1;
	if (*name == 'r' && name[1]) {
		attr->type = PERF_TYPE_RAW;
		attr->config = strtoull(name + 1, &end, 16);
		if (!*end)
			return 1;
	}
	return barepmu_vendor_event_(name, attr);
}

#endif
