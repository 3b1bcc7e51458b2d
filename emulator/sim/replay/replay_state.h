/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and parts of the log, shared by the files of emulator/sim/replay. */
#ifndef CORE_REPLAY_STATE_H
#define CORE_REPLAY_STATE_H

#include "emulator/sim/replay/replay.h"

#define ROUND_ONE (1ULL << REPLAY_ROUND)
#define PAGE_MASK (CORE_PAGE_SIZE - 1ULL)

/* Events that are neither blocks nor accesses, from bit 3 of a word in which only bit 1 is set
 * below. */
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

static inline uint64_t *part_begin(const struct replay *replay, uint64_t part)
{
	return replay->words + part % REPLAY_PARTS * replay->part_words;
}

static inline struct replay_part *part_of(struct replay *replay, uint64_t part)
{
	return &replay->parts[part % REPLAY_PARTS];
}

/* put.c */
/* Starts the present part, without logged pages. */
void replay_begin_part(struct replay *replay);

/* uses.c */
/* Records the use of the address, and marks its page as logged from now on. */
void replay_mark(struct replay *replay, uint64_t vaddr, uint64_t place);
/* Replays the lines that were used in lost parts. */
void replay_feed_lost_uses(struct replay *replay);

/* tell.c */
/* Sets the physical address of the core's next accesses to the page. */
void replay_feed_address(struct replay *replay, uint64_t page, uint64_t place);

#endif
