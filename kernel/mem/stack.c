/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel stacks: each slot of the stack region is an unmapped guard page and, above it, the stack.
 * Some freed stacks stay mapped for reuse; surplus ones are unmapped in batches, because every
 * unmapping needs a TLB shootdown on all processors. */
#include "arch/x86/cpu/spinlock.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/assert.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/stack.h"

#define SLOT_BYTES (2 * STACK_BYTES) /* the lower half stays unmapped */

#define SLOTS    40960 /* tasks at a time, at most */
#define KEPT_MAX 64
#define BATCH    32 /* stacks that go at once */

static struct {
	struct spinlock lock;
	uint64_t free; /* top of the first kept stack, which holds the next one's top just below it;
			  0: none */
	unsigned nr_free;
	uint64_t used[SLOTS / 64]; /* slots with a stack in them, kept ones included */
} stacks;

/* The word in a free stack that names the next one. */
static uint64_t *next_free(uint64_t top)
{
	return (uint64_t *)(top - sizeof(uint64_t));
}

static uint64_t take_free(void)
{
	uint64_t flags = spin_lock_irqsave(&stacks.lock);
	uint64_t top = stacks.free;

	if (top) {
		stacks.free = *next_free(top);
		KASSERT(stacks.nr_free > 0);
		stacks.nr_free--;
	}
	spin_unlock_irqrestore(&stacks.lock, flags);
	return top;
}

/* Returns the top of an unused slot's stack; 0: all are used. */
static uint64_t take_slot(void)
{
	uint64_t flags = spin_lock_irqsave(&stacks.lock), slot = 0;

	while (slot < SLOTS / 64 && stacks.used[slot] == UINT64_MAX)
		slot++;
	if (slot < SLOTS / 64) {
		unsigned bit = (unsigned)__builtin_ctzl(~stacks.used[slot]);

		stacks.used[slot] |= 1ul << bit;
		slot = slot * 64 + bit;
	} else {
		slot = SLOTS;
	}
	spin_unlock_irqrestore(&stacks.lock, flags);
	return slot < SLOTS ? STACK_REGION + SLOT_BYTES * (1 + slot) : 0;
}

static void put_slot(uint64_t top)
{
	uint64_t slot = (top - STACK_REGION) / SLOT_BYTES - 1;
	uint64_t flags = spin_lock_irqsave(&stacks.lock);

	stacks.used[slot / 64] &= ~(1ul << slot % 64);
	spin_unlock_irqrestore(&stacks.lock, flags);
}

/* Unmapped pages that may still be in a processor's TLB: each holds the address of the next. */
struct unmapped {
	uint64_t *first;
	uint64_t bottom, end; /* all of them were mapped in there */
};

static void unmap_pages(uint64_t bottom, uint64_t end, struct unmapped *unmapped)
{
	for (uint64_t at = bottom; at < end; at += PAGE_SIZE) {
		uint64_t *page = phys_virt(paging_unmap_kernel(at));

		*page = (uint64_t)(uintptr_t)unmapped->first;
		unmapped->first = page;
	}
	if (bottom < unmapped->bottom)
		unmapped->bottom = bottom;
	if (end > unmapped->end)
		unmapped->end = end;
}

/* Flushes the pages from all TLBs, and frees them. */
static void free_pages(struct unmapped *unmapped)
{
	uint64_t *page = unmapped->first;

	paging_flush_kernel(unmapped->bottom, unmapped->end);
	while (page) {
		uint64_t *next = (uint64_t *)*page;

		page_put(page);
		page = next;
	}
}

uint64_t stack_alloc(void)
{
	struct unmapped unmapped = {NULL, UINT64_MAX, 0};
	uint64_t top = take_free();

	if (top)
		return top;
	top = take_slot();
	if (!top)
		return 0;
	for (uint64_t at = top - STACK_BYTES; at < top; at += PAGE_SIZE) {
		void *page = page_alloc();

		if (!page || paging_map_kernel(at, page_phys(page))) {
			if (page)
				page_put(page);
			unmap_pages(top - STACK_BYTES, at, &unmapped);
			free_pages(&unmapped);
			put_slot(top);
			return 0;
		}
	}
	return top;
}

/* Returns the number of free stacks. */
static unsigned put_free(uint64_t top)
{
	uint64_t flags = spin_lock_irqsave(&stacks.lock);
	unsigned nr = ++stacks.nr_free;

	*next_free(top) = stacks.free;
	stacks.free = top;
	spin_unlock_irqrestore(&stacks.lock, flags);
	return nr;
}

/* The slots may be reused only when no TLB holds the old mappings. */
static void drop_batch(void)
{
	struct unmapped unmapped = {NULL, UINT64_MAX, 0};
	uint64_t tops[BATCH];

	for (unsigned i = 0; i < BATCH; i++) {
		tops[i] = take_free();
		unmap_pages(tops[i] - STACK_BYTES, tops[i], &unmapped);
	}
	free_pages(&unmapped);
	for (unsigned i = 0; i < BATCH; i++)
		put_slot(tops[i]);
}

void stack_free(uint64_t top)
{
	if (put_free(top) > KEPT_MAX)
		drop_batch();
}

bool stack_is_guard(uint64_t address)
{
	if (address >= STACK_REGION && address < STACK_REGION + SLOT_BYTES * SLOTS)
		return address % SLOT_BYTES < SLOT_BYTES - STACK_BYTES;
	for (unsigned i = 0; i < BOOT_STACKS; i++)
		if (address - boot_stack_guards[i] < PAGE_SIZE)
			return true;
	return false;
}
