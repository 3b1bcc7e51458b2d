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

struct replay *replay_new(size_t bytes, struct core *core, memory_page_at *page_at, void *who)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	size_t words = bytes / REPLAY_PARTS / sizeof(uint64_t);

	if (!replay)
		return NULL;
	replay->part_words = words > 2 * SPARE ? words : 2 * SPARE;
	replay->words =
	    mmap(NULL, replay->part_words * REPLAY_PARTS * sizeof(uint64_t), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (replay->words == MAP_FAILED) {
		free(replay);
		return NULL;
	}
	madvise(replay->words, replay->part_words * REPLAY_PARTS * sizeof(uint64_t), MADV_HUGEPAGE);
	replay->core = core;
	replay->page_at = page_at;
	replay->who = who;
	replay->at = replay->words;
	replay->round = replay->lookup_mark = ROUND_ONE;
	return replay;
}

void replay_free(struct replay *replay)
{
	if (replay)
		munmap(replay->words, replay->part_words * REPLAY_PARTS * sizeof(uint64_t));
	free(replay);
}

/* Sets the limits of the fast path to the present part's end, or to none. */
static void set_ends(struct replay *replay)
{
	uint64_t *end = part_begin(replay, replay->present) + replay->part_words - SPARE;

	replay->end = replay->on ? end : NULL;
	replay->block_end = replay->moves ? NULL : replay->end;
}

/* Starts a new generation: pages must be logged again. */
static void new_round(struct replay *replay)
{
	replay->round += ROUND_ONE;
	if (replay->round)
		return;
	for (size_t i = 0; i < REPLAY_PAGES; i++)
		replay->marked[i].page = 0;
	replay->round = ROUND_ONE;
}

/* Forgets every cached translation. */
static void query_anew(struct replay *replay)
{
	new_round(replay);
	memset(replay->sizes, 0, sizeof(replay->sizes));
	replay->moves = false;
	replay->lookup_mark += ROUND_ONE;
	if (replay->lookup_mark)
		return;
	memset(replay->known, 0, sizeof(replay->known));
	replay->lookup_mark = ROUND_ONE;
}

void replay_begin_part(struct replay *replay)
{
	bool high = replay->block && replay->block->start >> 63;

	replay->at = part_begin(replay, replay->present);
	*part_of(replay, replay->present) =
	    (struct replay_part){.prefetch_off = replay->prefetch_off,
				 .ring = high ? CORE_RING_KERNEL : CORE_RING_USER,
				 .use = replay->nr_uses};
	new_round(replay);
	set_ends(replay);
}

static void next_part(struct replay *replay)
{
	part_of(replay, replay->present)->end = replay->at;
	if (++replay->present == replay->first + REPLAY_PARTS) {
		replay->effects |= part_of(replay, replay->first)->effects;
		replay->lost = true;
		replay->first++;
	}
	replay_begin_part(replay);
}

/* Makes room for SPARE more words. */
static void make_room(struct replay *replay)
{
	if (replay->at >= replay->end)
		next_part(replay);
}

static void put_word(struct replay *replay, uint64_t word)
{
	*replay->at++ = word;
}

void replay_enter(struct replay *replay, const struct core_processor *page)
{
	replay->on = true;
	query_anew(replay);
	set_ends(replay);
	make_room(replay);
	put_word(replay, event(EVENT_ENTER, (uint64_t)page->prefetch_off << 16 |
						(uint64_t)page->details << 8 | page->ring));
	replay->prefetch_off = page->prefetch_off;
}

void replay_leave(struct replay *replay, const struct core_processor *page)
{
	make_room(replay);
	put_word(replay, event(EVENT_LEAVE, page->end));
	put_word(replay, page->rip);
	replay->on = false;
	set_ends(replay);
}

static bool may_move_pages(const struct code_block *block)
{
	return block->effects || block->insn[block->nr - 1].kind == CODE_FAR_FRAME;
}

void replay_block_slow(struct replay *replay, const struct code_block *block)
{
	if (replay->moves)
		query_anew(replay);
	make_room(replay);
	part_of(replay, replay->present)->effects |= block->effects;
	replay->moves = may_move_pages(block);
	replay->block = block;
	put_word(replay, (uintptr_t)block);
	set_ends(replay);
}

static bool is_marked(const struct replay *replay, uint64_t page)
{
	return replay->marked[page % REPLAY_PAGES].page == (page ^ replay->round);
}

static void put_place(struct replay *replay, uint64_t vaddr, uint64_t frame)
{
	put_word(replay, event(EVENT_PAGE, vaddr >> CORE_PAGE_SHIFT));
	put_word(replay, frame);
	replay_mark(replay, vaddr, frame);
}

bool replay_knows(struct replay *replay, uint64_t vaddr)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT;
	const struct replay_page *known = &replay->known[page % REPLAY_PAGES];

	make_room(replay);
	if (is_marked(replay, page))
		return true;
	if (known->page != (page ^ replay->lookup_mark))
		return false;
	put_place(replay, vaddr, known->frame);
	return true;
}

/* Returns enum page_size of the page there. */
static uint64_t size_at(struct replay *replay, uint64_t vaddr)
{
	uint64_t region = (vaddr >> 21) + 1;
	struct replay_page *size = &replay->sizes[region % REPLAY_SIZES];

	if (size->page != region)
		*size = (struct replay_page){
		    region, replay->page_at ? replay->page_at(replay->who, vaddr) : PAGE_4K};
	return size->frame;
}

void replay_place(struct replay *replay, uint64_t vaddr, uint64_t paddr)
{
	uint64_t page = vaddr >> CORE_PAGE_SHIFT,
		 frame = (paddr & ~PAGE_MASK) | size_at(replay, vaddr);

	replay->known[page % REPLAY_PAGES] =
	    (struct replay_page){page ^ replay->lookup_mark, frame};
	put_place(replay, vaddr, frame);
}

/* Its page was just logged, or is marked. */
void replay_access_slow(struct replay *replay, const struct code_insn *insn, uint64_t vaddr,
			unsigned size_log2, bool store)
{
	if (replay_access(replay, insn, vaddr, size_log2, store))
		return;
	put_word(replay, event(EVENT_ACCESS, (uint64_t)store << 8 | size_log2));
	put_word(replay, (uintptr_t)insn);
	put_word(replay, vaddr);
}

void replay_device_access(struct replay *replay, const struct code_insn *insn)
{
	make_room(replay);
	put_word(replay, event(EVENT_DEVICE, 0));
	put_word(replay, (uintptr_t)insn);
}

void replay_touch(struct replay *replay, enum touch_kind kind, uint64_t vaddr, uint64_t paddr)
{
	if (!replay_knows(replay, vaddr) && kind != TOUCH_PAGE)
		replay_place(replay, vaddr, paddr);
	put_word(replay, event(EVENT_TOUCH, kind));
	put_word(replay, vaddr);
	put_word(replay, paddr);
	if (kind == TOUCH_PAGE)
		query_anew(replay);
}

void replay_frame_selector(struct replay *replay, uint16_t selector)
{
	make_room(replay);
	put_word(replay, event(EVENT_SELECTOR, selector));
}
