/* SPDX-License-Identifier: BSD-2-Clause */
/* From perf_event_attr to an event select, as far as it is the same on all processors: rings, codes
 * of generic and cache events, constraints. */
#include <linux/errno.h>
#include "arch/x86/cpu/msr.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"

/* The period of events that only count: the counter's own limit applies. */
#define ENDLESS_PERIOD (1ul << 62)

#define SHORTEST_PERIOD 2 /* some processors do not interrupt after one event (Linux) */

/* Returns the ring bits of the select. exclude_host leaves only guests, of which this machine has
 * none. */
static uint64_t rings(const struct perf_event_attr *attr)
{
	if (attr->exclude_host)
		return 0;
	return (attr->exclude_user ? 0 : EVTSEL_USR) | (attr->exclude_kernel ? 0 : EVTSEL_OS);
}

void hw_configure_begin(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;

	hw->config = EVTSEL_INT | rings(&event->attr);
	hw->shortest = SHORTEST_PERIOD;
	hw->grain = -1;
	if (event_is_sampling(event))
		return;
	hw->period = hw->last_period = ENDLESS_PERIOD;
	hw->period_left = ENDLESS_PERIOD;
}

int hw_configure_generic(struct perf_event *event)
{
	uint64_t id = event->attr.config, code;

	if (id >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	code = event->hw.kind->generic[id];
	if (code == EVENT_NONE)
		return -ENOENT;
	event->hw.config |= code;
	return 0;
}

uint64_t hw_cache_word(hw_cache_rows *table, uint64_t config)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return EVENT_INVALID;
	return table[cache][op][result];
}

int hw_configure_cache(struct perf_event *event)
{
	uint64_t code = hw_cache_word(event->hw.kind->model->cache, event->attr.config);

	if (code == EVENT_NONE)
		return -ENOENT;
	if (code == EVENT_INVALID)
		return -EINVAL;
	event->hw.config |= code;
	return 0;
}

static bool units_meet(uint8_t units, uint64_t mask)
{
	switch (units) {
	case HW_SEVERAL_UNITS:
		return mask & (mask - 1);
	case HW_BOTH_HALVES:
		return (mask & 0xf0) && (mask & 0x0f);
	default:
		return true;
	}
}

static bool meets(const struct hw_constraint *c, uint64_t config)
{
	return (config & c->mask) - c->code <= c->more &&
	       units_meet(c->units, FIELD_GET(EVTSEL_UMASK, config));
}

uint64_t hw_constrained(const struct hw_constraint *table, uint64_t config, uint64_t otherwise)
{
	for (; table && table->counters; table++)
		if (meets(table, config))
			return table->counters;
	return otherwise;
}

uint64_t hw_general_counters(const struct hw_event *hw)
{
	return hw_constrained(hw->kind->model->constraints, hw->config, ~0ul) & hw->kind->general;
}
