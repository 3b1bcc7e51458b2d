/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of streams.t: prints the kinds of its streams and their bytes. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static char block[65536];

/* All of standard input, to standard output. */
static int copy(void)
{
	ssize_t n;

	while ((n = read(0, block, sizeof(block))) > 0)
		if (write(1, block, (size_t)n) != n)
			return 1;
	return n < 0;
}

/* Writes `mib` MiB that repeat after a length which divides none of the buffers on the way. */
static int flood(long mib)
{
	long left = mib << 20;

	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i % 251);
	while (left > 0)
		left -= write(1, block, left < 65521 ? (size_t)left : 65521);
	return 0;
}

/* Writes memory of all kinds, not from a page's start: some pages are present, some not yet,
 * some are in another area, and some are unreadable, where the write ends. */
static int corners(void)
{
	const size_t page = 4096, bytes = 80 * page;
	char *memory =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < 30 * page; i++)
		memory[i] = (char)(i % 251);
	for (size_t i = 40 * page; i < bytes; i++)
		memory[i] = (char)(i % 241);
	mprotect(memory + 50 * page, 10 * page, PROT_READ);
	fprintf(stderr, "%zd ", write(1, memory + 100, 20 * page));
	fprintf(stderr, "%zd ", write(1, memory + 20 * page + 1, 30 * page));
	fprintf(stderr, "%zd ", write(1, memory + 41 * page + 4095, 38 * page));
	mprotect(memory + 70 * page, 10 * page, PROT_NONE);
	fprintf(stderr, "%zd", write(1, memory + 75 * page, 5 * page));
	return 0;
}

/* Prints the kind of each stream: t a terminal, p a pipe, c another device. */
static int kinds(void)
{
	struct stat info;

	for (int fd = 0; fd < 3; fd++) {
		fstat(fd, &info);
		putchar(isatty(fd) ? 't' : S_ISFIFO(info.st_mode) ? 'p' : 'c');
	}
	putchar('\n');
	return 0;
}

static volatile sig_atomic_t resized;

static void on_resize(int signo)
{
	(void)signo;
	resized = 1;
}

/* The window's size, now and after it was changed. */
static int sizes(void)
{
	struct sigaction action = {.sa_handler = on_resize};
	struct winsize size;

	sigaction(SIGWINCH, &action, NULL);
	ioctl(0, TIOCGWINSZ, &size);
	printf("%d rows, %d columns\n", size.ws_row, size.ws_col);
	fflush(stdout);
	while (!resized)
		poll(NULL, 0, 10);
	ioctl(0, TIOCGWINSZ, &size);
	printf("now %d rows, %d columns\n", size.ws_row, size.ws_col);
	return 0;
}

/* Keys one by one, until q. */
static int keys(void)
{
	struct termios modes;
	unsigned char key = 0;

	tcgetattr(0, &modes);
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	tcsetattr(0, TCSANOW, &modes);
	printf("keys\n");
	fflush(stdout);
	while (key != 'q' && read(0, &key, 1) == 1) {
		printf("<%02x>", key);
		fflush(stdout);
	}
	return 0;
}

/* Input within so many ms? */
static int wait_for(int ms)
{
	struct pollfd fd = {0, POLLIN, 0};
	int ready = poll(&fd, 1, ms);

	printf("%s\n", ready == 0 ? "nothing" : fd.revents & POLLIN ? "input" : "end");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "flood"))
		return flood(atol(argv[2]));
	if (argc > 2 && !strcmp(argv[1], "wait"))
		return wait_for(atoi(argv[2]));
	if (argc > 1 && !strcmp(argv[1], "corners"))
		return corners();
	if (argc > 1 && !strcmp(argv[1], "kinds"))
		return kinds();
	if (argc > 1 && !strcmp(argv[1], "sizes"))
		return sizes();
	if (argc > 1 && !strcmp(argv[1], "keys"))
		return keys();
	return copy();
}
