/* SPDX-License-Identifier: BSD-2-Clause */
/* mmap(2) of an event: the ring buffer, its accounting, and events that share one. */
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include "api/perf/perf.h"
#include "api/perf/perf_map.h"
#include "kernel/base/assert.h"
#include "kernel/file/file.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/vm/vm.h"
#include "pmu/base/context.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/core/rdpmc.h"
#include "pmu/record/userpage.h"

static void *fault(struct vma *vma, uint64_t index, bool write)
{
	void *page = ring_page(vma->priv, index);

	/* Only the kernel may write records. */
	if (!page || (write && index))
		return NULL;
	page_get(page);
	return page;
}

void perf_map_opened(struct perf_event *event, struct ring *ring)
{
	ring_get(ring);
	ring->mmap_count++;
	event->mmap_count++;
}

static void opened(struct vma *vma)
{
	struct perf_event *event = vma->file->priv;

	if (event->hw.user_read && event->pmu->user_index)
		rdpmc_mapped(vma->mm);
	perf_map_opened(event, vma->priv);
}

/* Detaches all events from a ring without mappings: their records could not be read. */
static void detach_all(struct ring *ring, struct mm *mm)
{
	struct perf_event *user, *next;

	list_for_each_safe(user, next, &ring->users, ring_link)
		event_attach_ring(user, NULL);
	account_give(ring->charged_uid, ACCOUNT_RINGS, ring->nr_pages + 1 - ring->locked_extra);
	/* The last process to unmap it may not be the first one to map it. */
	mm->locked_pages -=
	    ring->locked_extra < mm->locked_pages ? ring->locked_extra : mm->locked_pages;
}

void perf_map_closed(struct perf_event *event, struct ring *ring, struct mm *mm)
{
	KASSERT(event->mmap_count > 0);
	if (--event->mmap_count == 0)
		event_attach_ring(event, NULL);
	KASSERT(ring->mmap_count > 0);
	if (--ring->mmap_count == 0)
		detach_all(ring, mm);
	ring_put(ring);
}

static void closed(struct vma *vma)
{
	struct perf_event *event = vma->file->priv;

	if (event->hw.user_read && event->pmu->user_index)
		rdpmc_unmapped(vma->mm);
	perf_map_closed(event, vma->priv, vma->mm);
}

static const struct vma_ops perf_vma_ops = {
    .fault = fault,
    .open = opened,
    .close = closed,
    .no_split = true,
};

/* Returns how many of `pages` more exceed the user's perf_event_mlock_kb: these count against
 * RLIMIT_MEMLOCK. */
static uint64_t pages_beyond_limit(uint32_t uid, uint64_t pages)
{
	uint64_t limit = perf_limits.mlock_kb < 0 ? UINT64_MAX
						  : (uint64_t)perf_limits.mlock_kb / 4 * nr_cpus,
		 held = account_held(uid, ACCOUNT_RINGS), used = held < limit ? held : limit;

	return used + pages > limit ? used + pages - limit : 0;
}

/* Updates the user page's times for the running task. */
static void come_and_go(void *event)
{
	context_unsteady(event);
}

int perf_map_charge(const struct mm *mm, uint64_t pages, uint64_t *extra)
{
	uint64_t memlock = current_task()->process->limits[RLIMIT_MEMLOCK][0] / PAGE_SIZE;

	*extra = pages_beyond_limit(current_task()->cred.uid.real, pages);
	if (mm->locked_pages + *extra > memlock && perf_limits.paranoid > -1 &&
	    !capable(CAP_IPC_LOCK))
		return -EPERM;
	return 0;
}

static int new_ring(struct perf_event *event, const struct vma *vma, uint64_t nr_pages)
{
	uint32_t uid = current_task()->cred.uid.real;
	uint64_t extra;
	struct ring *ring;
	int err = perf_map_charge(vma->mm, nr_pages + 1, &extra);

	if (err)
		return err;
	if (nr_pages >> 31)
		return -ENOMEM;
	ring =
	    ring_new((uint32_t)nr_pages, event->attr.watermark ? event->attr.wakeup_watermark : 0,
		     vma->prot & PROT_WRITE);
	if (!ring)
		return -ENOMEM;
	if (!account_take(uid, ACCOUNT_RINGS, nr_pages + 1 - extra, ACCOUNT_FREE)) {
		ring_put(ring);
		return -ENOMEM;
	}
	ring->charged_uid = uid;
	ring->owner = event;
	context_run(event->ctx, come_and_go, event);
	userpage_begin(event, ring);
	ring->locked_extra = extra;
	vma->mm->locked_pages += extra;
	event_attach_ring(event, ring);
	ring_put(ring);
	return 0;
}

static void update_user_page(void *event)
{
	userpage_update(event);
}

int perf_mmap(struct file *file, struct vma *vma)
{
	struct perf_event *event = file->priv;
	uint64_t pages = (vma->end - vma->start) / PAGE_SIZE, data = pages - 1;
	int err;

	if ((event->cpu == -1 && event->attr.inherit) || !(vma->flags & MAP_SHARED))
		return -EINVAL;
	if (vma->pgoff)
		return perf_map_aux(event, vma, pages);
	if (data & (data - 1))
		return -EINVAL;
	if (event->ring && event->ring->nr_pages != data)
		return -EINVAL;
	if (!event->ring) {
		err = new_ring(event, vma, data);
		if (err)
			return err;
	}
	vma->ops = &perf_vma_ops;
	vma->priv = event->ring;
	vma->flags |= VMA_DONTCOPY;
	opened(vma);
	context_run(event->ctx, update_user_page, event);
	return 0;
}

/* Two events can share a ring if one reader can interpret the records of both and one processor at
 * a time writes. */
static bool can_share(const struct perf_event *event, const struct perf_event *output)
{
	if (output == event || output->cpu != event->cpu)
		return false;
	if (output->cpu == -1 && output->ctx != event->ctx)
		return false;
	return output->clockid == event->clockid &&
	       output->attr.write_backward == event->attr.write_backward;
}

int perf_set_output(struct perf_event *event, struct perf_event *output)
{
	if (output && !can_share(event, output))
		return -EINVAL;
	/* The event's own ring is mapped, or there is nothing to share. */
	if (event->mmap_count || (output && !output->ring))
		return -EINVAL;
	event_attach_ring(event, output ? output->ring : NULL);
	return 0;
}
