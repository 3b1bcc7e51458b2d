/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMIs between which ring 3 makes no progress. Samples of ring 3 have no limit, because they
 * normally show progress (overflow.c). They do not if the end of a PMI and the entry of the next
 * count more events than a period has: then no instruction, and no other interrupt, is ever
 * executed between two PMIs. A loop with constant registers may also be sampled in one place, but
 * its PMIs take little of the time unless its period is as short.
 */
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"
#include "pmu/hw/stuck.h"

#define LOOK_EVERY  1024 /* PMIs */
#define ALIKE_MAX   64   /* PMIs that look alike, until their time counts */
#define ALIKE_AGAIN 8

static void stop_sampling(struct hw_cpu *cpu)
{
	for (unsigned i = 0; i < ASSIGN_COUNTERS; i++) {
		struct perf_event *event = cpu->events[i];

		if (!event || !event->hw.running || !event_is_sampling(event))
			continue;
		event_throttle(event);
		hw_counter_stop(event);
	}
}

/* Starts a new run of PMIs that hit the same registers. */
static void look_from(struct hw_stuck *stuck, const struct frame *frame)
{
	stuck->frame = *frame;
	stuck->times = 1;
	stuck->since = clock_ns();
	stuck->spent = 0;
}

/* After `times` identical PMIs: true if they used less than half of the time. */
static bool leave_room(const struct hw_stuck *stuck)
{
	return !frame_is_user(&stuck->frame) || 2 * stuck->spent < clock_ns() - stuck->since;
}

void hw_stuck_look(struct hw_cpu *cpu, const struct frame *frame, uint64_t start)
{
	struct hw_stuck *stuck = &cpu->stuck;
	uint32_t most = stuck->before ? ALIKE_AGAIN : ALIKE_MAX;

	this_cpu()->pmis_left = 0; /* the next one must also be checked */
	if (!stuck->times) {
		look_from(stuck, frame);
		return;
	}
	stuck->spent += clock_ns() - start;
	if (!memcmp(&stuck->frame, frame, sizeof(*frame)) && ++stuck->times < most)
		return;
	stuck->before = stuck->times == most && !leave_room(stuck);
	if (stuck->before)
		stop_sampling(cpu);
	else
		this_cpu()->pmis_left = LOOK_EVERY;
	stuck->times = 0;
}
