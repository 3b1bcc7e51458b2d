/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs of the processors. */
#include "pmu/base/hardware.h"

const struct pmu *hardware_pmu, *hardware_pmus[HARDWARE_PMUS];
bool hardware_differs;

static bool is_here(const struct perf_event *event)
{
	return !event->pmu->is_here || event->pmu->is_here(event->pmu);
}

bool event_group_is_here(const struct perf_event *event)
{
	const struct perf_event *leader = event->leader, *sibling;

	if (!is_here(leader))
		return false;
	event_for_each_sibling(sibling, leader)
		if (!is_here(sibling))
			return false;
	return true;
}
