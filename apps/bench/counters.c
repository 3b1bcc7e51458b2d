/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of one run: as many as have counters together, each read by RDPMC. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/linux/perf_event.h"
#include "abi/page.h"
#include "apps/bench/bench.h"
#include "apps/lib/perf_sys.h"

/* Opens a member of the group. Returns -1 and errno on failure. It counts only ring 3's
 * instructions, so that an interrupt changes nothing but the time. */
static int open_event(const struct counters *counters, const struct bench_options *options,
		      const struct event *event)
{
	struct perf_event_attr attr = event->attr;
	bool leader = !counters->nr;

	attr.size = sizeof(attr);
	attr.pinned = leader;
	attr.disabled = leader;
	attr.exclude_hv = 1;
	if (!event->filtered)
		attr.exclude_kernel = options->ring != 0;
	return perf_event_open(&attr, 0, -1, leader ? -1 : counters->fd[0], PERF_FLAG_FD_CLOEXEC);
}

bool counters_know(const struct bench_options *options, const struct event *event)
{
	const struct counters none = {.first = 0};
	int fd = open_event(&none, options, event);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* True when the PMU has no further counter for the group. */
static bool group_is_full(const struct counters *counters)
{
	return counters->nr && (errno == EINVAL || errno == ENOSPC);
}

static const struct perf_event_mmap_page *page_of(const struct counters *counters, int i)
{
	return counters->page[i];
}

/* Reads RDPMC's index from the event's page. */
static void find_index(struct counters *counters, int i, const struct event *event)
{
	const volatile struct perf_event_mmap_page *page = page_of(counters, i);
	uint32_t index = page->index;

	if (!page->cap_user_rdpmc || !index)
		fail("event '%s' has no counter that can be read by RDPMC", event->name);
	counters->index[i] = index - 1;
	counters->mask[i] = page->pmc_width < 64 ? (1ul << page->pmc_width) - 1 : UINT64_MAX;
}

void counters_open(struct counters *counters, const struct bench_options *options,
		   const struct event_list *events, int first)
{
	*counters = (struct counters){.first = first};
	for (int i = first; i < events->nr && counters->nr < MOST_COUNTERS; i++) {
		int fd = open_event(counters, options, &events->events[i]);

		if (fd < 0 && group_is_full(counters))
			break;
		if (fd < 0)
			fail("this machine does not count '%s': %s", events->events[i].name,
			     strerror(errno));
		counters->fd[counters->nr] = fd;
		counters->page[counters->nr] = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
		if (counters->page[counters->nr++] == MAP_FAILED)
			fail("cannot map event '%s': %s", events->events[i].name, strerror(errno));
	}
	ioctl(counters->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	for (int i = 0; i < counters->nr; i++)
		find_index(counters, i, &events->events[first + i]);
}

void counters_judge(const struct counters *counters, struct verdict *verdict)
{
	for (int i = 0; i < counters->nr; i++) {
		const volatile struct perf_event_mmap_page *page = page_of(counters, i);
		bool moved = page->index != counters->index[i] + 1;

		verdict_shared(verdict, page->time_enabled,
			       moved ? ~page->time_enabled : page->time_running);
	}
}

void counters_close(struct counters *counters)
{
	for (int i = counters->nr; i--;) {
		munmap(counters->page[i], PAGE);
		close(counters->fd[i]);
	}
}
