/* SPDX-License-Identifier: BSD-2-Clause */
/* The user page: the data that a program needs to read its counter with RDPMC and the time with
 * RDTSC. */
#include "arch/x86/apic/tsc.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/record/userpage.h"

/* Returns the event's operand of RDPMC plus 1; 0 while it does not count in a register. */
static uint32_t index_of(const struct perf_event *event)
{
	const struct hw_event *hw = &event->hw;

	if (!hw->user_read || !(hw->running || hw->derived_on))
		return 0;
	return event->pmu->user_index(event);
}

/* clock_ns() is time_zero + (TSC * time_mult >> time_shift), to the nanosecond. */
void userpage_begin(struct perf_event *owner, struct ring *ring)
{
	struct perf_event_mmap_page *page = ring->user_page;

	page->cap_user_rdpmc = owner->hw.user_read;
	page->cap_user_time = 1;
	page->cap_user_time_zero = !owner->attr.use_clockid;
	page->time_mult = tsc_clock.mult;
	page->time_shift = (uint16_t)tsc_clock.shift;
	page->time_zero = -tsc_clock.zero;
}

static void write_page(struct perf_event_mmap_page *page, const struct perf_event *event,
		       uint64_t now)
{
	uint32_t index = index_of(event);
	unsigned shift = event->hw.unused_bits;
	uint64_t enabled, running;

	event_times(event, now, &enabled, &running);
	page->index = index;
	page->pmc_width = (uint16_t)(64 - shift);
	page->offset = (int64_t)event_count(event);
	if (index && event->hw.running) /* readers extend the counter's sign */
		page->offset = event->hw.base + event->child_count;
	page->time_enabled = enabled + event->child_enabled;
	page->time_running = running + event->child_running;
	page->time_offset = -tsc_clock.zero - now;
}

/*
 * The lock is odd during a change, for readers on other processors. A PMI in between writes the
 * page itself and changes hw.prev: then the values written here are old.
 */
void userpage_write(struct perf_event *opened)
{
	struct perf_event_mmap_page *page = opened->ring->user_page;
	uint64_t prev;

	do {
		prev = __atomic_load_n(&opened->hw.prev, __ATOMIC_RELAXED);
		__atomic_store_n(&page->lock, page->lock + 1, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		write_page(page, opened, clock_ns());
		__atomic_store_n(&page->lock, page->lock + 1, __ATOMIC_RELEASE);
	} while (__atomic_load_n(&opened->hw.prev, __ATOMIC_RELAXED) != prev);
}
