/* SPDX-License-Identifier: BSD-2-Clause */
/* Hybrid machines (/sys/bus/event_source/devices/cpu_core and cpu_atom): a generic event becomes
 * one for each PMU, as in perf-stat(1). */
#include <stdio.h>
#include <string.h>

#include "apps/lib/event/event.h"

#define KINDS 2

static const char *const names[KINDS] = {"cpu_core", "cpu_atom"};

/* Opens a PMU's attribute in /sys; NULL: there is none. */
static FILE *open_attribute(const char *pmu, const char *attribute)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, attribute);
	return fopen(path, "re");
}

/* Reads the type of a PMU. False: there is no such PMU. */
static bool read_type(const char *name, uint64_t *type)
{
	FILE *file = open_attribute(name, "type");
	unsigned number;
	bool found;

	if (!file)
		return false;
	found = fscanf(file, "%u", &number) == 1;
	fclose(file);
	*type = number;
	return found;
}

/* True when a list like "0-3,8" contains the processor. */
static bool lists(FILE *list, int cpu)
{
	int low, high;
	char between;

	while (fscanf(list, "%d", &low) == 1) {
		high = low;
		between = (char)fgetc(list);
		if (between == '-' && fscanf(list, "%d", &high) == 1)
			between = (char)fgetc(list);
		if (cpu >= low && cpu <= high)
			return true;
		if (between != ',')
			break;
	}
	return false;
}

/* True when the PMU is that of the processor. */
static bool counts_there(const char *name, int cpu)
{
	FILE *file = open_attribute(name, "cpus");
	bool found;

	if (!file)
		return false;
	found = lists(file, cpu);
	fclose(file);
	return found;
}

/* True for a generic event without a PMU's number. */
static bool is_generic(const struct event *event)
{
	return (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE) &&
	       !(event->attr.config >> EVENT_PMU_SHIFT);
}

/* Returns the number of events from `first` on with it as their leader; *generic: one of them is
 * generic. */
static int group_length(const struct event_list *list, int first, bool *generic)
{
	int n = 0;

	*generic = false;
	for (; first + n < list->nr && list->events[first + n].leader == first; n++)
		*generic |= is_generic(&list->events[first + n]);
	return n;
}

static void make_own(struct event *event, const char *name, uint64_t type)
{
	char plain[EVENT_NAME_SIZE];

	if (!is_generic(event))
		return;
	event->attr.config |= type << EVENT_PMU_SHIFT;
	memcpy(plain, event->name, sizeof(plain));
	snprintf(event->name, sizeof(event->name), "%s/%.*s/", name,
		 (int)(sizeof(event->name) - strlen(name) - 3), plain);
}

void event_place_hybrid(struct event_list *list, int cpu)
{
	uint64_t type;

	if (!read_type(names[0], &type) || !read_type(names[1], &type) ||
	    !counts_there(names[1], cpu))
		return;
	for (int i = 0; i < list->nr; i++) {
		struct event *event = &list->events[i];

		if (is_generic(event))
			event->attr.config |= type << EVENT_PMU_SHIFT;
		else if (event->attr.type == PERF_TYPE_RAW)
			event->attr.type = (uint32_t)type;
	}
}

int event_split_hybrid(struct event_list *list)
{
	static struct event_list split;
	uint64_t types[KINDS];

	for (int i = 0; i < KINDS; i++)
		if (!read_type(names[i], &types[i]))
			return 0;
	split.nr = 0;
	for (int first = 0, n; first < list->nr; first += n) {
		bool generic;

		n = group_length(list, first, &generic);
		for (int k = 0; k < (generic ? KINDS : 1); k++) {
			int leader = split.nr;

			if (split.nr + n > EVENT_MAX)
				return -1;
			for (int i = 0; i < n; i++) {
				struct event *event = &split.events[split.nr++];

				*event = list->events[first + i];
				event->leader = leader;
				make_own(event, names[k], types[k]);
			}
		}
	}
	*list = split;
	return 0;
}
