/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends a processor's blocks and accesses to the replay log while nothing is counted. */
#include "emulator/sim/replay/replay_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SPARE 16 /* words after a part's end: what follows the last one that begins before it */

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
	backlog->words =
	    mmap(NULL, backlog->part_words * BACKLOG_PARTS * sizeof(uint64_t),
		 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (backlog->words == MAP_FAILED) {
		free(backlog);
		return NULL;
	}
	madvise(backlog->words, backlog->part_words * BACKLOG_PARTS * sizeof(uint64_t),
		MADV_HUGEPAGE);
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
		munmap(backlog->words, backlog->part_words * BACKLOG_PARTS * sizeof(uint64_t));
	free(backlog);
}

/* Sets the limits of the fast path to the present part's end, or to none. */
static void set_ends(struct backlog *backlog)
{
	uint64_t *end = part_begin(backlog, backlog->present) + backlog->part_words - SPARE;

	backlog->end = backlog->on ? end : NULL;
	backlog->block_end = backlog->moves ? NULL : backlog->end;
}

/* Starts a new generation: pages must be logged again. */
static void new_round(struct backlog *backlog)
{
	backlog->round += ROUND_ONE;
	if (backlog->round)
		return;
	for (size_t i = 0; i < BACKLOG_PAGES; i++)
		backlog->marked[i].page = 0;
	backlog->round = ROUND_ONE;
}

/* Forgets every cached translation. */
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

void backlog_begin_part(struct backlog *backlog)
{
	bool high = backlog->block && backlog->block->start >> 63;

	backlog->at = part_begin(backlog, backlog->present);
	*part_of(backlog, backlog->present) =
	    (struct backlog_part){.prefetch_off = backlog->prefetch_off,
				  .ring = high ? CORE_RING_KERNEL : CORE_RING_USER,
				  .use = backlog->nr_uses};
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
	backlog_begin_part(backlog);
}

/* Makes room for SPARE more words. */
static void make_room(struct backlog *backlog)
{
	if (backlog->at >= backlog->end)
		next_part(backlog);
}

static void put_word(struct backlog *backlog, uint64_t word)
{
	*backlog->at++ = word;
}

void backlog_enter(struct backlog *backlog, const struct core_processor *page)
{
	backlog->on = true;
	ask_anew(backlog);
	set_ends(backlog);
	make_room(backlog);
	put_word(backlog, event(EVENT_ENTER, (uint64_t)page->prefetch_off << 16 |
						 (uint64_t)page->details << 8 | page->ring));
	backlog->prefetch_off = page->prefetch_off;
}

void backlog_leave(struct backlog *backlog, const struct core_processor *page)
{
	make_room(backlog);
	put_word(backlog, event(EVENT_LEAVE, page->end));
	put_word(backlog, page->rip);
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
	put_word(backlog, (uintptr_t)block);
	set_ends(backlog);
}

static bool is_marked(const struct backlog *backlog, uint64_t page)
{
	return backlog->marked[page % BACKLOG_PAGES].page == (page ^ backlog->round);
}

static void put_place(struct backlog *backlog, uint64_t vaddr, uint64_t frame)
{
	put_word(backlog, event(EVENT_PAGE, vaddr >> CORE_PAGE_SHIFT));
	put_word(backlog, frame);
	backlog_mark(backlog, vaddr, frame);
}

bool backlog_knows(struct backlog *backlog, uint64_t vaddr)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT;
	const struct backlog_page *known = &backlog->known[page % BACKLOG_PAGES];

	make_room(backlog);
	if (is_marked(backlog, page))
		return true;
	if (known->page != (page ^ backlog->asked))
		return false;
	put_place(backlog, vaddr, known->frame);
	return true;
}

/* Returns enum page_size of the page there. */
static uint64_t size_at(struct backlog *backlog, uint64_t vaddr)
{
	uint64_t region = (vaddr >> 21) + 1;
	struct backlog_page *size = &backlog->sizes[region % BACKLOG_SIZES];

	if (size->page != region)
		*size = (struct backlog_page){
		    region, backlog->page_at ? backlog->page_at(backlog->who, vaddr) : PAGE_4K};
	return size->frame;
}

void backlog_place(struct backlog *backlog, uint64_t vaddr, uint64_t paddr)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT,
		 frame = (paddr & ~PAGE_MASK) | size_at(backlog, vaddr);

	backlog->known[page % BACKLOG_PAGES] = (struct backlog_page){page ^ backlog->asked, frame};
	put_place(backlog, vaddr, frame);
}

/* Its page was just logged, or is marked. */
void backlog_access_slow(struct backlog *backlog, const struct code_insn *insn, uint64_t vaddr,
			 unsigned size_log2, bool store)
{
	if (backlog_access(backlog, insn, vaddr, size_log2, store))
		return;
	put_word(backlog, event(EVENT_ACCESS, (uint64_t)store << 8 | size_log2));
	put_word(backlog, (uintptr_t)insn);
	put_word(backlog, vaddr);
}

void backlog_device_access(struct backlog *backlog, const struct code_insn *insn)
{
	make_room(backlog);
	put_word(backlog, event(EVENT_DEVICE, 0));
	put_word(backlog, (uintptr_t)insn);
}

void backlog_touch(struct backlog *backlog, enum touch_kind kind, uint64_t vaddr, uint64_t paddr)
{
	if (!backlog_knows(backlog, vaddr) && kind != TOUCH_PAGE)
		backlog_place(backlog, vaddr, paddr);
	put_word(backlog, event(EVENT_TOUCH, kind));
	put_word(backlog, vaddr);
	put_word(backlog, paddr);
	if (kind == TOUCH_PAGE)
		ask_anew(backlog);
}

void backlog_frame_selector(struct backlog *backlog, uint16_t selector)
{
	make_room(backlog);
	put_word(backlog, event(EVENT_SELECTOR, selector));
}
