/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heap checks of the debug kernel. Each small object is followed by a red zone and a note of its
 * allocator. A freed object is poisoned and kept for a while, so that writes after free are
 * detected.
 */
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/debug/checks/fail.h"
#include "kernel/debug/checks/heap.h"
#include "kernel/debug/place.h"
#include "kernel/debug/replace.h"
#include "kernel/mem/page.h"

#define SMALL      2048u /* larger objects have neither red zone nor note */
#define RED        0xbb
#define FREED      0x6b
#define MAGIC_LIVE 0x11fe11feu
#define MAGIC_DEAD 0xdeaddeadu
#define KEPT       512 /* freed objects that are kept back */

typedef void *allocate(size_t size);

REAL(kalloc);
REAL(kalloc_span);
REAL(kfree);

/* At the very end of the memory that the object has. */
struct note {
	struct list link; /* of all live ones, oldest first */
	const void *maker;
	uint64_t serial;
	uint32_t size, magic;
};

static struct {
	struct spinlock lock;
	struct list live;
	uint64_t serial;
	struct heap_count count;
	void *kept[KEPT]; /* a ring: the oldest is at `next` */
	unsigned next;
} heap = {.live = {&heap.live, &heap.live}};

static struct note *note_of(void *object)
{
	return (struct note *)((char *)object + kalloc_room(object)) - 1;
}

/* The first byte of [from, to) that differs from `byte`, or NULL. */
static const uint8_t *first_other(const void *from, const void *to, uint8_t byte)
{
	for (const uint8_t *at = from; at < (const uint8_t *)to; at++)
		if (*at != byte)
			return at;
	return NULL;
}

static void check_red_zone(char *object, const struct note *note)
{
	const uint8_t *at;

	if (note->magic != MAGIC_LIVE || note->size > SMALL)
		panic("check: %p is not an object, or its end was overwritten (%x, made at %s)",
		      (void *)object, note->magic, place(note->maker));
	at = first_other(object + note->size, note, RED);
	if (at)
		panic("check: object %p of %u bytes made at %s was overrun at byte %ld",
		      (void *)object, note->size, place(note->maker), (const char *)at - object);
}

/* Frees a kept object after checking that its poison is intact. */
static void let_go(char *object)
{
	const struct note *note = note_of(object);
	const uint8_t *at = first_other(object, note, FREED);

	if (at || note->magic != MAGIC_DEAD)
		panic("check: object %p of %u bytes made at %s was changed after its end, at byte "
		      "%ld",
		      (void *)object, note->size, place(note->maker),
		      at ? (const char *)at - object : -1l);
	__real_kfree(object);
}

void heap_flush(void)
{
	for (unsigned i = 0; i < KEPT; i++) {
		uint64_t flags = spin_lock_irqsave(&heap.lock);
		void *object = heap.kept[i];

		heap.kept[i] = NULL;
		spin_unlock_irqrestore(&heap.lock, flags);
		if (object)
			let_go(object);
	}
}

static void *alloc_or_flush(allocate *real, size_t size)
{
	void *object = real(size);

	if (object)
		return object;
	heap_flush();
	return real(size);
}

static void *alloc_noted(size_t size, const void *maker)
{
	char *object = alloc_or_flush(__real_kalloc, size + sizeof(struct note) + 16);
	struct note *note;
	uint64_t flags;

	if (!object)
		return NULL;
	if (page_of(object)->kind == PAGE_BLOCK)
		page_of(object)->objects = NULL;
	note = note_of(object);
	memset(object + size, RED, (size_t)((char *)note - object) - size);
	note->maker = maker;
	note->size = (uint32_t)size;
	note->magic = MAGIC_LIVE;
	flags = spin_lock_irqsave(&heap.lock);
	note->serial = heap.serial++;
	list_add_tail(&heap.live, &note->link);
	heap.count.small++;
	spin_unlock_irqrestore(&heap.lock, flags);
	return object;
}

static void *alloc_checked(allocate *real, size_t size, const void *maker)
{
	void *object;

	if (fail_now(FAIL_KALLOC, maker))
		return NULL;
	if (size <= SMALL)
		return alloc_noted(size, maker);
	object = alloc_or_flush(real, size);
	if (object) {
		page_of(object)->objects = object; /* says that it has no note */
		__atomic_fetch_add(&heap.count.large, 1, __ATOMIC_RELAXED);
	}
	return object;
}

REPLACE(void *, kalloc, size_t size)
{
	return alloc_checked(__real_kalloc, size, __builtin_return_address(0));
}

REPLACE(void *, kalloc_span, size_t size)
{
	return alloc_checked(__real_kalloc_span, size, __builtin_return_address(0));
}

/* Keeps a freed object back. Returns the object that it displaces, or NULL. */
static void *keep(void *object)
{
	uint64_t flags = spin_lock_irqsave(&heap.lock);
	void *old = heap.kept[heap.next];

	list_remove(&note_of(object)->link);
	heap.count.small--;
	heap.kept[heap.next] = object;
	heap.next = (heap.next + 1) % KEPT;
	spin_unlock_irqrestore(&heap.lock, flags);
	return old;
}

REPLACE(void, kfree, void *object)
{
	struct note *note;
	struct page *page;

	if (!object)
		return;
	page = page_of(object);
	if (page->kind != PAGE_SLAB && page->kind != PAGE_BLOCK)
		panic("check: kfree(%p) of what is no object", object);
	if (page->kind == PAGE_BLOCK && page->objects == object) {
		page->objects = NULL;
		__atomic_fetch_sub(&heap.count.large, 1, __ATOMIC_RELAXED);
		__real_kfree(object);
		return;
	}
	note = note_of(object);
	if (note->magic == MAGIC_DEAD)
		panic("check: object %p of %u bytes made at %s is freed again", object, note->size,
		      place(note->maker));
	check_red_zone(object, note);
	memset(object, FREED, (size_t)((char *)note - (char *)object));
	note->magic = MAGIC_DEAD;
	object = keep(object);
	if (object)
		let_go(object);
}

struct heap_count heap_count(void)
{
	return heap.count;
}

uint64_t heap_serial(void)
{
	return heap.serial;
}

void heap_check(void)
{
	uint64_t flags = spin_lock_irqsave(&heap.lock);
	struct note *note;

	list_for_each(note, &heap.live, link) {
		size_t room = kalloc_room(note);
		char *page = (char *)((uintptr_t)note & -PAGE_SIZE);

		check_red_zone(page + (size_t)((char *)note - page) / room * room, note);
	}
	spin_unlock_irqrestore(&heap.lock, flags);
}

void heap_print_since(uint64_t serial)
{
	struct note *note;

	list_for_each(note, &heap.live, link)
		if (note->serial >= serial)
			log_info("check: an object of %u bytes made at %s is left", note->size,
				 place(note->maker));
}
