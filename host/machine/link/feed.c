/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pipe or a terminal as the input of a program on Linux: its first process requests a number of
 * bytes on COM2, with a frame `I`, and gets a piece on the same line, which is then a socket: kind,
 * length (u16), bytes.
 */
#include "host/machine/link/feed.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "abi/host_frames.h"
#include "host/lib/report.h"
#include "host/machine/terminal.h"

#define HEADER 3
#define MOST   4096

static uint32_t room; /* bytes that the machine has room for, and waits for */

bool feed_wanted(const struct options *options)
{
	struct stat info;

	return options->command && !strcmp(options->command, "linux") &&
	       (terminal_typed() || (!fstat(STDIN_FILENO, &info) &&
				     (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode))));
}

void feed_requested(uint32_t bytes)
{
	room = bytes < MOST ? bytes : MOST;
	terminal_raw();
}

int feed_fd(void)
{
	return room ? STDIN_FILENO : -1;
}

static void send_piece(int line, char kind, const void *bytes, size_t size)
{
	unsigned char piece[HEADER + MOST] = {(unsigned char)kind, (unsigned char)size,
					      (unsigned char)(size >> 8)};
	size_t done = 0;

	memcpy(piece + HEADER, bytes, size);
	while (done < HEADER + size) {
		ssize_t n = write(line, piece + done, HEADER + size - done);

		if (n < 0 && errno != EINTR)
			return; /* the machine has ended, which its streams report */
		done += n > 0 ? (size_t)n : 0;
	}
}

void feed_serve(int line)
{
	unsigned char bytes[MOST];
	ssize_t n = read(STDIN_FILENO, bytes, room);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0 && terminal_typed() && terminal_leaves(bytes, (size_t)n)) {
		terminal_restore();
		die(128 + SIGINT, "left");
	}
	room = 0;
	send_piece(line, FEED_BYTES, bytes, n > 0 ? (size_t)n : 0);
}

void feed_size(int line)
{
	uint32_t rows, cols;

	terminal_size(&rows, &cols);
	send_piece(line, FEED_SIZE, (uint16_t[]){(uint16_t)rows, (uint16_t)cols}, 4);
}
