/* SPDX-License-Identifier: BSD-2-Clause */
/* A terminal's line discipline: what typed bytes become, by termios(3). It knows no device and no
 * task. Context of all: any; who calls keeps others out. */
#ifndef KERNEL_LINE_H
#define KERNEL_LINE_H

#include <asm/termbits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES 4096

struct line {
	struct termios modes;
	void (*echo)(const char *text, size_t bytes);
	uint32_t head, tail; /* bytes ever typed, ever read */
	uint32_t whole;      /* up to here lines are complete */
	bool literal;        /* the next byte means nothing special (VLNEXT) */
	uint8_t bytes[LINE_BYTES];
	uint8_t ends[LINE_BYTES / 8]; /* bit: this byte ends a line */
};

/* Linux's modes for a new terminal. */
void line_init(struct line *line, void (*echo)(const char *text, size_t bytes));
/* Handles one typed byte. Returns the signal that it stands for, or 0. */
int line_type(struct line *line, uint8_t byte);
/* Bytes that line_type() surely takes now. */
size_t line_room(const struct line *line);
/* Whether a read gets something: a line, or with ICANON off `least` bytes. */
bool line_ready(const struct line *line, size_t least);
/* Takes what one read gets, at most `bytes`: 0 is the end of input (VEOF on an empty line). */
size_t line_read(struct line *line, void *to, size_t bytes);
/* Bytes that a read could get: FIONREAD. */
size_t line_readable(const struct line *line);
/* Forgets what was typed and not read: TCIFLUSH. */
void line_flush(struct line *line);
/* ICANON was switched: what was typed becomes readable. */
void line_modes_changed(struct line *line, tcflag_t before);

#endif
