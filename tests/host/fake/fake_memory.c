/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for host tests: pages are in a file, so that a ring can be mapped as the application
 * sees it. */
#define _GNU_SOURCE
#include "tests/host/fake/fake_kernel.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arch/x86/paging/paging.h"
#include "kernel/base/symbols.h"
#include "kernel/mem/user.h"
#include "kernel/mem/account.h"
#include "tests/host/fake/fake_machine.h"

#define ARENA_PAGES 4096

static int arena_fd = -1;
static char *arena;
static unsigned page_users[ARENA_PAGES];

unsigned fake_fails_after;

static bool fails(void)
{
	return fake_fails_after && !--fake_fails_after;
}

void *kalloc(size_t size)
{
	void *object = fails() ? NULL : calloc(1, size);

	fake_open_objects += object != NULL;
	return object;
}

void *kalloc_span(size_t size)
{
	return kalloc(size);
}

void kfree(void *object)
{
	fake_open_objects -= object != NULL;
	free(object);
}

/* All users have one account here. */
static uint64_t held[NR_ACCOUNTS];

bool account_take(uint32_t uid, enum account_kind kind, uint64_t amount, uint64_t limit)
{
	(void)uid;
	if (amount > limit || held[kind] > limit - amount)
		return false;
	held[kind] += amount;
	return true;
}

void account_give(uint32_t uid, enum account_kind kind, uint64_t amount)
{
	(void)uid;
	held[kind] -= amount;
}

uint64_t account_held(uint32_t uid, enum account_kind kind)
{
	(void)uid;
	return held[kind];
}

static void open_arena(void)
{
	if (arena)
		return;
	arena_fd = memfd_create("pages", 0);
	assert_int_equal(ftruncate(arena_fd, ARENA_PAGES * PAGE_SIZE), 0);
	arena =
	    mmap(NULL, ARENA_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, arena_fd, 0);
	assert_ptr_not_equal(arena, MAP_FAILED);
}

uint64_t page_phys(const void *virt)
{
	return (uint64_t)(uintptr_t)virt;
}

void *page_alloc(void)
{
	if (fails())
		return NULL;
	open_arena();
	for (unsigned i = 0; i < ARENA_PAGES; i++) {
		if (page_users[i])
			continue;
		page_users[i] = 1;
		fake_open_objects++;
		return memset(arena + i * PAGE_SIZE, 0, PAGE_SIZE);
	}
	return NULL;
}

static unsigned page_index(const void *page)
{
	return (unsigned)(((const char *)page - arena) / (long)PAGE_SIZE);
}

void fake_map_page(const void *page, void *at)
{
	mmap(at, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, arena_fd,
	     (off_t)(page_index(page) * PAGE_SIZE));
}

/* The first run of free pages that is long enough. */
void *pages_alloc(size_t bytes)
{
	unsigned nr = (unsigned)(bytes / PAGE_SIZE), run = 0, i = 0;

	if (fails())
		return NULL;
	open_arena();
	for (; i < ARENA_PAGES && run < nr; i++)
		run = page_users[i] ? 0 : run + 1;
	if (run < nr)
		return NULL;
	for (unsigned page = i - nr; page < i; page++)
		page_users[page] = 1;
	fake_open_objects += nr;
	return memset(arena + (i - nr) * PAGE_SIZE, 0, bytes);
}

void page_get(void *page)
{
	page_users[page_index(page)]++;
}

void page_put_zeros(void *page)
{
	page_put(page);
}

void page_put(void *page)
{
	fake_open_objects -= --page_users[page_index(page)] == 0;
}

uint64_t memory_free_pages(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < ARENA_PAGES; i++)
		n += page_users[i] == 0;
	return n;
}

int copy_from_user(void *to, uint64_t from, size_t bytes)
{
	if (from < PAGE_SIZE)
		return -EFAULT;
	memcpy(to, (const void *)from, bytes);
	return 0;
}

int copy_to_user(uint64_t to, const void *from, size_t bytes)
{
	if (to < PAGE_SIZE)
		return -EFAULT;
	memcpy((void *)to, from, bytes);
	return 0;
}

long put_user_word(uint64_t to, uint64_t value)
{
	return copy_to_user(to, &value, sizeof(value)) ? -EFAULT : (long)sizeof(value);
}

long copy_string_from_user(char *to, uint64_t from, size_t size)
{
	if (from < PAGE_SIZE)
		return -EFAULT;
	if (strlen((const char *)from) >= size)
		return -ENAMETOOLONG;
	strcpy(to, (const char *)from);
	return (long)strlen(to);
}

struct fake_code fake_code;

/* NMIs read only the fake code of the application and the kernel. */
size_t peek_user(void *to, uint64_t from, size_t bytes)
{
	uint64_t offset = from - fake_code.at;

	if (offset >= fake_code.bytes)
		return 0;
	if (bytes > fake_code.bytes - offset)
		bytes = fake_code.bytes - offset;
	memcpy(to, fake_code.code + offset, bytes);
	return bytes;
}

const void *peek_page(uint64_t page)
{
	(void)page;
	return NULL;
}

size_t symbols_code(void *to, uint64_t address, size_t bytes)
{
	return peek_user(to, address, bytes);
}

bool paging_query(uint64_t root, uint64_t virt, struct paging_entry *entry)
{
	(void)root, (void)virt, (void)entry;
	return false;
}
