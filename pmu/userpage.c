/* SPDX-License-Identifier: BSD-2-Clause */
/* The user page: what a program needs to read its counter with RDPMC and to tell the time with
 * RDTSC. */
#include "pmu/core.h"
#include "arch/x86/tsc.h"
#include "pmu/cpu.h"

static bool offers_rdpmc(const struct perf_event *event)
{
	return event->hw.user_read && event->pmu->user_index;
}

/* RDPMC's operand plus 1 while the event counts in a counter. */
static uint32_t index_of(const struct perf_event *event)
{
	if (event->state != EVENT_ACTIVE || !event->hw.running || !offers_rdpmc(event))
		return 0;
	return event->pmu->user_index(event);
}

/* clock_ns() is time_zero + (TSC * time_mult >> time_shift), to the nanosecond. */
static void write_clock(struct perf_event_mmap_page *page, const struct perf_event *event,
			uint64_t now)
{
	uint64_t zero = -tsc_clock.zero;

	page->cap_user_time = 1;
	page->cap_user_time_zero = !event->attr.use_clockid;
	page->time_mult = tsc_clock.mult;
	page->time_shift = (uint16_t)tsc_clock.shift;
	page->time_offset = zero - now;
	page->time_zero = zero;
}

static void write_page(struct perf_event_mmap_page *page, const struct perf_event *event,
		       uint64_t now)
{
	uint32_t index = index_of(event);
	uint8_t bits = hardware_pmu ? hardware_pmu->counter_bits(event) : 0;
	uint64_t enabled, running;

	event_times(event, now, &enabled, &running);
	page->index = index;
	page->pmc_width = bits;
	page->offset = (int64_t)event_count(event);
	if (index) /* readers extend the counter's sign */
		page->offset -= (int64_t)(event->hw.prev << (64 - bits)) >> (64 - bits);
	page->time_enabled = enabled + event->child_enabled;
	page->time_running = running + event->child_running;
	page->cap_user_rdpmc = offers_rdpmc(event);
	write_clock(page, event, now);
}

/*
 * The lock is odd while the page changes, for readers on other processors. A PMI in between writes
 * the page itself, or reads the counter, and leaves a trace in hw.prev: then what was written here
 * is old.
 */
void userpage_write(struct perf_event *event)
{
	struct perf_event_mmap_page *page = event->ring->user_page;
	uint64_t prev;

	do {
		prev = __atomic_load_n(&event->hw.prev, __ATOMIC_RELAXED);
		__atomic_store_n(&page->lock, page->lock + 1, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		write_page(page, event, clock_ns());
		__atomic_store_n(&page->lock, page->lock + 1, __ATOMIC_RELEASE);
	} while (__atomic_load_n(&event->hw.prev, __ATOMIC_RELAXED) != prev);
}
