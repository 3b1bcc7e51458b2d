/* SPDX-License-Identifier: BSD-2-Clause */
/* The short ways of accesses to memory change what the long one does. */
#include "tests/sim/one_memory.h"

#define ACCESSES 400000
#define PAGES    96 /* more than any of the TLBs below has */

static uint64_t random_state = 1;

static unsigned any(unsigned limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % limit;
}

/* Pages are in memory in another order; every page has a favourite line, so that L1D hits often. */
static struct access any_access(uint64_t now)
{
	unsigned page = any(8) ? any(12) * 8 : any(PAGES);
	uint64_t in_page = any(3) ? page % 61 * 64 + any(57) : any(4080);
	struct access access = {.vaddr = (uint64_t)page << 12 | in_page,
				.paddr = (uint64_t)(page * 37 % PAGES + 1000) << 12 | in_page,
				.now = now,
				.size = 1u << any(4),
				.store = !any(3)};

	return access;
}

/* Accesses that each short way has taken. */
struct taken {
	unsigned others, flying;
};

/* Returns whether one of the short ways took it. */
static bool access_shortly(struct memory *m, const struct access *access,
			   struct access_result *result, struct taken *taken)
{
	enum memory_hit hit;

	*result = (struct access_result){.level = MEM_L1};
	if (memory_plain_hit(m, access->vaddr, access->size, access->store))
		return true;
	hit = memory_other_hit(m, access->vaddr, access->size, access->store, access->now,
			       access->now % 4);
	if (hit == HIT_NONE)
		memory_access_slow(m, access, result);
	else if (hit == HIT_IN_FLIGHT)
		result->level = MEM_LFB;
	taken->others += hit == HIT_L1D;
	taken->flying += hit == HIT_IN_FLIGHT;
	return hit;
}

/* Equal accesses by the fast paths and by the slow path alone: each access has one level in
 * both, so the misses are equal. */
static void compare(const char *text)
{
	struct memory_counts here, there;
	struct shared_cache *other_shared;
	struct memory *other;
	struct taken taken = {0};
	unsigned told = 0;

	setup(text);
	other_shared = shared_cache_new(&config);
	other = memory_new(&config, other_shared);
	assert_non_null(other);
	for (unsigned i = 0; i < ACCESSES; i++) {
		struct access access = any_access(i * 3), asked = {.vaddr = access.vaddr};
		struct access_result shortly, slowly;

		if (!any(5000))
			memory_forget_pages(memory), memory_forget_pages(other);
		if (memory_use_reply(memory, &asked)) {
			assert_int_equal(asked.paddr, access.paddr);
			told++;
		}
		memory_access_slow(other, &access, &slowly);
		if (access_shortly(memory, &access, &shortly, &taken))
			assert_true(slowly.level == shortly.level && !slowly.dtlb_miss &&
				    !slowly.split);
		else
			assert_memory_equal(&shortly, &slowly, sizeof(shortly));
	}
	here = *memory_counts(memory);
	there = *memory_counts(other);
	assert_memory_equal(&here, &there, sizeof(here));
	assert_true(taken.others > ACCESSES / 10 && told > ACCESSES / 2);
	assert_true(taken.flying > ACCESSES / 10000);
	memory_free(other);
	shared_cache_free(other_shared);
	teardown();
}

static void test_short_ways(void **state)
{
	(void)state;
	compare("skylake");
	compare("skylake,prefetch=off,l1d=4K/2");
	compare("zen2");
	compare("golden-cove");
	compare("yonah");
}

/* A page that was forgotten may be elsewhere now. */
static void test_forgotten_page(void **state)
{
	struct access access = {.vaddr = 0x5000, .paddr = 0x9000, .size = 8};
	struct access_result result;

	(void)state;
	setup("skylake");
	assert_false(memory_use_reply(memory, &access));
	memory_access_slow(memory, &access, &result);
	assert_true(memory_use_reply(memory, &access));
	memory_forget_pages(memory);
	assert_false(memory_use_reply(memory, &access));
	assert_int_equal(memory_other_hit(memory, access.vaddr, 8, false, 1000, true), HIT_NONE);
	teardown();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_short_ways),
	    cmocka_unit_test(test_forgotten_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
