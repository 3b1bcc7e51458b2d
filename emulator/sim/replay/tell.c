/* SPDX-License-Identifier: BSD-2-Clause */
/* Replays the log into the core. */
#include "emulator/sim/replay/replay_state.h"

#include <string.h>

static struct backlog_page *place_at(struct backlog *backlog, uint64_t page)
{
	return &backlog->places[page % BACKLOG_PAGES];
}

/* An access's page has its logged address, or that of the previous page if the access crosses into
 * it. Other pages are code's, at their last known address. */
static uint8_t told_page_at(void *who, uint64_t vaddr)
{
	struct backlog *backlog = who;
	uint64_t page = vaddr >> CORE_PAGE_SHIFT;
	const struct backlog_page *here = place_at(backlog, page),
				  *before = place_at(backlog, page - 1);

	if (here->page == (page ^ backlog->told))
		return here->frame & PAGE_MASK;
	if (before->page == ((page - 1) ^ backlog->told) && page % 512)
		return before->frame & PAGE_MASK;
	return backlog->page_at ? backlog->page_at(backlog->who, vaddr) : PAGE_4K;
}

static void tell_access(struct backlog *backlog, const struct code_insn *insn, uint64_t vaddr,
			unsigned size, bool store)
{
	uint64_t place = place_at(backlog, vaddr >> CORE_PAGE_SHIFT)->frame;
	struct core *core = backlog->core;

	if (core_access_known(core, insn, vaddr, size, store) == CORE_ASKS)
		core_access(core, insn, vaddr, (place & ~PAGE_MASK) | (vaddr & PAGE_MASK), size,
			    store);
}

static void tell_short(struct backlog *backlog, const struct code_block *block, uint64_t word)
{
	uintptr_t from = word >> (WORD_INSN - 3) & (BACKLOG_REACH - 8);

	tell_access(backlog, (const void *)((uintptr_t)block + from),
		    (uint64_t)((int64_t)word >> WORD_ADDRESS), 1u << (word >> WORD_SIZE & 7),
		    word >> WORD_STORE & 1);
}

void backlog_tell_place(struct backlog *backlog, uint64_t page, uint64_t place)
{
	*place_at(backlog, page) = (struct backlog_page){page ^ backlog->told, place};
}

static void tell_enter(struct backlog *backlog, uint64_t argument)
{
	backlog->page.ring = (uint8_t)argument;
	backlog->page.details = argument >> 8 & 0xff;
	backlog->page.prefetch_off = argument >> 16 & 0xff;
	backlog->told += ROUND_ONE;
}

static void tell_leave(struct backlog *backlog, uint64_t end, uint64_t rip)
{
	backlog->page.end = (uint8_t)end;
	backlog->page.rip = rip;
	core_sync(backlog->core);
}

/* Returns the word after the event. */
static const uint64_t *tell_event(struct backlog *backlog, const uint64_t *at)
{
	uint64_t argument = *at >> EVENT_ARGUMENT;

	switch ((enum event)(*at++ >> EVENT_KIND & 0x1ff)) {
	case EVENT_PAGE:
		backlog_tell_place(backlog, argument, at[0]);
		return at + 1;
	case EVENT_ENTER:
		tell_enter(backlog, argument);
		return at;
	case EVENT_LEAVE:
		tell_leave(backlog, argument, at[0]);
		return at + 1;
	case EVENT_ACCESS:
		tell_access(backlog, (const void *)at[0], at[1], 1u << (argument & 0xff),
			    argument >> 8);
		return at + 2;
	case EVENT_DEVICE:
		core_device_access(backlog->core, (const void *)at[0]);
		return at + 1;
	case EVENT_TOUCH:
		core_touch(backlog->core, (enum touch_kind)argument, at[0], at[1]);
		return at + 2;
	case EVENT_SELECTOR:
		core_frame_selector(backlog->core, (uint16_t)argument);
		return at;
	}
	return at;
}

static void tell_part(struct backlog *backlog, const struct backlog_part *part, const uint64_t *at)
{
	struct code_block *block = (struct code_block *)backlog->told_block;

	while (at < part->end) {
		uint64_t word = *at;

		if (word & WORD_ACCESS) {
			if (block)
				tell_short(backlog, block, word);
			at++;
		} else if (word & EVENT_BIT) {
			at = tell_event(backlog, at);
		} else {
			block = (void *)word;
			core_block(backlog->core, block);
			at++;
		}
	}
	backlog->told_block = block;
}

/* The first remaining part may start in any state. */
static void tell_of_loss(struct backlog *backlog)
{
	const struct backlog_part *part = part_of(backlog, backlog->first);

	core_lose_sight(backlog->core, backlog->effects);
	backlog->page.prefetch_off = part->prefetch_off;
	backlog->page.ring = part->ring;
	backlog_tell_of_lost_uses(backlog);
	backlog->told_block = NULL;
	backlog->lost = false;
	backlog->effects = 0;
}

void backlog_tell(struct backlog *backlog)
{
	struct core_processor *page;

	if (backlog->at == backlog->words && !backlog->present)
		return;
	page = core_take_page(backlog->core, &backlog->page);
	core_ask_pages(backlog->core, told_page_at, backlog);
	part_of(backlog, backlog->present)->end = backlog->at;
	if (backlog->lost)
		tell_of_loss(backlog);
	for (uint64_t part = backlog->first; part <= backlog->present; part++)
		tell_part(backlog, part_of(backlog, part), part_begin(backlog, part));
	core_ask_pages(backlog->core, backlog->page_at, backlog->who);
	core_take_page(backlog->core, page);
	backlog->first = backlog->present = 0;
	backlog->told_uses = backlog->nr_uses;
	backlog_begin_part(backlog);
}
