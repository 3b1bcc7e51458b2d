/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts down what a processor does while nobody counts, and tells the core of it later. */
#include "core/core/backlog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SPARE     16 /* words after a part's end: what follows the last one that begins before it */
#define ROUND_ONE (1ULL << BACKLOG_ROUND)
#define PAGE_MASK 4095ULL

/* Events that are neither blocks nor accesses, from bit 3 of a word that has only bit 1 below. */
enum event {
	EVENT_PAGE,     /* + its address; the next word: its place */
	EVENT_ENTER,    /* + ring, details, prefetchers, 8 bits each */
	EVENT_LEAVE,    /* + enum core_end; RIP */
	EVENT_ACCESS,   /* + log2 of the bytes, store; instruction, address */
	EVENT_DEVICE,   /* instruction */
	EVENT_TOUCH,    /* + enum touch_kind; address, physical address */
	EVENT_SELECTOR, /* + it */
};

enum { EVENT_BIT = 2, EVENT_KIND = 3, EVENT_ARGUMENT = 12 };

static uint64_t event(enum event kind, uint64_t argument)
{
	return argument << EVENT_ARGUMENT | (uint64_t)kind << EVENT_KIND | EVENT_BIT;
}

struct backlog *backlog_new(size_t bytes, struct core *core, memory_page_at *page_at, void *who)
{
	struct backlog *backlog = calloc(1, sizeof(*backlog));
	size_t words = bytes / BACKLOG_PARTS / sizeof(uint64_t);

	if (!backlog)
		return NULL;
	backlog->part_words = words > 2 * SPARE ? words : 2 * SPARE;
	backlog->words = mmap(NULL, backlog->part_words * BACKLOG_PARTS * sizeof(uint64_t),
			      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			      -1, 0);
	if (backlog->words == MAP_FAILED) {
		free(backlog);
		return NULL;
	}
	backlog->core = core;
	backlog->page_at = page_at;
	backlog->who = who;
	backlog->at = backlog->words;
	backlog->round = backlog->asked = ROUND_ONE;
	return backlog;
}

void backlog_free(struct backlog *backlog)
{
	if (backlog)
		munmap(backlog->words,
		       backlog->part_words * BACKLOG_PARTS * sizeof(uint64_t));
	free(backlog);
}

/* ---- putting down ---- */

static uint64_t *part_begin(const struct backlog *backlog, uint64_t part)
{
	return backlog->words + part % BACKLOG_PARTS * backlog->part_words;
}

/* Words are taken, or not, up to the present part's end. */
static void set_ends(struct backlog *backlog)
{
	uint64_t *end =
	    part_begin(backlog, backlog->present) + backlog->part_words - SPARE;

	backlog->end = backlog->on ? end : NULL;
	backlog->block_end = backlog->moves ? NULL : backlog->end;
}

/* No page's place is put down where the next words are. */
static void new_round(struct backlog *backlog)
{
	backlog->round += ROUND_ONE;
	if (backlog->round)
		return;
	memset(backlog->marked, 0, sizeof(backlog->marked));
	backlog->round = ROUND_ONE;
}

/* Any page may have moved. */
static void ask_anew(struct backlog *backlog)
{
	new_round(backlog);
	memset(backlog->sizes, 0, sizeof(backlog->sizes));
	backlog->moves = false;
	backlog->asked += ROUND_ONE;
	if (backlog->asked)
		return;
	memset(backlog->known, 0, sizeof(backlog->known));
	backlog->asked = ROUND_ONE;
}

static struct backlog_part *part_of(struct backlog *backlog, uint64_t part)
{
	return &backlog->parts[part % BACKLOG_PARTS];
}

static void begin_part(struct backlog *backlog)
{
	bool high = backlog->block && backlog->block->start >> 63;

	backlog->at = part_begin(backlog, backlog->present);
	*part_of(backlog, backlog->present) =
	    (struct backlog_part){.prefetch_off = backlog->prefetch_off,
				  .ring = high ? CORE_RING_KERNEL : CORE_RING_USER};
	new_round(backlog);
	set_ends(backlog);
}

static void next_part(struct backlog *backlog)
{
	part_of(backlog, backlog->present)->end = backlog->at;
	if (++backlog->present == backlog->first + BACKLOG_PARTS) {
		backlog->effects |= part_of(backlog, backlog->first)->effects;
		backlog->lost = true;
		backlog->first++;
	}
	begin_part(backlog);
}

/* For SPARE more words. */
static void make_room(struct backlog *backlog)
{
	if (backlog->at >= backlog->end)
		next_part(backlog);
}

static void put(struct backlog *backlog, uint64_t word)
{
	*backlog->at++ = word;
}

bool backlog_will_do(const struct core_processor *page)
{
	return !page->counting && !page->filter.enabled && !page->sampling && !page->nr_watches;
}

void backlog_enter(struct backlog *backlog, const struct core_processor *page)
{
	backlog->on = true;
	ask_anew(backlog);
	set_ends(backlog);
	make_room(backlog);
	put(backlog, event(EVENT_ENTER, (uint64_t)page->prefetch_off << 16 |
					    (uint64_t)page->details << 8 | page->ring));
	backlog->prefetch_off = page->prefetch_off;
}

void backlog_leave(struct backlog *backlog, const struct core_processor *page)
{
	make_room(backlog);
	put(backlog, event(EVENT_LEAVE, page->end));
	put(backlog, page->rip);
	backlog->on = false;
	set_ends(backlog);
}

static bool may_move_pages(const struct code_block *block)
{
	return block->effects || block->insn[block->nr - 1].kind == CODE_FAR_FRAME;
}

void backlog_block_slow(struct backlog *backlog, const struct code_block *block)
{
	if (backlog->moves)
		ask_anew(backlog);
	make_room(backlog);
	part_of(backlog, backlog->present)->effects |= block->effects;
	backlog->moves = may_move_pages(block);
	backlog->block = block;
	put(backlog, (uintptr_t)block);
	set_ends(backlog);
}

static bool is_marked(const struct backlog *backlog, uint64_t page)
{
	return backlog->marked[page % BACKLOG_PAGES] == (page ^ backlog->round);
}

/* Addresses of more than 48 bits have no short word: they stay without a mark. */
static bool is_short(uint64_t vaddr)
{
	return (uint64_t)((int64_t)(vaddr << 16) >> 16) == vaddr;
}

static void put_place(struct backlog *backlog, uint64_t vaddr, uint64_t frame)
{
	uint64_t page = vaddr >> 12;

	put(backlog, event(EVENT_PAGE, page));
	put(backlog, frame);
	if (is_short(vaddr))
		backlog->marked[page % BACKLOG_PAGES] = page ^ backlog->round;
}

bool backlog_knows(struct backlog *backlog, uint64_t vaddr)
{
	uint64_t page = vaddr >> 12;
	const struct backlog_page *known = &backlog->known[page % BACKLOG_PAGES];

	make_room(backlog);
	if (is_marked(backlog, page))
		return true;
	if (known->page != (page ^ backlog->asked))
		return false;
	put_place(backlog, vaddr, known->frame);
	return true;
}

static struct backlog_page *size_in(struct backlog_page *sizes, uint64_t vaddr)
{
	return &sizes[(vaddr >> 21) % BACKLOG_SIZES];
}

/* enum page_size of the page there. */
static uint64_t size_at(struct backlog *backlog, uint64_t vaddr)
{
	struct backlog_page *size = size_in(backlog->sizes, vaddr);
	uint64_t region = (vaddr >> 21) + 1;

	if (size->page != region)
		*size = (struct backlog_page){
		    region,
		    backlog->page_at ? backlog->page_at(backlog->who, vaddr) : PAGE_4K};
	return size->frame;
}

void backlog_place(struct backlog *backlog, uint64_t vaddr, uint64_t paddr)
{
	uint64_t page = vaddr >> 12, frame = (paddr & ~PAGE_MASK) | size_at(backlog, vaddr);

	backlog->known[page % BACKLOG_PAGES] =
	    (struct backlog_page){page ^ backlog->asked, frame};
	put_place(backlog, vaddr, frame);
}

/* Its page was just put down, or is marked. */
void backlog_access_slow(struct backlog *backlog, const struct code_insn *insn, uint64_t vaddr,
			 unsigned size_log2, bool store)
{
	if (backlog_access(backlog, insn, vaddr, size_log2, store))
		return;
	put(backlog, event(EVENT_ACCESS, (uint64_t)store << 8 | size_log2));
	put(backlog, (uintptr_t)insn);
	put(backlog, vaddr);
}

void backlog_device_access(struct backlog *backlog, const struct code_insn *insn)
{
	make_room(backlog);
	put(backlog, event(EVENT_DEVICE, 0));
	put(backlog, (uintptr_t)insn);
}

void backlog_touch(struct backlog *backlog, enum touch_kind kind, uint64_t vaddr, uint64_t paddr)
{
	make_room(backlog);
	put(backlog, event(EVENT_TOUCH, kind));
	put(backlog, vaddr);
	put(backlog, paddr);
	if (kind == TOUCH_PAGE)
		ask_anew(backlog);
}

void backlog_frame_selector(struct backlog *backlog, uint16_t selector)
{
	make_room(backlog);
	put(backlog, event(EVENT_SELECTOR, selector));
}

/* ---- telling ---- */

static uint8_t told_page_at(void *who, uint64_t vaddr)
{
	struct backlog *backlog = who;
	const struct backlog_page *size = size_in(backlog->told, vaddr);

	if (size->page == (vaddr >> 21) + 1)
		return (uint8_t)size->frame;
	return backlog->page_at ? backlog->page_at(backlog->who, vaddr) : PAGE_4K;
}

static void tell_access(struct backlog *backlog, const struct code_insn *insn, uint64_t vaddr,
			unsigned size, bool store)
{
	uint64_t place = backlog->places[(vaddr >> 12) % BACKLOG_PAGES];
	struct core *core = backlog->core;

	if (!core_access_plain(core, insn, vaddr, size, store) &&
	    core_access_known(core, insn, vaddr, size, store) == CORE_ASKS)
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

static void tell_place(struct backlog *backlog, uint64_t page, uint64_t place)
{
	uint64_t vaddr = page << 12;

	backlog->places[page % BACKLOG_PAGES] = place;
	*size_in(backlog->told, vaddr) =
	    (struct backlog_page){(vaddr >> 21) + 1, place & PAGE_MASK};
}

static void tell_enter(struct backlog *backlog, uint64_t argument)
{
	backlog->page.ring = (uint8_t)argument;
	backlog->page.details = argument >> 8 & 0xff;
	backlog->page.prefetch_off = argument >> 16 & 0xff;
	memset(backlog->told, 0, sizeof(backlog->told));
}

static void tell_leave(struct backlog *backlog, uint64_t end, uint64_t rip)
{
	backlog->page.end = (uint8_t)end;
	backlog->page.rip = rip;
	core_sync(backlog->core);
}

/* Returns the word after the event's. */
static const uint64_t *tell_event(struct backlog *backlog, const uint64_t *at)
{
	uint64_t argument = *at >> EVENT_ARGUMENT;

	switch ((enum event)(*at++ >> EVENT_KIND & 0x1ff)) {
	case EVENT_PAGE:
		tell_place(backlog, argument, at[0]);
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

static void tell_part(struct backlog *backlog, const struct backlog_part *part,
		      const uint64_t *at)
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

/* The first part that is left begins anywhere. */
static void tell_of_loss(struct backlog *backlog)
{
	const struct backlog_part *part = part_of(backlog, backlog->first);

	core_lose_sight(backlog->core, backlog->effects);
	backlog->page.prefetch_off = part->prefetch_off;
	backlog->page.ring = part->ring;
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
	begin_part(backlog);
}
