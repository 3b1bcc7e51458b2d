/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the emulated PMU where its counts come from (docs/architecture.md, "Who emulates: CPUID").
 */
#define _GNU_SOURCE
#include "abi/page.h"
#include "apps/lib/event/event_class.h"

#include <cpuid.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/visor_cpuid.h"
#include "apps/lib/event/event.h"
#include "apps/lib/event/pmu_id.h"
#include "apps/lib/perf_sys.h"

#define TYPE_CPU_ATOM 8 /* raw events of efficient cores */

const char *event_class_name(enum event_class class)
{
	static const char *const names[] = {
	    [CLASS_UNKNOWN] = "unknown",     [CLASS_NOT_COUNTED] = "not counted",
	    [CLASS_SHARE] = "share",         [CLASS_ESTIMATED] = "estimated",
	    [CLASS_SIMULATED] = "simulated", [CLASS_EXACT] = "exact",
	    [CLASS_SOFTWARE] = "software",   [CLASS_HARDWARE] = "hardware",
	};

	return names[class];
}

/* An event that the processor's PMU counts. */
static bool is_hardware(const struct event *event)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
	case TYPE_CPU_ATOM:
		return true;
	default:
		return false;
	}
}

/* Asks the visor about the counter that RDPMC names by `number`. */
static enum event_class class_of_counter(uint32_t number)
{
	uint32_t a, b, c, d;

	__cpuid(VISOR_LEAF, a, b, c, d);
	if (a < VISOR_LEAF_COUNTER)
		return CLASS_UNKNOWN;
	__cpuid_count(VISOR_LEAF_COUNTER, number, a, b, c, d);
	switch (a) {
	case VISOR_COUNTS_NOTHING:
		return CLASS_NOT_COUNTED;
	case VISOR_COUNTS_SHARE:
		return CLASS_SHARE;
	case VISOR_COUNTS_ESTIMATED:
		return CLASS_ESTIMATED;
	case VISOR_COUNTS_SIMULATED:
		return CLASS_SIMULATED;
	case VISOR_COUNTS_EXACT:
		return CLASS_EXACT;
	default:
		return CLASS_UNKNOWN;
	}
}

/* Opens it on this thread, user mode only where our rights reach no further: a descriptor or -1. */
static int open_here(const struct event *event, int group)
{
	struct perf_event_attr attr = event->attr;
	int fd;

	attr.size = sizeof(attr);
	attr.pinned = group < 0;
	attr.precise_ip = 0;
	attr.inherit = attr.disabled = attr.enable_on_exec = 0;
	fd = perf_event_open(&attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return fd;
	attr.exclude_kernel = 1;
	return perf_event_open(&attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* Classifies an open event on this processor, by the counter that its user page names. */
static enum event_class class_of_open(int fd)
{
	const volatile struct perf_event_mmap_page *page =
	    mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	enum event_class class = CLASS_UNKNOWN;

	if (page == MAP_FAILED)
		return CLASS_UNKNOWN;
	if (page->cap_user_rdpmc && page->index)
		class = class_of_counter(page->index - 1);
	munmap((void *)page, PAGE);
	return class;
}

/* With its leader, where it needs one. `opens` becomes true where it does. */
static enum event_class class_here(const struct event *event, const struct event *leader,
				   bool *opens)
{
	int group = leader == event ? -1 : open_here(leader, -1), fd = open_here(event, group);
	enum event_class class = fd >= 0 ? class_of_open(fd) : CLASS_UNKNOWN;

	*opens |= fd >= 0;
	if (fd >= 0)
		close(fd);
	if (group >= 0)
		close(group);
	return class;
}

/* As class_here(), on each processor that this thread may use, until one answers. */
static enum event_class class_elsewhere(const struct event *event, const struct event *leader)
{
	enum event_class class = CLASS_UNKNOWN;
	cpu_set_t before, one;
	bool opens = false;

	if (sched_getaffinity(0, sizeof(before), &before))
		return class;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && class == CLASS_UNKNOWN; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!sched_setaffinity(0, sizeof(one), &one))
			class = class_here(event, leader, &opens);
	}
	sched_setaffinity(0, sizeof(before), &before);
	return class;
}

/* On hybrid processors an event has its counter on one kind of core. An event that opens, but of
 * which nothing more is known, gets the class that most events have. */
static enum event_class class_of(const struct event *event, const struct event *leader,
				 const struct pmu_id *pmu)
{
	bool opens = false;
	enum event_class class = class_here(event, leader, &opens);

	if (class == CLASS_UNKNOWN)
		class = class_elsewhere(event, leader);
	if (class == CLASS_UNKNOWN && opens)
		class = *pmu->core ? CLASS_SIMULATED : CLASS_SHARE;
	return class;
}

void event_classify(struct event_list *list)
{
	struct pmu_id pmu;

	pmu_identify(&pmu);
	for (int i = 0; i < list->nr; i++) {
		struct event *event = &list->events[i];

		if (event->on_cpu && pmu.emulated)
			event->class = *pmu.core ? CLASS_SIMULATED : CLASS_SHARE;
		else if (event->on_cpu)
			event->class = CLASS_HARDWARE;
		else if (!is_hardware(event))
			event->class = CLASS_SOFTWARE;
		else if (!pmu.emulated)
			event->class = CLASS_HARDWARE;
		else
			event->class = class_of(event, &list->events[event->leader], &pmu);
	}
}
