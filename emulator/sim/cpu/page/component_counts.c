/* SPDX-License-Identifier: BSD-2-Clause */
/* One table for each core: which statistic of which component a quantity is. */
#include "emulator/sim/cpu/page/component_counts.h"

#include <ctype.h>
#include <stdio.h>

void component_counts_add(struct component_counts *counts, struct component_instance *instance,
			  const char *place)
{
	const char *const *names = instance->component->statistics;

	for (unsigned i = 0; names && i < SIM_STATISTICS_MAX && names[i]; i++)
		if (counts->nr < VISOR_EVENTS_MAX)
			counts->counts[counts->nr++] = (struct component_count){instance, i, place};
}

void component_counts_settle(const struct component_counts *counts, uint64_t *totals)
{
	for (unsigned i = 0; i < counts->nr; i++) {
		struct component_instance *instance = counts->counts[i].instance;
		unsigned statistic = counts->counts[i].statistic;
		uint64_t now = instance->statistics[statistic];

		totals[CORE_COMPONENT_0 + i] += now - instance->settled[statistic];
		instance->settled[statistic] = now;
	}
}

/* perf's event names have no other characters. */
static void make_plain(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '.' && *name != '-')
			*name = '_';
}

void component_counts_name(const struct component_counts *counts,
			   char names[VISOR_EVENTS_MAX][VISOR_EVENT_BYTES])
{
	for (unsigned i = 0; i < counts->nr; i++) {
		const struct component_count *count = &counts->counts[i];

		snprintf(names[i], VISOR_EVENT_BYTES, "%s.%s", count->place,
			 count->instance->component->statistics[count->statistic]);
		make_plain(names[i]);
	}
}
