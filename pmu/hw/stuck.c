/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMIs between which ring 3 does not go on. Samples of ring 3 have no limit, as they show that the
 * program gets on (overflow.c). They do not where the end of a PMI, and what the machine does
 * around it, counts as more events than a period has: then no instruction, and no other interrupt,
 * ever comes between two. A loop whose registers stand still may be found in one place as well,
 * but its PMIs take little of the time unless its period is as short.
 */
#include "pmu/hw/stuck.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"

#define LOOK_EVERY  1024 /* PMIs */
#define ALIKE_MOST  64   /* PMIs that look alike, until their time counts */
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

/* The first of those that may be alike. */
static void look_from(struct hw_stuck *stuck, const struct frame *frame)
{
	stuck->frame = *frame;
	stuck->times = 1;
	stuck->since = clock_ns();
	stuck->spent = 0;
}

/* So many are alike: whether they leave the program half of the time. */
static bool leave_room(const struct hw_stuck *stuck)
{
	return !frame_is_user(&stuck->frame) || 2 * stuck->spent < clock_ns() - stuck->since;
}

void hw_stuck_look(struct hw_cpu *cpu, const struct frame *frame, uint64_t start)
{
	struct hw_stuck *stuck = &cpu->stuck;
	uint32_t most = stuck->before ? ALIKE_AGAIN : ALIKE_MOST;

	this_cpu()->pmis_left = 0; /* the next one, too */
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
