/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF_MAP_TYPE_RINGBUF: records of programs in a ring that the application maps. A record is
 * contiguous: a discarded record fills the rest before the ring's end, where Linux maps the data
 * twice.
 */
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include "bpf/map/map.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/mem/memory.h"
#include "kernel/task/waitq.h"
#include "kernel/time/timer.h"
#include "kernel/vm/vm.h"

#define HEADER_BYTES 8

/* The first words of the consumer's page and of the producer's page. */
struct ringbuf {
	struct spinlock lock;
	uint64_t mask;
	uint8_t *data;
	uint64_t *consumer, *producer; /* positions, each in a page of its own */
	struct waitq waitq;
	struct irq_work work;
};

struct record {
	uint32_t length; /* with BPF_RINGBUF_BUSY_BIT, _DISCARD_BIT */
	uint32_t page;   /* how far from the ring's start: Linux's, for its own use */
};

static void wake(struct irq_work *work)
{
	waitq_wake(&container_of(work, struct ringbuf, work)->waitq);
}

static void ring_destroy(struct bpf_map *map)
{
	struct ringbuf *ring = map->ring;

	irq_work_sync(&ring->work);
	if (ring->data)
		for (uint64_t at = 0; at <= ring->mask; at += PAGE_SIZE)
			page_put(ring->data + at);
	if (ring->consumer)
		page_put(ring->consumer);
	if (ring->producer)
		page_put(ring->producer);
	kfree(ring);
}

static int ring_init(struct bpf_map *map)
{
	struct ringbuf *ring;

	if (map->key_size || map->value_size || !map->max_entries ||
	    map->max_entries & (map->max_entries - 1) || map->max_entries % PAGE_SIZE)
		return -EINVAL;
	if (map->max_entries > MAP_BYTES_MAX)
		return -ENOMEM;
	ring = map->ring = kalloc(sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ring->mask = map->max_entries - 1;
	ring->data = pages_alloc(map->max_entries);
	ring->consumer = page_alloc();
	ring->producer = page_alloc();
	waitq_init(&ring->waitq);
	ring->work.run = wake;
	if (ring->data && ring->consumer && ring->producer)
		return 0;
	ring_destroy(map);
	return -ENOMEM;
}

static uint64_t consumed(const struct ringbuf *ring)
{
	return __atomic_load_n(ring->consumer, __ATOMIC_ACQUIRE);
}

static uint64_t produced(const struct ringbuf *ring)
{
	return __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
}

static struct record *record_at(const struct ringbuf *ring, uint64_t position)
{
	return (struct record *)(ring->data + (position & ring->mask));
}

/* Appends a record of that length. With the lock. */
static struct record *append(struct ringbuf *ring, uint64_t *position, uint32_t length)
{
	struct record *record = record_at(ring, *position);

	record->page = (uint32_t)((*position & ring->mask) >> 12);
	__atomic_store_n(&record->length, length, __ATOMIC_RELEASE);
	*position += HEADER_BYTES +
		     (((length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT)) + 7) & ~7ul);
	return record;
}

void *ring_record_reserve(struct bpf_map *map, uint32_t size)
{
	struct ringbuf *ring = map->ring;
	uint64_t whole = HEADER_BYTES + ((size + 7ul) & ~7ul), position, left, skip, flags;
	struct record *record = NULL;

	if (size >> 30 || whole > ring->mask + 1 || !map_lock(&ring->lock, &flags))
		return NULL;
	position = produced(ring);
	left = ring->mask + 1 - (position & ring->mask);
	skip = left < whole ? left : 0;
	if (position + skip + whole - consumed(ring) <= ring->mask + 1) {
		if (skip)
			append(ring, &position,
			       (uint32_t)(skip - HEADER_BYTES) | BPF_RINGBUF_DISCARD_BIT);
		record = append(ring, &position, size | BPF_RINGBUF_BUSY_BIT);
		__atomic_store_n(ring->producer, position, __ATOMIC_RELEASE);
	}
	map_unlock(&ring->lock, flags);
	return record ? record + 1 : NULL;
}

/* The reader is woken if it has read everything before this record. */
void ring_record_commit(struct bpf_map *map, void *data, uint64_t flags, bool discard)
{
	struct ringbuf *ring = map->ring;
	struct record *record = (struct record *)data - 1;
	uint32_t length = record->length & ~BPF_RINGBUF_BUSY_BIT;
	uint64_t place = (uint64_t)((uint8_t *)record - ring->data);

	__atomic_exchange_n(&record->length, length | (discard ? BPF_RINGBUF_DISCARD_BIT : 0),
			    __ATOMIC_SEQ_CST);
	if (flags & BPF_RB_FORCE_WAKEUP ||
	    (!(flags & BPF_RB_NO_WAKEUP) && (consumed(ring) & ring->mask) == place))
		irq_work_queue(&ring->work);
}

uint64_t ring_record_query(struct bpf_map *map, uint64_t what)
{
	const struct ringbuf *ring = map->ring;

	switch (what) {
	case BPF_RB_AVAIL_DATA:
		return produced(ring) - consumed(ring);
	case BPF_RB_RING_SIZE:
		return ring->mask + 1;
	case BPF_RB_CONS_POS:
		return consumed(ring);
	case BPF_RB_PROD_POS:
		return produced(ring);
	default:
		return 0;
	}
}

static unsigned ring_poll(struct bpf_map *map, struct poll_table *table)
{
	struct ringbuf *ring = map->ring;
	uint64_t at = consumed(ring), end = produced(ring);

	poll_wait(table, &ring->waitq);
	return at != end && !(record_at(ring, at & ~7ul)->length & BPF_RINGBUF_BUSY_BIT)
		   ? POLLIN | POLLRDNORM
		   : 0;
}

/* The mapping: the consumer's page, the producer's, and the data twice. */
static void *fault(struct vma *vma, uint64_t index, bool write)
{
	struct bpf_map *map = vma->priv;
	struct ringbuf *ring = map->ring;
	uint64_t pages = (ring->mask + 1) / PAGE_SIZE;
	void *page;

	if ((write && index) || index >= 2 + 2 * pages)
		return NULL;
	if (index < 2)
		page = index ? ring->producer : ring->consumer;
	else
		page = ring->data + (index - 2) % pages * PAGE_SIZE;
	page_get(page);
	return page;
}

static void opened(struct vma *vma)
{
	map_get(vma->priv);
}

static void closed(struct vma *vma)
{
	map_put(vma->priv);
}

static const struct vma_ops ring_vma_ops = {
    .fault = fault, .open = opened, .close = closed, .no_split = true};

static int ring_mmap(struct bpf_map *map, struct vma *vma)
{
	uint64_t pages = (vma->end - vma->start) / PAGE_SIZE;

	if (vma->prot & PROT_WRITE && (vma->pgoff || pages != 1))
		return -EPERM;
	if (vma->pgoff + pages > 2 + 2 * ((map->ring->mask + 1) / PAGE_SIZE))
		return -EINVAL;
	vma->ops = &ring_vma_ops;
	vma->priv = map;
	opened(vma);
	return 0;
}

const struct map_kind ring_kind = {
    .flags = BPF_F_NUMA_NODE,
    .init = ring_init,
    .destroy = ring_destroy,
    .mmap = ring_mmap,
    .poll = ring_poll,
};
