/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a processor did while nobody counted: blocks and accesses are put down, the latest of them
 * stay, and the core hears of them when somebody counts. Portable; of a processor that is alone.
 *
 * A word is a block's address, or an access; other events have words after it. Words lie in parts
 * that are filled in turn, so that the oldest part is lost when the last one is full: of what is
 * lost only the lines are known that were used. Each part says where the pages of its accesses lie.
 */
#ifndef CORE_BACKLOG_H
#define CORE_BACKLOG_H

#include "emulator/sim/cpu/core.h"

#define BACKLOG_PARTS 8
#define BACKLOG_PAGES 16384 /* a power of two */
#define BACKLOG_SIZES 64
#define BACKLOG_USES  65536
#define BACKLOG_CODE  1024  /* pages */
#define BACKLOG_REACH 16384 /* bytes of a block in which an access finds its instruction */
#define BACKLOG_ROUND 52    /* above a page's number */

/* An access's word, from bit 0: it is one, log2 of its bytes, whether it stores, where its
 * instruction lies after its block's begin in 8 bytes, 48 bits of its address. */
enum { WORD_ACCESS = 1, WORD_SIZE = 1, WORD_STORE = 4, WORD_INSN = 5, WORD_ADDRESS = 16 };

/* Where a page of 4 KiB lies. */
struct backlog_page {
	uint64_t page;  /* as it is marked */
	uint64_t frame; /* its physical address, plus enum page_size */
};

/* What the part's short words may name: a page, and which of its lines they have named. */
struct backlog_mark {
	uint64_t page; /* as it is marked */
	uint64_t lines;
};

/* Lines of a page that were used, one after the other, in no order. */
struct backlog_use {
	uint64_t page, place, lines;
};

struct backlog_part {
	uint64_t *end;
	uint8_t effects;            /* enum code_effect, of its blocks */
	uint8_t prefetch_off, ring; /* at its begin */
	uint64_t use;               /* the first of its uses */
};

struct backlog {
	/* Room for the next word: what is not before its end takes the longer way. */
	uint64_t *at, *end;
	uint64_t *block_end;            /* the same of a block's */
	const struct code_block *block; /* the last one */
	uint64_t round;                 /* what marks pages whose places the part has */
	struct backlog_mark marked[BACKLOG_PAGES];

	uint64_t asked; /* what marks pages that somebody was asked for since any may have moved */
	struct backlog_page known[BACKLOG_PAGES];
	struct backlog_page sizes[BACKLOG_SIZES]; /* of 2 MiB: a directory's entry */
	/* The latest uses, numbered on; whose lines the marks have still. Of code all. */
	struct backlog_use uses[BACKLOG_USES], code[BACKLOG_CODE];
	uint64_t nr_uses, use_of[BACKLOG_PAGES]; /* by mark */
	uint64_t told_uses;                      /* that the core was told of */
	struct core *core;
	memory_page_at *page_at;
	void *who;
	uint64_t *words;
	size_t part_words;
	uint64_t first, present; /* parts, numbered on */
	bool moves;              /* pages may move with the running block */
	bool on;                 /* between an entry and the next exit */
	bool lost;               /* what came before `first`, since the core was last told */
	uint8_t effects;         /* of what is lost */
	uint8_t prefetch_off;
	struct backlog_part parts[BACKLOG_PARTS];
	struct core_processor page;                /* the visor's words, as they were */
	struct code_block *told_block;             /* that the core was told of last */
	struct backlog_page places[BACKLOG_PAGES]; /* as the core is told of them, */
	uint64_t told;                             /* which marks those since the last entry */
};

/* Of so many bytes, for that core. page_at: who knows how large pages are, or NULL. Returns NULL
 * without memory. */
struct backlog *backlog_new(size_t bytes, struct core *core, memory_page_at *page_at, void *who);
/* NULL is fine. */
void backlog_free(struct backlog *backlog);

/* The guest goes on as the page says, which asks for nothing (core_asks_nothing()); from now on
 * blocks and accesses are put down. */
void backlog_enter(struct backlog *backlog, const struct core_processor *page);
/* The guest has stopped as the page says. */
void backlog_leave(struct backlog *backlog, const struct core_processor *page);
/* The core hears of all that is there: it is where it would be. Takes 20 to 100 ns a word. */
void backlog_tell(struct backlog *backlog);

/* What backlog_block() and backlog_access() have not taken, while it is on. An access's page must
 * be known by one of the two after it. */
void backlog_block_slow(struct backlog *backlog, const struct code_block *block);
void backlog_access_slow(struct backlog *backlog, const struct code_insn *insn, uint64_t vaddr,
			 unsigned size_log2, bool store);
/* Whether the page's place need not be asked for. */
bool backlog_knows(struct backlog *backlog, uint64_t vaddr);
/* The place of a page is known: `paddr`. */
void backlog_place(struct backlog *backlog, uint64_t vaddr, uint64_t paddr);
/* Code of so many bytes lies there that will run. */
void backlog_code(struct backlog *backlog, uint64_t vaddr, uint64_t paddr, uint64_t bytes);
/* As the functions of core.h that are called so. */
void backlog_device_access(struct backlog *backlog, const struct code_insn *insn);
void backlog_touch(struct backlog *backlog, enum touch_kind kind, uint64_t vaddr, uint64_t paddr);
void backlog_frame_selector(struct backlog *backlog, uint16_t selector);

/* A block without effects that begins as usual. Returns false when it is not put down. */
static inline bool backlog_block(struct backlog *backlog, const struct code_block *block)
{
	uint64_t *at = backlog->at;

	if (at >= backlog->block_end)
		return false;
	backlog->block = block;
	backlog->at = at + 1;
	*at = (uintptr_t)block;
	return true;
}

/* An access of 2 to the `size_log2` bytes to a page whose place is put down. */
static inline bool backlog_access(struct backlog *backlog, const struct code_insn *insn,
				  uint64_t vaddr, unsigned size_log2, bool store)
{
	uint64_t *at = backlog->at, page = vaddr >> CORE_PAGE_SHIFT;
	struct backlog_mark *mark = &backlog->marked[page % BACKLOG_PAGES];
	uintptr_t from = (uintptr_t)insn - (uintptr_t)backlog->block;

	if (at >= backlog->end || from >= BACKLOG_REACH || mark->page != (page ^ backlog->round))
		return false;
	mark->lines |= 1ull << vaddr / CORE_LINE_SIZE % 64;
	backlog->at = at + 1;
	*at = vaddr << WORD_ADDRESS | from << (WORD_INSN - 3) | (uint64_t)store << WORD_STORE |
	      size_log2 << WORD_SIZE | WORD_ACCESS;
	return true;
}

#endif
