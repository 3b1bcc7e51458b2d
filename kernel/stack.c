/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel stacks: each slot of the stack region is an unmapped guard and, above it, the stack. A few
 * freed ones are kept mapped for reuse. */
#include "arch/x86/paging.h"
#include "arch/x86/spinlock.h"
#include "arch/x86/traps.h"
#include "kernel/memory.h"
#include "kernel/stack.h"

#define SLOT_BYTES (2 * STACK_BYTES) /* the lower half stays unmapped */

#define SLOTS     40960 /* tasks at a time, at most */
#define KEPT_MOST 64

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
		stacks.nr_free--;
	}
	spin_unlock_irqrestore(&stacks.lock, flags);
	return top;
}

/* The top of the stack of an unused slot; 0: all are used. */
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

/* Unmaps and frees the pages of [bottom, end). */
static void unmap_pages(uint64_t bottom, uint64_t end)
{
	uint64_t pages[STACK_BYTES / PAGE_SIZE];
	unsigned nr = 0;

	for (uint64_t at = bottom; at < end; at += PAGE_SIZE)
		pages[nr++] = paging_unmap_kernel(at);
	paging_flush_kernel(bottom, end);
	while (nr)
		page_put(phys_virt(pages[--nr]));
}

uint64_t stack_alloc(void)
{
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
			unmap_pages(top - STACK_BYTES, at);
			put_slot(top);
			return 0;
		}
	}
	return top;
}

void stack_free(uint64_t top)
{
	uint64_t flags = spin_lock_irqsave(&stacks.lock);
	bool keep = stacks.nr_free < KEPT_MOST;

	if (keep) {
		*next_free(top) = stacks.free;
		stacks.free = top;
		stacks.nr_free++;
	}
	spin_unlock_irqrestore(&stacks.lock, flags);
	if (keep)
		return;
	unmap_pages(top - STACK_BYTES, top);
	put_slot(top);
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
