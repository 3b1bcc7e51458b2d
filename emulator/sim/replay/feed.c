/* SPDX-License-Identifier: BSD-2-Clause */
/* Replays the log into the core. */
#include "emulator/sim/replay/replay_state.h"

#include <string.h>

static struct replay_page *place_at(struct replay *replay, uint64_t page)
{
	return &replay->places[page % REPLAY_PAGES];
}

/* An access's page has its logged address, or that of the previous page if the access crosses into
 * it. Other pages are code's, at their last known address. */
static uint8_t logged_page_at(void *who, uint64_t vaddr)
{
	struct replay *replay = who;
	uint64_t page = vaddr >> CORE_PAGE_SHIFT;
	const struct replay_page *here = place_at(replay, page),
				 *before = place_at(replay, page - 1);

	if (here->page == (page ^ replay->fed_mark))
		return here->frame & PAGE_MASK;
	if (before->page == ((page - 1) ^ replay->fed_mark) && page % 512)
		return before->frame & PAGE_MASK;
	return replay->page_at ? replay->page_at(replay->who, vaddr) : PAGE_4K;
}

static void feed_access(struct replay *replay, const struct code_insn *insn, uint64_t vaddr,
			unsigned size, bool store)
{
	uint64_t place = place_at(replay, vaddr >> CORE_PAGE_SHIFT)->frame;
	struct core *core = replay->core;

	if (core_access_known(core, insn, vaddr, size, store) == CORE_ASKS)
		core_access(core, insn, vaddr, (place & ~PAGE_MASK) | (vaddr & PAGE_MASK), size,
			    store);
}

static void feed_short(struct replay *replay, const struct code_block *block, uint64_t word)
{
	uintptr_t from = word >> (WORD_INSN - 3) & (REPLAY_REACH - 8);

	feed_access(replay, (const void *)((uintptr_t)block + from),
		    (uint64_t)((int64_t)word >> WORD_ADDRESS), 1u << (word >> WORD_SIZE & 7),
		    word >> WORD_STORE & 1);
}

void replay_feed_address(struct replay *replay, uint64_t page, uint64_t place)
{
	*place_at(replay, page) = (struct replay_page){page ^ replay->fed_mark, place};
}

static void feed_enter(struct replay *replay, uint64_t argument)
{
	replay->page.ring = (uint8_t)argument;
	replay->page.details = argument >> 8 & 0xff;
	replay->page.prefetch_off = argument >> 16 & 0xff;
	replay->fed_mark += ROUND_ONE;
}

static void feed_leave(struct replay *replay, uint64_t end, uint64_t rip)
{
	replay->page.end = (uint8_t)end;
	replay->page.rip = rip;
	core_sync(replay->core);
}

/* Returns the word after the event. */
static const uint64_t *feed_event(struct replay *replay, const uint64_t *at)
{
	uint64_t argument = *at >> EVENT_ARGUMENT;

	switch ((enum event)(*at++ >> EVENT_KIND & 0x1ff)) {
	case EVENT_PAGE:
		replay_feed_address(replay, argument, at[0]);
		return at + 1;
	case EVENT_ENTER:
		feed_enter(replay, argument);
		return at;
	case EVENT_LEAVE:
		feed_leave(replay, argument, at[0]);
		return at + 1;
	case EVENT_ACCESS:
		feed_access(replay, (const void *)at[0], at[1], 1u << (argument & 0xff),
			    argument >> 8);
		return at + 2;
	case EVENT_DEVICE:
		core_device_access(replay->core, (const void *)at[0]);
		return at + 1;
	case EVENT_TOUCH:
		core_touch(replay->core, (enum touch_kind)argument, at[0], at[1]);
		return at + 2;
	case EVENT_SELECTOR:
		core_frame_selector(replay->core, (uint16_t)argument);
		return at;
	}
	return at;
}

static void feed_part(struct replay *replay, const struct replay_part *part, const uint64_t *at)
{
	struct code_block *block = (struct code_block *)replay->logged_block;

	while (at < part->end) {
		uint64_t word = *at;

		if (word & WORD_ACCESS) {
			if (block)
				feed_short(replay, block, word);
			at++;
		} else if (word & EVENT_BIT) {
			at = feed_event(replay, at);
		} else {
			block = (void *)word;
			core_block(replay->core, block);
			at++;
		}
	}
	replay->logged_block = block;
}

/* The first remaining part may start in any state. */
static void feed_loss(struct replay *replay)
{
	const struct replay_part *part = part_of(replay, replay->first);

	core_lose_sight(replay->core, replay->effects);
	replay->page.prefetch_off = part->prefetch_off;
	replay->page.ring = part->ring;
	replay_feed_lost_uses(replay);
	replay->logged_block = NULL;
	replay->lost = false;
	replay->effects = 0;
}

void replay_feed(struct replay *replay)
{
	struct core_processor *page;

	if (replay->at == replay->words && !replay->present)
		return;
	page = core_take_page(replay->core, &replay->page);
	core_set_page_query(replay->core, logged_page_at, replay);
	part_of(replay, replay->present)->end = replay->at;
	if (replay->lost)
		feed_loss(replay);
	for (uint64_t part = replay->first; part <= replay->present; part++)
		feed_part(replay, part_of(replay, part), part_begin(replay, part));
	core_set_page_query(replay->core, replay->page_at, replay->who);
	core_take_page(replay->core, page);
	replay->first = replay->present = 0;
	replay->fed_uses = replay->nr_uses;
	replay_begin_part(replay);
}
