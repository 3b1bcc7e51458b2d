/* SPDX-License-Identifier: BSD-2-Clause */
/* The line discipline: editing, echo and signals, like termios(3) and Linux's n_tty. */
#include <asm/termbits.h>
#include <linux/signal.h>
#include "kernel/base/string.h"
#include "kernel/device/line.h"

#define CONTROL(letter) ((letter)&0x1f)
#define DELETE          0x7f
#define NO_CHARACTER    0 /* in c_cc: none */

void line_init(struct line *line, void (*echo)(const char *text, size_t bytes))
{
	static const struct termios fresh = {.c_iflag = ICRNL | IXON | IUTF8,
					     .c_oflag = OPOST | ONLCR,
					     .c_cflag = B38400 | CS8 | CREAD | HUPCL,
					     .c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK |
							ECHOCTL | ECHOKE | IEXTEN,
					     .c_cc = {[VINTR] = CONTROL('C'),
						      [VQUIT] = CONTROL('\\'),
						      [VERASE] = DELETE,
						      [VKILL] = CONTROL('U'),
						      [VEOF] = CONTROL('D'),
						      [VMIN] = 1,
						      [VSTART] = CONTROL('Q'),
						      [VSTOP] = CONTROL('S'),
						      [VSUSP] = CONTROL('Z'),
						      [VREPRINT] = CONTROL('R'),
						      [VDISCARD] = CONTROL('O'),
						      [VWERASE] = CONTROL('W'),
						      [VLNEXT] = CONTROL('V')}};

	memset(line, 0, sizeof(*line));
	line->modes = fresh;
	line->echo = echo;
}

static bool local(const struct line *line, tcflag_t flag)
{
	return line->modes.c_lflag & flag;
}

static uint8_t *byte_at(struct line *line, uint32_t at)
{
	return &line->bytes[at % LINE_BYTES];
}

static bool ends_at(const struct line *line, uint32_t at)
{
	return line->ends[at % LINE_BYTES / 8] >> at % 8 & 1;
}

static void set_end(struct line *line, uint32_t at, bool end)
{
	uint8_t *bits = &line->ends[at % LINE_BYTES / 8], bit = (uint8_t)(1u << at % 8);

	*bits = (uint8_t)(end ? *bits | bit : *bits & ~bit);
}

static void store(struct line *line, uint8_t byte, bool end)
{
	*byte_at(line, line->head) = byte;
	set_end(line, line->head, end);
	line->head++;
	if (end || !local(line, ICANON))
		line->whole = line->head;
}

/* A control character is shown as ^X. */
static bool is_shown_by_two(const struct line *line, uint8_t byte)
{
	return local(line, ECHOCTL) && (byte < ' ' || byte == DELETE) && byte != '\n' &&
	       byte != '\t';
}

static void echo(struct line *line, uint8_t byte)
{
	char text[2] = {'^', (char)(byte ^ 0x40)};

	if (!local(line, ECHO) && !(byte == '\n' && local(line, ECHONL) && local(line, ICANON)))
		return;
	if (is_shown_by_two(line, byte))
		line->echo(text, 2);
	else
		line->echo((char *)&byte, 1);
}

static bool continues_character(const struct line *line, uint8_t byte)
{
	return line->modes.c_iflag & IUTF8 && (byte & 0xc0) == 0x80;
}

/* Removes the last character. False: the line is empty. */
static bool erase(struct line *line)
{
	uint8_t byte;

	if (line->head == line->whole)
		return false;
	do
		byte = *byte_at(line, --line->head);
	while (line->head != line->whole && continues_character(line, byte));
	if (local(line, ECHO) && local(line, ECHOE))
		line->echo("\b \b\b \b", is_shown_by_two(line, byte) ? 6 : 3);
	return true;
}

static bool is_word(uint8_t byte)
{
	return byte == '_' || byte >= 0x80 || (byte >= '0' && byte <= '9') ||
	       ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

/* Removes the trailing blanks, and the word before them. */
static void erase_word(struct line *line)
{
	bool seen = false;

	while (line->head != line->whole) {
		bool word = is_word(*byte_at(line, line->head - 1));

		if (seen && !word)
			return;
		seen |= word;
		erase(line);
	}
}

static void kill_line(struct line *line, uint8_t byte)
{
	if (local(line, ECHOKE) && local(line, ECHOE)) {
		while (erase(line))
			;
		return;
	}
	line->head = line->whole;
	echo(line, byte);
	if (local(line, ECHOK))
		echo(line, '\n');
}

static void reprint(struct line *line, uint8_t byte)
{
	echo(line, byte);
	echo(line, '\n');
	for (uint32_t at = line->whole; at != line->head; at++)
		echo(line, *byte_at(line, at));
}

static bool is_special(const struct line *line, unsigned index, uint8_t byte)
{
	return byte == line->modes.c_cc[index] && byte != NO_CHARACTER;
}

static int signal_of(const struct line *line, uint8_t byte)
{
	if (!local(line, ISIG))
		return 0;
	return is_special(line, VINTR, byte)   ? SIGINT
	       : is_special(line, VQUIT, byte) ? SIGQUIT
	       : is_special(line, VSUSP, byte) ? SIGTSTP
					       : 0;
}

/* Editing; false: an ordinary byte. */
static bool edit(struct line *line, uint8_t byte)
{
	if (is_special(line, VERASE, byte))
		erase(line);
	else if (is_special(line, VKILL, byte))
		kill_line(line, byte);
	else if (local(line, IEXTEN) && is_special(line, VWERASE, byte))
		erase_word(line);
	else if (local(line, IEXTEN) && is_special(line, VREPRINT, byte))
		reprint(line, byte);
	else if (is_special(line, VEOF, byte))
		store(line, 0, true);
	else
		return false;
	return true;
}

/* Adds an ordinary byte; a line that is too long loses its end, but not its newline. */
static void ordinary(struct line *line, uint8_t byte)
{
	bool end = local(line, ICANON) &&
		   (byte == '\n' || is_special(line, VEOL, byte) || is_special(line, VEOL2, byte));

	if (!line_room(line) && !(end && line->head - line->tail < LINE_BYTES))
		return;
	echo(line, byte);
	store(line, byte, end);
}

int line_type(struct line *line, uint8_t byte)
{
	tcflag_t input = line->modes.c_iflag;
	int signo;

	if (line->literal) {
		line->literal = false;
		ordinary(line, byte);
		return 0;
	}
	if (byte == '\r' && input & IGNCR)
		return 0;
	if (byte == '\r' && input & ICRNL)
		byte = '\n';
	else if (byte == '\n' && input & INLCR)
		byte = '\r';
	if (input & IXON && (is_special(line, VSTART, byte) || is_special(line, VSTOP, byte)))
		return 0; /* output is never stopped: there is a host that keeps it */
	signo = signal_of(line, byte);
	if (signo) {
		if (!local(line, NOFLSH))
			line_flush(line);
		echo(line, byte);
		return signo;
	}
	if (local(line, ICANON) && local(line, IEXTEN) && is_special(line, VLNEXT, byte)) {
		line->literal = true;
		if (local(line, ECHO) && local(line, ECHOCTL))
			line->echo("^\b", 2);
	} else if (!local(line, ICANON) || !edit(line, byte)) {
		ordinary(line, byte);
	}
	return 0;
}

/* One byte is reserved for the newline of a line that is too long. */
size_t line_room(const struct line *line)
{
	uint32_t used = line->head - line->tail;

	return used < LINE_BYTES - 1 ? LINE_BYTES - 1 - used : 0;
}

size_t line_readable(const struct line *line)
{
	return (local(line, ICANON) ? line->whole : line->head) - line->tail;
}

bool line_ready(const struct line *line, size_t least)
{
	return line_readable(line) >= (local(line, ICANON) || !least ? 1 : least);
}

size_t line_read(struct line *line, void *to, size_t bytes)
{
	size_t done = 0, there = line_readable(line);

	while (done < bytes && there--) {
		uint8_t byte = *byte_at(line, line->tail);
		bool end = local(line, ICANON) && ends_at(line, line->tail);

		line->tail++;
		if (end && !byte)
			break;
		((uint8_t *)to)[done++] = byte;
		if (end)
			break;
	}
	return done;
}

void line_flush(struct line *line)
{
	line->tail = line->whole = line->head;
	line->literal = false;
}

void line_modes_changed(struct line *line, tcflag_t before)
{
	if ((before ^ line->modes.c_lflag) & ICANON)
		line->whole = line->head;
}
