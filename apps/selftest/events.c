/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of this thread in ring 3, and the samples in their rings. */
#include "abi/page.h"
#include "apps/selftest/selftest.h"

#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/lib/perf_sys.h"

struct perf_event_attr event_generic(const struct pmu *pmu, uint64_t id)
{
	return (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
					.type = PERF_TYPE_HARDWARE,
					.config = pmu->which | id,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1};
}

static size_t mapped_bytes(bool ring)
{
	return (1 + (ring ? RING_PAGES : 0)) * PAGE;
}

bool event_open(struct opened *event, struct perf_event_attr *attr, int leader)
{
	void *page;

	event->fd = perf_event_open(attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
	if (event->fd < 0)
		return false;
	page = mmap(NULL, mapped_bytes(attr->sample_period), PROT_READ | PROT_WRITE, MAP_SHARED,
		    event->fd, 0);
	if (page == MAP_FAILED) {
		close(event->fd);
		return false;
	}
	event->page = page;
	return true;
}

void event_close(struct opened *event)
{
	munmap(event->page, mapped_bytes(event->page->data_size));
	close(event->fd);
}

void event_start(const struct opened *event)
{
	ioctl(event->fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

void event_stop(const struct opened *event)
{
	ioctl(event->fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

uint64_t event_count(const struct opened *event)
{
	uint64_t count = 0;

	return read(event->fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

int event_counter(const struct opened *event)
{
	const volatile struct perf_event_mmap_page *page = event->page;

	return page->cap_user_rdpmc ? (int)page->index - 1 : -1;
}

const uint64_t *event_sample(const struct opened *event, uint64_t *at, uint16_t *misc)
{
	const char *data = (const char *)event->page + PAGE;
	uint64_t head = __atomic_load_n(&event->page->data_head, __ATOMIC_ACQUIRE);

	while (*at < head && head <= RING_PAGES * PAGE) { /* it never wraps here */
		const struct perf_event_header *header =
		    (const struct perf_event_header *)(data + *at);

		*at += header->size;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		*misc = header->misc;
		return (const uint64_t *)(header + 1);
	}
	return NULL;
}
