/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel stacks: each slot of the stack region is an unmapped guard and, above it, the stack. Freed
 * ones are kept mapped for reuse. */
#include "arch/x86/paging.h"
#include "arch/x86/spinlock.h"
#include "arch/x86/traps.h"
#include "kernel/memory.h"
#include "kernel/stack.h"

#define SLOT_BYTES (2 * STACK_BYTES) /* the lower half stays unmapped */

static struct {
	struct spinlock lock;
	uint64_t free; /* top of the first free stack, which holds the next one's top just below it;
			  0: none */
	uint64_t slots; /* that were ever used */
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

	if (top)
		stacks.free = *next_free(top);
	spin_unlock_irqrestore(&stacks.lock, flags);
	return top;
}

static uint64_t new_slot(void)
{
	return STACK_REGION +
	       SLOT_BYTES * (1 + __atomic_fetch_add(&stacks.slots, 1, __ATOMIC_RELAXED));
}

/* Unmaps and frees the pages of [bottom, end). */
static void unmap_pages(uint64_t bottom, uint64_t end)
{
	for (uint64_t at = bottom; at < end; at += PAGE_SIZE)
		page_put(phys_virt(paging_unmap_kernel(at)));
}

uint64_t stack_alloc(void)
{
	uint64_t top = take_free();

	if (top)
		return top;
	top = new_slot();
	for (uint64_t at = top - STACK_BYTES; at < top; at += PAGE_SIZE) {
		void *page = page_alloc();

		if (!page || paging_map_kernel(at, page_phys(page))) {
			if (page)
				page_put(page);
			unmap_pages(top - STACK_BYTES, at);
			return 0;
		}
	}
	return top;
}

void stack_free(uint64_t top)
{
	uint64_t flags = spin_lock_irqsave(&stacks.lock);

	*next_free(top) = stacks.free;
	stacks.free = top;
	spin_unlock_irqrestore(&stacks.lock, flags);
}

bool stack_is_guard(uint64_t address)
{
	if (address >= STACK_REGION && address < STACK_REGION + SLOT_BYTES * (1 + stacks.slots))
		return address % SLOT_BYTES < SLOT_BYTES - STACK_BYTES;
	for (unsigned i = 0; i < BOOT_STACKS; i++)
		if (address - boot_stack_guards[i] < PAGE_SIZE)
			return true;
	return false;
}
