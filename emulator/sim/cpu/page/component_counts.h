/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a core's components as quantities, CORE_COMPONENT_0 and so on, and the names of
 * their events. */
#ifndef CORE_COMPONENT_COUNTS_H
#define CORE_COMPONENT_COUNTS_H

#include "abi/core_page.h"
#include "emulator/sim/component/component.h"

struct component_counts {
	unsigned nr;
	struct component_count {
		struct component_instance *instance;
		unsigned statistic; /* its number in the instance */
		const char *place;
	} counts[VISOR_EVENTS_MAX];
};

/* Adds the statistics of one component. place: what its events begin with, "l2-prefetch"; it must
 * live as long as `counts`. Statistics beyond VISOR_EVENTS_MAX have no quantity. */
void component_counts_add(struct component_counts *counts, struct component_instance *instance,
			  const char *place);

/* Adds what the statistics have grown by since the last call to `totals`. The growth of one that
 * processors share is added once. */
void component_counts_settle(const struct component_counts *counts, uint64_t *totals);

/* Writes "PLACE.STATISTIC" for each quantity. */
void component_counts_name(const struct component_counts *counts,
			   char names[VISOR_EVENTS_MAX][VISOR_EVENT_BYTES]);

#endif
