/* SPDX-License-Identifier: BSD-2-Clause */
/* The used lines of pages, by part: what remains known of a lost part. */
#include "emulator/sim/replay/replay_state.h"

#define EVEN       0x5555555555555555
#define TOLD_LINES (1 << 19) /* 32 MiB */

/* Addresses of more than 48 bits have no short form: they stay unmarked. */
static bool is_short(uint64_t vaddr)
{
	return (uint64_t)((int64_t)(vaddr << 16) >> 16) == vaddr;
}

static struct replay_use *use_at(struct replay *replay, uint64_t number)
{
	return &replay->uses[number % REPLAY_USES];
}

/* Stores the lines that the mark has collected in its use, if that still exists. */
static void put_lines(struct replay *replay, size_t mark)
{
	uint64_t use = replay->use_of[mark];

	if (replay->marked[mark].lines && use + REPLAY_USES >= replay->nr_uses)
		use_at(replay, use)->lines = replay->marked[mark].lines;
}

/* True if the mark's use is of that page, and in the present part: it continues. */
static bool is_used(struct replay *replay, size_t mark, uint64_t page, uint64_t place)
{
	uint64_t number = replay->use_of[mark];
	const struct replay_use *use = use_at(replay, number);

	return number < replay->nr_uses && number >= part_of(replay, replay->present)->use &&
	       use->page == page && use->place == place;
}

void replay_mark(struct replay *replay, uint64_t vaddr, uint64_t place)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT, mark = page % REPLAY_PAGES;

	if (!is_used(replay, mark, page, place)) {
		put_lines(replay, mark);
		*use_at(replay, replay->nr_uses) =
		    (struct replay_use){.page = page, .place = place};
		replay->use_of[mark] = replay->nr_uses++;
		replay->marked[mark].lines = 0;
	}
	replay->marked[mark].page = is_short(vaddr) ? page ^ replay->round : 0;
	replay->marked[mark].lines |= 1ull << vaddr / CORE_LINE_SIZE % 64;
}

void replay_code(struct replay *replay, uint64_t vaddr, uint64_t paddr, uint64_t bytes)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT;
	struct replay_use *code = &replay->code[page % REPLAY_CODE];

	if (code->page != page || (code->place ^ paddr) & ~PAGE_MASK)
		*code = (struct replay_use){.page = page, .place = paddr & ~PAGE_MASK};
	for (uint64_t at = vaddr & PAGE_MASK & -CORE_LINE_SIZE;
	     at < (vaddr & PAGE_MASK) + bytes && at <= PAGE_MASK; at += CORE_LINE_SIZE)
		code->lines |= 1ull << at / CORE_LINE_SIZE;
}

/* Adds the lines that were fetched in pairs with these. */
static uint64_t with_others(const struct core *core, uint64_t lines)
{
	if (!core_fetches_pairs(core))
		return lines;
	return lines | (lines & EVEN) << 1 | (lines >> 1 & EVEN);
}

static void feed_use(struct replay *replay, const struct replay_use *use)
{
	if (!use->lines)
		return;
	replay_feed_address(replay, use->page, use->place);
	for (uint64_t lines = with_others(replay->core, use->lines); lines; lines &= lines - 1) {
		uint64_t at = (uint64_t)__builtin_ctzll(lines) * CORE_LINE_SIZE;

		core_touch(replay->core, TOUCH_PREFETCH, use->page << CORE_PAGE_SHIFT | at,
			   (use->place & ~PAGE_MASK) | at);
	}
}

/* True if the use was not replayed, and still exists. */
static bool is_kept(const struct replay *replay, uint64_t use)
{
	return use >= replay->fed_uses && use + REPLAY_USES >= replay->nr_uses;
}

/* Returns the first of the uses before `end` that may still have lines in caches and TLBs. */
static uint64_t first_fed(struct replay *replay, uint64_t end)
{
	uint64_t lines = 0;

	while (end && is_kept(replay, end - 1) && lines < TOLD_LINES)
		lines += (unsigned)__builtin_popcountll(use_at(replay, --end)->lines);
	return end;
}

void replay_feed_lost_uses(struct replay *replay)
{
	uint64_t end = part_of(replay, replay->first)->use;

	for (size_t i = 0; i < REPLAY_PAGES; i++)
		put_lines(replay, i);
	for (uint64_t use = first_fed(replay, end); use < end; use++)
		feed_use(replay, use_at(replay, use));
	for (size_t i = 0; i < REPLAY_CODE; i++)
		feed_use(replay, &replay->code[i]);
}
