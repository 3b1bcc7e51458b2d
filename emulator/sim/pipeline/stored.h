/* SPDX-License-Identifier: BSD-2-Clause */
/* The stores that the store buffer may still hold, by the words of 8 bytes that they wrote. Private
 * to the pipeline. */
#ifndef CORE_PIPE_STORED_H
#define CORE_PIPE_STORED_H

#include <stdbool.h>
#include <stdint.h>

#define STORED         512 /* slots: the words of a page, so words of one slot alias */
#define STORED_WORD    8
#define STORED_KNOWN   0xffff
#define STORED_PENDING UINT64_MAX /* a store of the running block: its times are not known */

/* A store, as one word of it sees it. */
struct stored {
	uint64_t word;   /* address / 8 */
	uint64_t ready;  /* when its data can be forwarded */
	uint64_t gone;   /* when it has left the buffer */
	uint64_t id;     /* of the store: its words have the same */
	uint32_t name;   /* its address for renaming, or 0; once ready and gone are known */
	uint16_t number; /* of its block's stores; STORED_KNOWN once ready and gone are known */
	uint8_t mask;    /* bytes of the word */
};

/* The last store to a slot's word, and one before it that wrote other bytes. */
struct stored_pair {
	struct stored way[2];
	uint8_t latest;
};

/* Returns the place for a store of these bytes; the last store stays if some of its bytes do. */
static inline struct stored *stored_place(struct stored_pair *pair, uint64_t word, uint8_t mask)
{
	const struct stored *last = &pair->way[pair->latest];

	if (last->word == word && (last->mask & ~mask))
		pair->latest ^= 1;
	return &pair->way[pair->latest];
}

#endif
