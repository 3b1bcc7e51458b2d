/* SPDX-License-Identifier: BSD-2-Clause */
/* Our terminal while the machine runs: keys go to the machine as they are, which edits, echoes and
 * makes signals of them. */
#include "host/machine/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "host/lib/report.h"
#include "host/lib/text.h"

#define LEAVE_KEY     0x1d /* Ctrl-] */
#define LEAVE_PRESSES 3
#define LEAVE_SECONDS 1

static struct termios before;
static bool raw;

static bool is_ours(int fd)
{
	return isatty(fd) && tcgetpgrp(fd) == getpgrp();
}

bool terminal_typed(void)
{
	return is_ours(STDIN_FILENO);
}

void terminal_size(uint32_t *rows, uint32_t *cols)
{
	struct winsize size = {0};

	for (int fd = 0; fd < 3; fd++)
		if (isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_row)
			break;
	*rows = size.ws_row;
	*cols = size.ws_col;
}

/* Programs distinguish pipes from files: perf, for one, writes its data to a pipe. */
const char *file_words(void)
{
	char letters[4], *end = letters;
	struct stat info;

	for (int fd = 0; fd < 3; fd++)
		if (!isatty(fd) && !fstat(fd, &info) && !S_ISFIFO(info.st_mode) &&
		    !S_ISSOCK(info.st_mode))
			*end++ = "ioe"[fd];
	*end = '\0';
	return end == letters ? "" : format_text(" files=%s", letters);
}

/* Writes a letter for each stream that is a terminal. */
static void terminal_letters(char letters[4])
{
	char *end = letters;

	if (terminal_typed())
		*end++ = 'i';
	if (isatty(STDOUT_FILENO))
		*end++ = 'o';
	if (isatty(STDERR_FILENO))
		*end++ = 'e';
	*end = '\0';
}

const char *terminal_feed(void)
{
	char letters[4];
	uint32_t rows, cols;

	if (!terminal_typed())
		return "";
	terminal_letters(letters);
	terminal_size(&rows, &cols);
	return format_text("%s %u %u", letters, rows, cols);
}

const char *terminal_words(void)
{
	char letters[4];
	uint32_t rows, cols;

	terminal_letters(letters);
	if (!*letters)
		return "";
	terminal_size(&rows, &cols);
	return format_text(" terminal=%s%s", letters,
			   rows ? format_text(" size=%ux%u", rows, cols) : "");
}

void terminal_restore(void)
{
	if (raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
	raw = false;
}

void terminal_raw(void)
{
	struct termios modes;

	if (raw || !terminal_typed() || tcgetattr(STDIN_FILENO, &before))
		return;
	modes = before;
	cfmakeraw(&modes);
	raw = !tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
	atexit(terminal_restore);
	on_death(terminal_restore);
}

const char *terminal_newline(void)
{
	return raw && isatty(STDERR_FILENO) ? "\r\n" : "\n";
}

bool terminal_leaves(const unsigned char *bytes, size_t size)
{
	static int presses;
	static struct timespec first;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (; size; size--, bytes++) {
		if (*bytes != LEAVE_KEY || now.tv_sec - first.tv_sec > LEAVE_SECONDS)
			presses = 0;
		if (*bytes != LEAVE_KEY)
			continue;
		if (!presses++)
			first = now;
		if (presses == LEAVE_PRESSES)
			return true;
	}
	return false;
}
