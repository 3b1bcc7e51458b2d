/* SPDX-License-Identifier: BSD-2-Clause */
/* mmap(2) of an event's AUX area, at the offset and of the size that the application has put into
 * the user page. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "api/perf/perf.h"
#include "api/perf/perf_map.h"
#include "kernel/base/assert.h"
#include "kernel/file/file.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/vm/vm.h"
#include "pmu/base/context.h"
#include "pmu/core/core.h"
#include "pmu/record/userpage.h"
#include "ringbuf/aux.h"

/* The application may read the area only. */
static void *fault(struct vma *vma, uint64_t index, bool write)
{
	const struct ring *ring = vma->priv;
	void *page;

	if (write || !ring->aux || index - ring->aux->page_index >= ring->aux->nr_pages)
		return NULL;
	page = ring->aux->pages[index - ring->aux->page_index];
	page_get(page);
	return page;
}

static void opened(struct vma *vma)
{
	struct perf_event *event = vma->file->priv;
	struct ring *ring = vma->priv;

	ring->aux->mmap_count++;
	perf_map_opened(event, ring);
}

static void stop_here(void *argument)
{
	struct perf_event *event = argument;

	if (event->state == EVENT_ACTIVE && event->pmu->setup_aux)
		event->pmu->stop(event);
}

/* Ends the transactions of all events that write to the ring's area. No other begins: it has no
 * mapping. */
static void stop_writers(const struct ring *ring)
{
	struct perf_event *event, *child;

	list_for_each(event, &ring->users, ring_link) {
		context_run(event->ctx, stop_here, event);
		list_for_each(child, &event->children, child_link)
			context_run(child->ctx, stop_here, child);
	}
}

static void drop_area(struct ring *ring, struct mm *mm)
{
	struct aux_area *aux = ring->aux;

	stop_writers(ring);
	account_give(aux->charged_uid, ACCOUNT_RINGS, aux->nr_pages - aux->locked_extra);
	mm->locked_pages -=
	    aux->locked_extra < mm->locked_pages ? aux->locked_extra : mm->locked_pages;
	__atomic_store_n(&ring->aux, NULL, __ATOMIC_RELEASE);
	remote_synchronize();
	aux_free(aux);
}

static void closed(struct vma *vma)
{
	struct perf_event *event = vma->file->priv;
	struct ring *ring = vma->priv;

	KASSERT(ring->aux->mmap_count > 0);
	if (--ring->aux->mmap_count == 0)
		drop_area(ring, vma->mm);
	perf_map_closed(event, ring, vma->mm);
}

static const struct vma_ops aux_vma_ops = {
    .fault = fault,
    .open = opened,
    .close = closed,
    .no_split = true,
};

static int check_place(const struct ring *ring, const struct vma *vma, uint64_t pages)
{
	uint64_t offset = __atomic_load_n(&ring->user_page->aux_offset, __ATOMIC_RELAXED),
		 bytes = __atomic_load_n(&ring->user_page->aux_size, __ATOMIC_RELAXED);

	if (offset < ring_data_bytes(ring) + PAGE_SIZE || offset != vma->pgoff * PAGE_SIZE)
		return -EINVAL;
	if (bytes != pages * PAGE_SIZE || (pages & (pages - 1)))
		return -EINVAL;
	if (ring->aux && (ring->aux->page_index != vma->pgoff || ring->aux->nr_pages != pages))
		return -EINVAL;
	return 0;
}

/* Lets the PMU prepare the area and charges it to the user. On failure frees both. */
static int prepare(struct perf_event *event, struct aux_area *aux, uint32_t uid, uint64_t extra)
{
	int err = event->pmu->setup_aux(event, aux);

	if (!err && !account_take(uid, ACCOUNT_RINGS, aux->nr_pages - extra, ACCOUNT_FREE))
		err = -ENOMEM;
	if (err)
		aux_free(aux);
	return err;
}

static int new_area(struct perf_event *event, const struct vma *vma, uint64_t pages)
{
	uint32_t uid = current_task()->cred.uid.real;
	uint64_t extra;
	struct aux_area *aux;
	int err = perf_map_charge(vma->mm, pages, &extra);

	if (err)
		return err;
	if (!event->pmu->setup_aux)
		return -EOPNOTSUPP;
	aux = pages >> 31 ? NULL
			  : aux_new((uint32_t)pages, vma->pgoff, event->attr.aux_watermark,
				    !(vma->prot & PROT_WRITE));
	if (!aux)
		return -ENOMEM;
	err = prepare(event, aux, uid, extra);
	if (err)
		return err;
	aux->charged_uid = uid;
	aux->locked_extra = extra;
	vma->mm->locked_pages += extra;
	__atomic_store_n(&event->ring->aux, aux, __ATOMIC_RELEASE);
	return 0;
}

int perf_map_aux(struct perf_event *event, struct vma *vma, uint64_t pages)
{
	struct ring *ring = event->ring;
	int err = ring ? check_place(ring, vma, pages) : -EINVAL;

	if (!err && !ring->aux)
		err = new_area(event, vma, pages);
	if (err)
		return err;
	vma->ops = &aux_vma_ops;
	vma->priv = ring;
	vma->flags |= VMA_DONTCOPY;
	opened(vma);
	return 0;
}
