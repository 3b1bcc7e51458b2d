/* SPDX-License-Identifier: BSD-2-Clause */
/* poll(2) of an event. */
#include <linux/poll.h>
#include "api/perf/perf.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "pmu/core/core.h"

unsigned perf_poll(struct file *file, struct poll_table *table)
{
	struct perf_event *event = file->priv;
	struct ring *ring = event->ring;

	poll_wait(table, &event->waitq);
	if (event->state == EVENT_EXIT && list_empty(&event->children))
		return POLLHUP;
	/* A reported event is reported again only after the next wake-up. */
	return ring ? __atomic_exchange_n(&ring->poll, 0, __ATOMIC_RELAXED) : POLLHUP;
}
