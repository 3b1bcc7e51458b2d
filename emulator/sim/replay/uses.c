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

static struct backlog_use *use_at(struct backlog *backlog, uint64_t number)
{
	return &backlog->uses[number % BACKLOG_USES];
}

/* Stores the lines that the mark has collected in its use, if that still exists. */
static void put_lines(struct backlog *backlog, size_t mark)
{
	uint64_t use = backlog->use_of[mark];

	if (backlog->marked[mark].lines && use + BACKLOG_USES >= backlog->nr_uses)
		use_at(backlog, use)->lines = backlog->marked[mark].lines;
}

/* True if the mark's use is of that page, and in the present part: it continues. */
static bool is_used(struct backlog *backlog, size_t mark, uint64_t page, uint64_t place)
{
	uint64_t number = backlog->use_of[mark];
	const struct backlog_use *use = use_at(backlog, number);

	return number < backlog->nr_uses && number >= part_of(backlog, backlog->present)->use &&
	       use->page == page && use->place == place;
}

void backlog_mark(struct backlog *backlog, uint64_t vaddr, uint64_t place)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT, mark = page % BACKLOG_PAGES;

	if (!is_used(backlog, mark, page, place)) {
		put_lines(backlog, mark);
		*use_at(backlog, backlog->nr_uses) =
		    (struct backlog_use){.page = page, .place = place};
		backlog->use_of[mark] = backlog->nr_uses++;
		backlog->marked[mark].lines = 0;
	}
	backlog->marked[mark].page = is_short(vaddr) ? page ^ backlog->round : 0;
	backlog->marked[mark].lines |= 1ull << vaddr / CORE_LINE_SIZE % 64;
}

void backlog_code(struct backlog *backlog, uint64_t vaddr, uint64_t paddr, uint64_t bytes)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT;
	struct backlog_use *code = &backlog->code[page % BACKLOG_CODE];

	if (code->page != page || (code->place ^ paddr) & ~PAGE_MASK)
		*code = (struct backlog_use){.page = page, .place = paddr & ~PAGE_MASK};
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

static void tell_of_use(struct backlog *backlog, const struct backlog_use *use)
{
	if (!use->lines)
		return;
	backlog_tell_place(backlog, use->page, use->place);
	for (uint64_t lines = with_others(backlog->core, use->lines); lines; lines &= lines - 1) {
		uint64_t at = (uint64_t)__builtin_ctzll(lines) * CORE_LINE_SIZE;

		core_touch(backlog->core, TOUCH_PREFETCH, use->page << CORE_PAGE_SHIFT | at,
			   (use->place & ~PAGE_MASK) | at);
	}
}

/* True if the use was not replayed, and still exists. */
static bool is_kept(const struct backlog *backlog, uint64_t use)
{
	return use >= backlog->told_uses && use + BACKLOG_USES >= backlog->nr_uses;
}

/* Returns the first of the uses before `end` that may still have lines in caches and TLBs. */
static uint64_t first_told(struct backlog *backlog, uint64_t end)
{
	uint64_t lines = 0;

	while (end && is_kept(backlog, end - 1) && lines < TOLD_LINES)
		lines += (unsigned)__builtin_popcountll(use_at(backlog, --end)->lines);
	return end;
}

void backlog_tell_of_lost_uses(struct backlog *backlog)
{
	uint64_t end = part_of(backlog, backlog->first)->use;

	for (size_t i = 0; i < BACKLOG_PAGES; i++)
		put_lines(backlog, i);
	for (uint64_t use = first_told(backlog, end); use < end; use++)
		tell_of_use(backlog, use_at(backlog, use));
	for (size_t i = 0; i < BACKLOG_CODE; i++)
		tell_of_use(backlog, &backlog->code[i]);
}
