/* SPDX-License-Identifier: BSD-2-Clause */
/* Interprets bytes for a terminal: UTF-8 and the escape sequences of ECMA-48 that programs commonly
 * send. Plain C without hardware. Context of all: any. */
#ifndef KERNEL_ESCAPE_H
#define KERNEL_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#define ESCAPE_NUMBERS 16
#define ESCAPE_INK     7 /* default colours, of 16 */
#define ESCAPE_PAPER   0

#define REPLACEMENT 0xfffd /* the replacement character of Unicode */

enum escape_action {
	ESCAPE_NOTHING,
	ESCAPE_PUT,        /* `point`, in the colours */
	ESCAPE_CLEAR,      /* the whole screen */
	ESCAPE_CLEAR_LINE, /* from the cursor to the line's end */
	ESCAPE_MOVE        /* the cursor to `row` and `column`, from 0 */
};

/* Zeros except for the colours initially: escape_reset(). */
struct escape {
	uint32_t point, left, least; /* a character under way: bytes that it still wants, and the
					lowest point that needs so many */
	enum { ESCAPE_TEXT, ESCAPE_BEGUN, ESCAPE_SEQUENCE, ESCAPE_TITLE } state;
	uint32_t numbers[ESCAPE_NUMBERS], nr;
	uint32_t row, column;
	uint8_t ink, paper;        /* colours of 16: bit 0 red, 1 green, 2 blue, 3 bright */
	bool bold, reverse, again; /* again: the byte that broke a character is to be fed again */
};

/* Resets the state, the colours, and a partial character. */
void escape_reset(struct escape *escape);
/* Feeds one byte. Invalid UTF-8 yields U+FFFD. */
enum escape_action escape_feed(struct escape *escape, uint8_t byte);
/* Returns the visible colours: ink | paper << 4. */
uint8_t escape_colours(const struct escape *escape);

#endif
