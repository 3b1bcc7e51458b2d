/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replay log: while nothing is counted, a processor's blocks and accesses are appended; when
 * counting starts, the latest of them are replayed into the core. Portable; for a single processor.
 *
 * An entry is a block's address or an access, in one word; other events have further words. Entries
 * are in parts that are filled in turn, so that the oldest part is lost when the last one is full:
 * of the lost entries only the used lines are kept. Each part has the physical addresses of its
 * accesses' pages.
 */
#ifndef CORE_REPLAY_H
#define CORE_REPLAY_H

#include "emulator/sim/cpu/core.h"

#define REPLAY_PARTS 8
#define REPLAY_PAGES 16384 /* a power of two */
#define REPLAY_SIZES 64
#define REPLAY_USES  65536
#define REPLAY_CODE  1024  /* pages */
#define REPLAY_REACH 16384 /* bytes of a block in which an access finds its instruction */
#define REPLAY_ROUND 52    /* above a page's number */

/* The log entry of an access, from bit 0: 1, log2 of its size, store flag, its instruction's
 * distance from the block's start in 8 bytes, 48 bits of its address. */
enum { WORD_ACCESS = 1, WORD_SIZE = 1, WORD_STORE = 4, WORD_INSN = 5, WORD_ADDRESS = 16 };

/* The physical address of a page of 4 KiB. */
struct replay_page {
	uint64_t page;  /* as it is marked */
	uint64_t frame; /* its physical address, plus enum page_size */
};

/* A page that the part's short entries may refer to, and the lines that they have used. */
struct replay_mark {
	uint64_t page; /* as it is marked */
	uint64_t lines;
};

/* The used lines of a page, one use after the other, unordered. */
struct replay_use {
	uint64_t page, place, lines;
};

struct replay_part {
	uint64_t *end;
	uint8_t effects;            /* enum code_effect, of its blocks */
	uint8_t prefetch_off, ring; /* at its begin */
	uint64_t use;               /* the first of its uses */
};

struct replay {
	/* Room for the next word; beyond `end` the slow path is taken. */
	uint64_t *at, *end;
	uint64_t *block_end;            /* the end for a block's entry */
	const struct code_block *block; /* the last one */
	uint64_t round;                 /* mark of pages whose addresses the part has */
	struct replay_mark marked[REPLAY_PAGES];

	uint64_t lookup_mark; /* mark of pages that were looked up since the last possible move */
	struct replay_page known[REPLAY_PAGES];
	struct replay_page sizes[REPLAY_SIZES]; /* of 2 MiB: a directory's entry */
	/* The latest uses, numbered consecutively, with the lines that the marks still collect. For
	 * code: all. */
	struct replay_use uses[REPLAY_USES], code[REPLAY_CODE];
	uint64_t nr_uses, use_of[REPLAY_PAGES]; /* by mark */
	uint64_t fed_uses;                      /* uses that were replayed */
	struct core *core;
	memory_page_at *page_at;
	void *who;
	uint64_t *words;
	size_t part_words;
	uint64_t first, present; /* parts, numbered on */
	bool moves;              /* pages may move with the running block */
	bool on;                 /* between an entry and the next exit */
	bool lost;               /* entries before `first` were lost since the last replay */
	uint8_t effects;         /* effects of the lost entries */
	uint8_t prefetch_off;
	struct replay_part parts[REPLAY_PARTS];
	struct core_processor page;              /* the visor's words, as they were */
	struct code_block *logged_block;         /* the last replayed block */
	struct replay_page places[REPLAY_PAGES]; /* addresses as they are replayed, */
	uint64_t fed_mark;                       /* which marks those since the last entry */
};

/* Makes a log of `bytes` bytes for that core. page_at: looks up page sizes, or NULL. Returns NULL
 * without memory. */
struct replay *replay_new(size_t bytes, struct core *core, memory_page_at *page_at, void *who);
/* NULL is fine. */
void replay_free(struct replay *replay);

/* Guest entry with a page that requests nothing (core_requests_nothing()); from now on blocks and
 * accesses are appended. */
void replay_enter(struct replay *replay, const struct core_processor *page);
/* The guest has stopped at the page's address. */
void replay_leave(struct replay *replay, const struct core_processor *page);
/* Replays the whole log, which brings the core up to date. Takes 20 to 100 ns per word. */
void replay_feed(struct replay *replay);

/* Slow paths of replay_block() and replay_access(), while the log is on. An access's page must
 * first be made known by one of the next two functions. */
void replay_block_slow(struct replay *replay, const struct code_block *block);
void replay_access_slow(struct replay *replay, const struct code_insn *insn, uint64_t vaddr,
			unsigned size_log2, bool store);
/* True if the page's physical address is known. */
bool replay_knows(struct replay *replay, uint64_t vaddr);
/* Reports the physical address of a page: `paddr`. */
void replay_place(struct replay *replay, uint64_t vaddr, uint64_t paddr);
/* `bytes` bytes of code at this address will be executed. */
void replay_code(struct replay *replay, uint64_t vaddr, uint64_t paddr, uint64_t bytes);
/* As the functions of core.h with these names. */
void replay_device_access(struct replay *replay, const struct code_insn *insn);
void replay_touch(struct replay *replay, enum touch_kind kind, uint64_t vaddr, uint64_t paddr);
void replay_frame_selector(struct replay *replay, uint16_t selector);

/* Appends a block without effects that starts regularly. Returns false if it was not appended. */
static inline bool replay_block(struct replay *replay, const struct code_block *block)
{
	uint64_t *at = replay->at;

	if (at >= replay->block_end)
		return false;
	replay->block = block;
	replay->at = at + 1;
	*at = (uintptr_t)block;
	return true;
}

/* Appends an access of 2 to the `size_log2` bytes to a page whose address is logged. */
static inline bool replay_access(struct replay *replay, const struct code_insn *insn,
				 uint64_t vaddr, unsigned size_log2, bool store)
{
	uint64_t *at = replay->at, page = vaddr >> CORE_PAGE_SHIFT;
	struct replay_mark *mark = &replay->marked[page % REPLAY_PAGES];
	uintptr_t from = (uintptr_t)insn - (uintptr_t)replay->block;

	if (at >= replay->end || from >= REPLAY_REACH || mark->page != (page ^ replay->round))
		return false;
	mark->lines |= 1ull << vaddr / CORE_LINE_SIZE % 64;
	replay->at = at + 1;
	*at = vaddr << WORD_ADDRESS | from << (WORD_INSN - 3) | (uint64_t)store << WORD_STORE |
	      size_log2 << WORD_SIZE | WORD_ACCESS;
	return true;
}

#endif
