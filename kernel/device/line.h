/* SPDX-License-Identifier: BSD-2-Clause */
/* A terminal's line discipline: the processing of typed bytes, by termios(3). Independent of
 * devices and tasks. Context of all: any; the caller must serialise access. */
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

/* Sets Linux's modes of a new terminal. */
void line_init(struct line *line, void (*echo)(const char *text, size_t bytes));
/* Handles one typed byte. Returns the signal that it stands for, or 0. */
int line_type(struct line *line, uint8_t byte);
/* Returns the number of bytes that line_type() can certainly take. */
size_t line_room(const struct line *line);
/* True if a read can return: a line, or with ICANON off `least` bytes. */
bool line_ready(const struct line *line, size_t least);
/* Takes the bytes of one read, at most `bytes`: 0 is the end of input (VEOF on an empty line). */
size_t line_read(struct line *line, void *to, size_t bytes);
/* Returns the bytes that a read could return: FIONREAD. */
size_t line_readable(const struct line *line);
/* Discards typed bytes that were not read: TCIFLUSH. */
void line_flush(struct line *line);
/* ICANON was switched: typed bytes become readable. */
void line_modes_changed(struct line *line, tcflag_t before);

#endif
