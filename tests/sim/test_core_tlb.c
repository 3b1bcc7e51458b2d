/* SPDX-License-Identifier: BSD-2-Clause */
/* One processor's TLBs: how many pages each core's hold, and the reads of a walk. */
#include "tests/sim/one_memory.h"

/* Loads of one line in each of n pages, in the third round: misses of both levels of TLBs. */
static void pages(unsigned n, uint8_t page, unsigned *first, unsigned *second)
{
	static uint64_t now;

	*first = *second = 0;
	for (unsigned round = 0; round < 3; round++)
		for (uint64_t i = 0; i < n; i++) {
			struct access access = {.vaddr = (i << (page == PAGE_2M ? 21 : 12)) +
							 i % 64 * 64,
						.size = 8,
						.page = page};
			struct access_result r;

			access.paddr = access.vaddr;
			access.now = now += 10000;
			memory_access(memory, &access, &r);
			if (round < 2)
				continue;
			*first += r.dtlb_miss;
			*second += r.stlb_miss;
			assert_true(r.stlb_miss == (r.walk_cycles != 0));
			assert_true(!r.dtlb_miss || r.latency > config.memory.l1d.latency);
		}
}

/* Every core's TLBs hold as many pages as they have entries, and in turn none of far more. */
static void test_tlb_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; core_config_at(i); i++) {
		const struct core_config *core = core_config_at(i);
		unsigned entries = core->memory.dtlb.page_4k.entries, first, second;

		if (!entries)
			continue;
		setup(core->name);
		pages(entries, PAGE_4K, &first, &second);
		assert_int_equal(first, 0);
		pages(entries * 2, PAGE_4K, &first, &second);
		assert_int_equal(first, entries * 2);
		entries = core->memory.stlb.page_4k.entries;
		if (entries) {
			pages(entries, PAGE_4K, &first, &second);
			assert_int_equal(first, entries);
			assert_int_equal(second, 0);
			pages(entries * 2, PAGE_4K, &first, &second);
			assert_int_equal(second, entries * 2);
		}
		teardown();
	}
}

static void test_large_pages(void **state)
{
	unsigned first, second;

	(void)state;
	setup("skylake");
	pages(32, PAGE_2M, &first, &second); /* DTLB: 32 of 2 MiB */
	assert_int_equal(first, 0);
	pages(64, PAGE_2M, &first, &second); /* STLB: shared with pages of 4 KiB */
	assert_int_equal(first, 64);
	assert_int_equal(second, 0);
	teardown();
}

/* Addresses from 1 GiB on are in pages of 1 GiB, addresses from 256 MiB on in pages of 2 MiB. */
static unsigned asked;

static uint8_t page_at(void *who, uint64_t vaddr)
{
	assert_ptr_equal(who, &asked);
	asked++;
	return vaddr >> 30 ? PAGE_1G : vaddr >> 28 ? PAGE_2M : PAGE_4K;
}

static struct access_result load(uint64_t vaddr)
{
	return test_access(memory, vaddr, false);
}

/* The size of pages is requested once for 2 MiB of addresses, and walks are shorter. */
static void test_sizes_are_asked_for(void **state)
{
	struct access_result r;

	(void)state;
	setup("skylake,prefetch=off");
	memory_set_page_query(memory, page_at, &asked);
	r = load(0x10000000);
	assert_in_range(r.walk_cycles, 3 * config.memory.memory_latency,
			3 * config.memory.memory_latency + 50);
	assert_false(load(0x10000000 + 0x1ff000).dtlb_miss); /* in that page */
	assert_true(load(0x10000000 + 0x200000).stlb_miss);
	assert_int_equal(asked, 2);
	assert_true(load(1ULL << 30).stlb_miss);
	assert_false(load((2ULL << 30) - 64).dtlb_miss);
	assert_true(load(0x1000).stlb_miss);
	assert_true(load(0x2000).stlb_miss);
	memory_flush_page(memory, 0x10000000);
	assert_true(load(0x10000000 + 0x5000).stlb_miss);
	teardown();
}

/* Parts of a large page are known to hit only as long as the page is its set's last used one: what
 * is used by them does not leave the set. Sets of 4 pages, 8 of them. */
static void test_parts_of_large_pages(void **state)
{
	static const uint64_t apart = 8 << 21;
	const uint64_t first = 0x10000000;

	(void)state;
	setup("skylake");
	memory_set_page_query(memory, page_at, &asked);
	for (unsigned i = 0; i < 4; i++)
		load(first + i * apart);
	assert_false(load(first).dtlb_miss); /* it is the last used one again */
	load(first + 4 * apart);             /* in the second one's place */
	assert_false(load(first).dtlb_miss);
	assert_false(load(first + 0x3000).dtlb_miss);
	assert_true(load(first + apart).dtlb_miss);
	teardown();
}

/* An entry that leads elsewhere than the access is another address space's: it misses. */
static void test_stale_entries(void **state)
{
	struct access access = {.vaddr = 0x7000, .paddr = 0x1000, .size = 8, .now = 1};
	struct access_result r;

	(void)state;
	setup("skylake");
	memory_access(memory, &access, &r);
	assert_true(r.stlb_miss);
	memory_access(memory, &access, &r);
	memory_access(memory, &access, &r);
	assert_false(r.dtlb_miss);
	access.paddr = 0x2000;
	memory_access(memory, &access, &r);
	assert_true(r.stlb_miss);
	memory_flush_page(memory, 0x7000);
	memory_access(memory, &access, &r);
	assert_true(r.stlb_miss);
	memory_flush_tlbs(memory);
	memory_access(memory, &access, &r);
	assert_true(r.stlb_miss);
	teardown();
}

/* A walk to a page near one walked to before reads one entry of the tables, a far one four. */
static void test_walk_lengths(void **state)
{
	struct access_result near, far;

	(void)state;
	setup("skylake,prefetch=off");
	far = test_access(memory, 1ULL << 40, false);
	near = test_access(memory, (1ULL << 40) + 4096, false); /* its entry is in the same line */
	assert_in_range(far.walk_cycles, 4 * config.memory.memory_latency,
			4 * config.memory.memory_latency + 50);
	assert_in_range(near.walk_cycles, config.memory.l1d.latency,
			config.memory.l1d.latency + 20);
	teardown();
}

/* The tables' entries are lines of the caches: a walk reads one where other loads have left it. */
static void test_walks_read_caches(void **state)
{
	const uint64_t first = 0x123456789000, others = 1ULL << 41; /* in sets of their own */

	(void)state;
	setup("skylake,prefetch=off,l2-gap=0,l3-gap=0");
	const struct {
		uint64_t bytes, latency;
	} loads[] = {{0, config.memory.l1d.latency},
		     {config.memory.l1d.size * 2, config.memory.l2.latency},
		     {config.memory.l2.size * 3, config.memory.l3.latency}};

	test_access(memory, first, false);
	for (unsigned i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		struct access_result r;

		for (uint64_t at = 0; at < loads[i].bytes; at += CORE_LINE_SIZE)
			test_access(memory, others + at, false);
		r = test_access(memory, first + (i + 1) * CORE_PAGE_SIZE, false);
		assert_int_equal(r.walk_cycles, config.memory.walk_overhead + loads[i].latency);
	}
	teardown();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tlb_sizes),           cmocka_unit_test(test_large_pages),
	    cmocka_unit_test(test_sizes_are_asked_for), cmocka_unit_test(test_parts_of_large_pages),
	    cmocka_unit_test(test_stale_entries),       cmocka_unit_test(test_walk_lengths),
	    cmocka_unit_test(test_walks_read_caches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
