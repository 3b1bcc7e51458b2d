/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 (RFC 3629) and escape sequences (ECMA-48, 8.3: SGR, CUP, ED, EL; xterm's titles). */
#include "kernel/host/escape.h"

#define ESCAPE_BYTE 0x1b
#define BELL        7
#define LAST_POINT  0x10ffff
#define MOST_NUMBER 9999
#define BRIGHT      8

void escape_reset(struct escape *escape)
{
	*escape = (struct escape){.ink = ESCAPE_INK, .paper = ESCAPE_PAPER};
}

uint8_t escape_colours(const struct escape *escape)
{
	uint8_t ink = escape->ink, paper = escape->paper;

	if (escape->bold && ink < BRIGHT)
		ink |= BRIGHT;
	return (uint8_t)(escape->reverse ? paper | ink << 4 : ink | paper << 4);
}

/* Returns the nearest of 16 colours to one of 256: the 16 themselves, a cube of 6 x 6 x 6,
 * greys. */
static uint8_t nearest(uint32_t colour)
{
	uint32_t red, green, blue, most;

	if (colour < 16)
		return (uint8_t)colour;
	if (colour > 231)
		return colour < 238 ? 0 : colour < 244 ? 8 : colour < 251 ? 7 : 15;
	red = (colour - 16) / 36;
	green = (colour - 16) / 6 % 6;
	blue = (colour - 16) % 6;
	most = red > green ? red : green;
	most = blue > most ? blue : most;
	if (!most)
		return 0;
	return (uint8_t)((red * 2 > most) | (green * 2 > most) << 1 | (blue * 2 > most) << 2 |
			 (most > 3 ? BRIGHT : 0));
}

/* Parses 38 and 48: ;5;N of 256 or ;2;R;G;B. Returns how many more numbers it has consumed. */
static uint32_t long_colour(const struct escape *escape, uint32_t at, uint8_t *colour)
{
	const uint32_t *n = escape->numbers;

	if (at + 2 < escape->nr && n[at + 1] == 5) {
		*colour = nearest(n[at + 2] & 255);
		return 2;
	}
	if (at + 4 < escape->nr && n[at + 1] == 2) {
		*colour = nearest(16 + 36 * ((n[at + 2] & 255) / 43) +
				  6 * ((n[at + 3] & 255) / 43) + (n[at + 4] & 255) / 43);
		return 4;
	}
	return escape->nr;
}

static void select_graphics(struct escape *escape)
{
	for (uint32_t i = 0; i < escape->nr; i++) {
		uint32_t n = escape->numbers[i];

		if (n == 0) {
			escape->ink = ESCAPE_INK;
			escape->paper = ESCAPE_PAPER;
			escape->bold = escape->reverse = false;
		} else if (n == 1 || n == 22) {
			escape->bold = n == 1;
		} else if (n == 7 || n == 27) {
			escape->reverse = n == 7;
		} else if (n >= 30 && n <= 37) {
			escape->ink = (uint8_t)(n - 30);
		} else if (n >= 40 && n <= 47) {
			escape->paper = (uint8_t)(n - 40);
		} else if (n >= 90 && n <= 97) {
			escape->ink = (uint8_t)(n - 90 + BRIGHT);
		} else if (n >= 100 && n <= 107) {
			escape->paper = (uint8_t)(n - 100 + BRIGHT);
		} else if (n == 38 || n == 48) {
			i += long_colour(escape, i, n == 38 ? &escape->ink : &escape->paper);
		} else if (n == 39) {
			escape->ink = ESCAPE_INK;
		} else if (n == 49) {
			escape->paper = ESCAPE_PAPER;
		}
	}
}

/* Handles the sequence's last byte. Sequences that a line-based screen does not need are
 * ignored. */
static enum escape_action finish(struct escape *escape, uint8_t byte)
{
	const uint32_t *n = escape->numbers;

	escape->state = ESCAPE_TEXT;
	if (byte == 'm')
		select_graphics(escape);
	if (byte == 'K' && !n[0])
		return ESCAPE_CLEAR_LINE;
	if (byte == 'J' && (n[0] == 2 || n[0] == 3))
		return ESCAPE_CLEAR;
	if (byte != 'H' && byte != 'f')
		return ESCAPE_NOTHING;
	escape->row = n[0] ? n[0] - 1 : 0;
	escape->column = escape->nr > 1 && n[1] ? n[1] - 1 : 0;
	return ESCAPE_MOVE;
}

static enum escape_action sequence(struct escape *escape, uint8_t byte)
{
	uint32_t *number = &escape->numbers[escape->nr - 1];

	if (byte >= '0' && byte <= '9') {
		*number = *number * 10 + (byte - '0');
		*number = *number > MOST_NUMBER ? MOST_NUMBER : *number;
	} else if (byte == ';' || byte == ':') {
		if (escape->nr < ESCAPE_NUMBERS)
			escape->numbers[escape->nr++] = 0;
	} else if (byte >= 0x40 && byte <= 0x7e) {
		return finish(escape, byte);
	} else if (byte < ' ') {
		escape->state = ESCAPE_TEXT;
	}
	return ESCAPE_NOTHING;
}

static enum escape_action escape_put(struct escape *escape, uint32_t point)
{
	escape->point = point;
	escape->left = 0;
	return ESCAPE_PUT;
}

/* Handles the first byte of a multi-byte character. */
static enum escape_action begin(struct escape *escape, uint8_t byte)
{
	static const uint32_t leasts[] = {0x80, 0x800, 0x10000};

	for (uint32_t more = 1; more <= 3; more++) {
		if ((byte & (0xffu << (6 - more))) != (uint8_t)(0xffu << (7 - more)))
			continue;
		escape->point = byte & (0x3fu >> more);
		escape->left = more;
		escape->least = leasts[more - 1];
		return ESCAPE_NOTHING;
	}
	return escape_put(escape, REPLACEMENT);
}

static enum escape_action go_on(struct escape *escape, uint8_t byte)
{
	if ((byte & 0xc0) != 0x80) {
		escape->again = true;
		return escape_put(escape, REPLACEMENT);
	}
	escape->point = escape->point << 6 | (byte & 0x3f);
	if (--escape->left)
		return ESCAPE_NOTHING;
	if (escape->point < escape->least || escape->point > LAST_POINT ||
	    (escape->point >= 0xd800 && escape->point < 0xe000))
		return escape_put(escape, REPLACEMENT);
	return ESCAPE_PUT;
}

enum escape_action escape_feed(struct escape *escape, uint8_t byte)
{
	escape->again = false;
	if (escape->state == ESCAPE_SEQUENCE)
		return sequence(escape, byte);
	if (escape->state == ESCAPE_TITLE) {
		if (byte == BELL || byte == ESCAPE_BYTE) /* ESC \ also ends it */
			escape->state = byte == BELL ? ESCAPE_TEXT : ESCAPE_BEGUN;
		return ESCAPE_NOTHING;
	}
	if (escape->state == ESCAPE_BEGUN) {
		escape->state = byte == '['   ? ESCAPE_SEQUENCE
				: byte == ']' ? ESCAPE_TITLE
					      : ESCAPE_TEXT;
		escape->numbers[0] = 0;
		escape->nr = 1;
		return ESCAPE_NOTHING;
	}
	if (escape->left)
		return go_on(escape, byte);
	if (byte == ESCAPE_BYTE) {
		escape->state = ESCAPE_BEGUN;
		return ESCAPE_NOTHING;
	}
	return byte < 0x80 ? escape_put(escape, byte) : begin(escape, byte);
}
