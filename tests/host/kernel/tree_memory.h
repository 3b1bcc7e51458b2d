/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacements of the kernel functions that the file tree calls: memory, the clock, accounts. */
#ifndef TESTS_HOST_TREE_MEMORY_H
#define TESTS_HOST_TREE_MEMORY_H

#include "kernel/mem/account.h"

/* The kernel's memory: blocks of the C library, all freed by tree_reset(). */
struct block {
	struct block *next, *prev;
	uint64_t reserved[2];
};

static struct block blocks = {&blocks, &blocks, {0}};

static void *block_new(size_t size)
{
	struct block *block = calloc(1, sizeof(*block) + size);

	assert_non_null(block);
	block->next = blocks.next;
	block->prev = &blocks;
	blocks.next->prev = block;
	blocks.next = block;
	return block + 1;
}

static void block_drop(void *object)
{
	struct block *block = (struct block *)object - 1;

	block->next->prev = block->prev;
	block->prev->next = block->next;
	free(block);
}

void *kalloc(size_t size)
{
	return block_new(size);
}

void kfree(void *object)
{
	if (object)
		block_drop(object);
}

/* A page starts with its count of references, out of sight. */
void *page_alloc_dirty(void)
{
	uint64_t *refs = block_new(16 + PAGE_SIZE);

	*refs = 1;
	return refs + 2;
}

unsigned page_refs(const void *page)
{
	return (unsigned)((const uint64_t *)page)[-2];
}

void page_get(void *page)
{
	((uint64_t *)page)[-2]++;
}

void page_put(void *page)
{
	if (--((uint64_t *)page)[-2] == 0)
		block_drop((uint64_t *)page - 2);
}

uint64_t memory_total_pages(void)
{
	return 64;
}

void page_copy(void *to, const void *from)
{
	memcpy(to, from, PAGE_SIZE);
}

int64_t clock_real_ns(void)
{
	return 0;
}

/* No user's accounts are kept. */
bool account_take(uint32_t uid, enum account_kind kind, uint64_t amount, uint64_t most)
{
	(void)uid;
	(void)kind;
	(void)amount;
	(void)most;
	return true;
}

void account_give(uint32_t uid, enum account_kind kind, uint64_t amount)
{
	(void)uid;
	(void)kind;
	(void)amount;
}

#endif
