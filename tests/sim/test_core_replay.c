/* SPDX-License-Identifier: BSD-2-Clause */
/* A core that replays the deferred log reaches the state of one that saw everything at once. */
#include "emulator/sim/replay/replay.h"
#include "tests/sim/fake_guest.h"

#define KERNEL  0xffffffff81000000
#define DATA    0x10000000
#define REGIONS 3                  /* of 2 MiB */
#define WIDE    0x00f0000000000000 /* more than 48 bits */
#define BEFORE  30000
#define COUNTED 3000

/* MOV RAX, [RDI]; MOV [RSI], RAX; DEC RCX; JNZ to its begin */
static const uint8_t copy[] = {0x48, 0x8b, 0x07, 0x48, 0x89, 0x06, 0x48, 0xff, 0xc9, 0x75, 0xf5};
/* ADD [RDI], RAX; CALL RDX */
static const uint8_t add_and_call[] = {0x48, 0x01, 0x07, 0xff, 0xd2};
static const uint8_t system_call[] = {0x0f, 0x05};
static const uint8_t back[] = {0x48, 0x0f, 0x07};         /* SYSRET */
static const uint8_t change_space[] = {0x0f, 0x22, 0xd8}; /* MOV CR3, RAX */
static const uint8_t return_of_fault[] = {0x48, 0xcf};    /* IRET */
static const uint8_t stream[] = {0x0f, 0xe7, 0x07};       /* MOVNTQ [RDI], MM0 */

enum { COPY, OTHER_COPY, ADD, ENTER, BACK, SPACE, IRET, STREAM, BLOCKS };

struct side {
	struct guest guest;
	struct replay *replay; /* NULL: the core sees all at once */
	struct code_block *block[BLOCKS], *running;
	bool inside;
	unsigned epoch; /* another one when pages have moved */
	uint64_t random;
	unsigned asked; /* for a page's place */
};

static uint8_t page_at(void *who, uint64_t vaddr)
{
	const struct side *side = who;

	bool data = vaddr >= DATA && vaddr < DATA + (REGIONS << 21);

	return data && ((vaddr >> 21) + side->epoch) % 2 ? PAGE_2M : PAGE_4K;
}

static uint64_t place_of(const struct side *side, uint64_t vaddr)
{
	return (((vaddr >> 21) * 5 + side->epoch) << 21 & 0xffffffff) | (vaddr & 0x1fffff);
}

static void begin(struct side *side, size_t bytes)
{
	static const struct {
		const uint8_t *code;
		size_t size;
		uint64_t address;
	} blocks[BLOCKS] = {
	    [COPY] = {copy, sizeof(copy), 0x400000},
	    [OTHER_COPY] = {copy, sizeof(copy), 0x40f034},
	    [ADD] = {add_and_call, sizeof(add_and_call), 0x403000},
	    [ENTER] = {system_call, sizeof(system_call), 0x404000},
	    [BACK] = {back, sizeof(back), KERNEL},
	    [SPACE] = {change_space, sizeof(change_space), KERNEL + 0x100},
	    [IRET] = {return_of_fault, sizeof(return_of_fault), KERNEL + 0x200},
	    [STREAM] = {stream, sizeof(stream), 0x405000},
	};

	memset(side, 0, sizeof(*side));
	guest_begin(&side->guest, "skylake");
	for (unsigned i = 0; i < BLOCKS; i++)
		side->block[i] =
		    guest_block(&side->guest, blocks[i].code, blocks[i].size, blocks[i].address);
	side->guest.page.counting = side->guest.page.details = false;
	side->random = 1;
	core_set_page_query(side->guest.core, page_at, side);
	if (!bytes)
		return;
	side->replay = replay_new(bytes, side->guest.core, page_at, side);
	assert_non_null(side->replay);
}

static void end(struct side *side)
{
	replay_free(side->replay);
	core_forget_blocks(side->guest.core);
	for (unsigned i = 0; i < BLOCKS; i++)
		guest_free_block(side->block[i]);
	guest_end(&side->guest);
}

static bool is_put_down(const struct side *side)
{
	return side->replay && side->replay->on;
}

static void enter_guest(struct side *side)
{
	side->inside = true;
	if (!side->replay)
		return;
	if (core_requests_nothing(&side->guest.page))
		replay_enter(side->replay, &side->guest.page);
	else
		replay_feed(side->replay);
}

static void run(struct side *side, unsigned which)
{
	struct code_block *block = side->block[which];
	bool only_runs = which != SPACE && which != IRET;

	if (!side->inside)
		enter_guest(side);
	side->running = block;
	if (!is_put_down(side))
		core_block(side->guest.core, block);
	else if (!only_runs || !replay_block(side->replay, block))
		replay_block_slow(side->replay, block);
}

static void put_down(struct side *side, const struct code_insn *insn, uint64_t vaddr, unsigned log2,
		     bool store)
{
	if (!insn->wants_physical && replay_access(side->replay, insn, vaddr, log2, store))
		return;
	if (!replay_knows(side->replay, vaddr)) {
		replay_place(side->replay, vaddr, place_of(side, vaddr));
		side->asked++;
	}
	replay_access_slow(side->replay, insn, vaddr, log2, store);
}

static void access_from(struct side *side, const struct code_block *block, unsigned n,
			uint64_t vaddr, unsigned log2, bool store)
{
	struct core *core = side->guest.core;
	const struct code_insn *insn = &block->insn[n];

	if (is_put_down(side))
		put_down(side, insn, vaddr, log2, store);
	else if (core_access_known(core, insn, vaddr, 1u << log2, store) == CORE_ASKS)
		core_access(core, insn, vaddr, place_of(side, vaddr), 1u << log2, store);
}

static void sync_at(struct side *side, uint64_t rip, enum core_end how)
{
	side->guest.page.rip = rip;
	side->guest.page.end = how;
	side->inside = false;
	if (is_put_down(side))
		replay_leave(side->replay, &side->guest.page);
	else if (side->guest.page.counting)
		guest_count_at(&side->guest, rip, CORE_RING_USER, CORE_CYCLES);
	else
		core_sync(side->guest.core);
}

static uint64_t any(struct side *side, uint64_t below)
{
	return test_random(&side->random) % below;
}

/* Often the same lines, sometimes any, sometimes over two lines or pages. */
static uint64_t any_address(struct side *side)
{
	if (any(side, 4))
		return DATA + any(side, 600) * 8;
	if (!any(side, 50))
		return WIDE + any(side, 64) * 8;
	return DATA + any(side, REGIONS << 21);
}

static void touch(struct side *side)
{
	enum touch_kind kind = any(side, 4);
	uint64_t vaddr = DATA + any(side, 600) * 8, paddr = place_of(side, vaddr);

	if (is_put_down(side))
		replay_touch(side->replay, kind, vaddr, paddr);
	else
		core_touch(side->guest.core, kind, vaddr, paddr);
}

static void change_pages(struct side *side)
{
	run(side, ENTER);
	run(side, SPACE);
	run(side, BACK);
	side->epoch++;
}

/* A load that faults, the handler's end, which reads its frame; then the same block again. */
static void fault(struct side *side)
{
	run(side, COPY);
	run(side, IRET);
	access_from(side, side->block[IRET], 0, DATA + 64, 3, false);
	access_from(side, side->block[IRET], 0, DATA + 72, 3, false);
	if (is_put_down(side))
		replay_frame_selector(side->replay, 0x33);
	else
		core_frame_selector(side->guest.core, 0x33);
}

static void step(struct side *side)
{
	unsigned rounds = 1 + (unsigned)any(side, 6), which = any(side, 2) ? COPY : OTHER_COPY;

	for (unsigned i = 0; i < rounds; i++) {
		run(side, which);
		access_from(side, side->running, 0, any_address(side), 3, false);
		if (!any(side, 30)) /* of an interrupt: of an instruction of another block */
			access_from(side, side->block[ADD], 1, DATA + 8, 3, true);
		access_from(side, side->running, 1, any_address(side), any(side, 4), true);
	}
	run(side, ADD);
	access_from(side, side->running, 0, any_address(side), 3, false);
	access_from(side, side->running, 0, DATA + any(side, 5000), 3, true);
	access_from(side, side->running, 1, DATA + 0x100000 - 8 * any(side, 8), 3, true);
	switch (any(side, 40)) {
	case 0:
		change_pages(side);
		break;
	case 1:
		touch(side);
		break;
	case 2:
		fault(side);
		break;
	case 3:
		run(side, COPY);
		sync_at(side, 0x400000, CORE_STOPPED_AT);
		break;
	case 4:
		run(side, STREAM);
		access_from(side, side->running, 0, any_address(side) & ~7ull, 3, true);
		break;
	}
}

/* Counts from the next entry on. */
static void begin_counting(struct side *side)
{
	run(side, COPY);
	sync_at(side, 0x400000, CORE_STOPPED_AT);
	side->guest.page.counting = side->guest.page.details = true;
}

static void count(struct side *side)
{
	begin_counting(side);
	for (unsigned i = 0; i < COUNTED; i++)
		step(side);
	run(side, COPY);
	sync_at(side, 0x400000, CORE_STOPPED_AT);
}

static bool counted_the_same(const struct side *a, const struct side *b)
{
	return !memcmp(a->guest.counts, b->guest.counts, sizeof(a->guest.counts));
}

/* Runs both sides; the log has `bytes` bytes, and is replayed after every `piece` steps. */
static void run_both(struct side *now, struct side *later, size_t bytes, unsigned piece)
{
	begin(now, 0);
	begin(later, bytes);
	for (unsigned i = 0; i < BEFORE; i++) {
		step(now);
		step(later);
		if ((i + 1) % piece == 0)
			replay_feed(later->replay);
	}
	assert_true(later->asked > 0);
	count(now);
	count(later);
	assert_true(now->guest.counts[CORE_RING_USER][CORE_INSTRUCTIONS] > 0);
}

static void told_later_is_the_same(void **state)
{
	struct side now, later;

	(void)state;
	run_both(&now, &later, 64 << 20, BEFORE + 1);
	assert_false(later.replay->lost);
	assert_true(counted_the_same(&now, &later));
	end(&now);
	end(&later);
}

/* With replays in between, as when QEMU forgets its blocks. */
static void told_in_pieces_is_the_same(void **state)
{
	struct side now, later;

	(void)state;
	run_both(&now, &later, 64 << 20, 700);
	assert_true(counted_the_same(&now, &later));
	end(&now);
	end(&later);
}

/* Counts of a core that saw nothing before differ, so the test above can find a mistake. */
static void what_came_before_matters(void **state)
{
	struct side now, late;

	(void)state;
	begin(&now, 0);
	begin(&late, 0);
	for (unsigned i = 0; i < BEFORE; i++)
		step(&now);
	late.random = now.random;
	late.epoch = now.epoch;
	count(&now);
	count(&late);
	assert_false(counted_the_same(&now, &late));
	end(&now);
	end(&late);
}

#define PAGES 256

/* All lines of some pages, then one line for so long that nothing else is left. */
static void lose(struct side *side)
{
	begin(side, 64 << 10);
	for (unsigned at = 0; at < PAGES << 12; at += 64) {
		run(side, COPY);
		access_from(side, side->running, 0, DATA + at, 3, false);
		access_from(side, side->running, 1, DATA + at, 3, true);
	}
	for (unsigned i = 0; i < 20000; i++) {
		run(side, COPY);
		access_from(side, side->running, 0, DATA, 3, false);
		access_from(side, side->running, 1, DATA, 3, true);
	}
	assert_true(side->replay->lost);
	begin_counting(side);
	for (unsigned at = 0; at < PAGES << 12; at += 64) {
		run(side, COPY);
		access_from(side, side->running, 0, DATA + at, 3, false);
		access_from(side, side->running, 1, DATA + at, 3, true);
	}
	sync_at(side, 0x400000, CORE_STOPPED_AT);
}

static void pages_of_what_is_lost_are_known(void **state)
{
	struct side side, again;

	(void)state;
	lose(&side);
	lose(&again);
	assert_int_equal(side.guest.counts[CORE_RING_USER][CORE_LOADS_DRAM], 0);
	assert_true(side.guest.counts[CORE_RING_USER][CORE_LOADS_L3] > 0);
	assert_true(counted_the_same(&side, &again));
	end(&side);
	end(&again);
}

/* How often a load from a page is asked for its place. */
static unsigned asks(struct side *side)
{
	unsigned before = side->asked;

	run(side, COPY);
	access_from(side, side->running, 0, DATA, 3, false);
	access_from(side, side->running, 1, DATA + 8, 3, true);
	return side->asked - before;
}

static void pages_are_asked_for_when_they_may_have_moved(void **state)
{
	struct side side;

	(void)state;
	begin(&side, 64 << 10);
	assert_int_equal(asks(&side), 1);
	assert_int_equal(asks(&side), 0);
	run(&side, SPACE);
	assert_int_equal(asks(&side), 1);
	run(&side, IRET);
	assert_int_equal(asks(&side), 1);
	replay_touch(side.replay, TOUCH_FLUSH, DATA, DATA);
	assert_int_equal(asks(&side), 0);
	replay_touch(side.replay, TOUCH_PAGE, DATA, 0);
	assert_int_equal(asks(&side), 1);
	sync_at(&side, 0x400000, CORE_STOPPED_AT);
	assert_int_equal(asks(&side), 1);
	for (unsigned i = 0; i < 5000; i++) /* through all parts */
		assert_int_equal(asks(&side), 0);
	assert_true(side.replay->lost);
	replay_feed(side.replay);
	assert_int_equal(asks(&side), 0);
	end(&side);
}

/* Counting, recording, sampling, or waiting for a count starts the simulation at once. */
static void who_asks_for_something_is_not_put_off(void **state)
{
	struct core_processor page = {0};

	(void)state;
	assert_true(core_requests_nothing(&page));
	page.counting = true;
	assert_false(core_requests_nothing(&page));
	page = (struct core_processor){.filter.enabled = true};
	assert_false(core_requests_nothing(&page));
	page = (struct core_processor){.sampling = CORE_SAMPLE_STEP};
	assert_false(core_requests_nothing(&page));
	page = (struct core_processor){.nr_watches = 1};
	assert_false(core_requests_nothing(&page));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(told_later_is_the_same),
	    cmocka_unit_test(told_in_pieces_is_the_same),
	    cmocka_unit_test(what_came_before_matters),
	    cmocka_unit_test(pages_of_what_is_lost_are_known),
	    cmocka_unit_test(pages_are_asked_for_when_they_may_have_moved),
	    cmocka_unit_test(who_asks_for_something_is_not_put_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
