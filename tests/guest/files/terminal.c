/* SPDX-License-Identifier: BSD-2-Clause */
/* The console as a terminal, where standard output is one; and that there is none, where it is
 * not. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include "tests/guest/tap.h"

static bool fails(long result, int error)
{
	return result == -1 && errno == error;
}

static void no_terminal(void)
{
	struct termios modes;
	struct winsize size;

	ok(!isatty(1), "standard output is no terminal");
	ok(fails(open("/dev/tty", O_RDWR), ENXIO), "without a terminal /dev/tty is missing: ENXIO");
	ok(fails(tcgetattr(1, &modes), ENOTTY) && fails(ioctl(1, TIOCGWINSZ, &size), ENOTTY) &&
	       fails(tcgetpgrp(1), ENOTTY),
	   "ENOTTY");
}

/* In a child: what its process group and session can do with the terminal. */
static int in_child(int (*check)(int fd), int fd)
{
	int status;

	if (!fork())
		_exit(check(fd));
	wait(&status);
	return status;
}

static int come_to_front(int fd)
{
	setpgid(0, 0);
	return tcsetpgrp(fd, getpid()) || tcgetpgrp(fd) != getpid();
}

static int leave_session(int fd)
{
	setsid();
	return !fails(tcgetpgrp(fd), ENOTTY) || !fails(open("/dev/tty", O_RDWR), ENXIO) ||
	       !fails(ioctl(fd, TIOCSCTTY, 0), EPERM);
}

static void terminal(void)
{
	int fd = open("/dev/tty", O_RDWR);
	struct winsize size = {0}, other = {.ws_row = 40, .ws_col = 132};
	struct termios modes, read_back;
	struct stat stat;
	char byte;

	ok(fd >= 0 && isatty(fd) && !fstat(fd, &stat) && stat.st_rdev == makedev(5, 0), "/dev/tty");
	ok(!tcgetattr(fd, &modes) && modes.c_lflag & ECHO, "modes");
	modes.c_lflag &= ~(tcflag_t)ECHO;
	ok(!tcsetattr(1, TCSANOW, &modes) && !tcgetattr(fd, &read_back) &&
	       !(read_back.c_lflag & ECHO),
	   "are the terminal's, whoever sets them");
	ok(!ioctl(fd, TIOCSWINSZ, &other) && !ioctl(1, TIOCGWINSZ, &size) && size.ws_row == 40 &&
	       size.ws_col == 132,
	   "TIOCSWINSZ sets the terminal's size");
	ok(tcgetpgrp(fd) == getpgrp() && tcgetsid(fd) == getsid(0), "the own group is in front");
	ok(!in_child(come_to_front, fd), "a child's group comes to the front");
	ok(fails(tcsetpgrp(fd, 99999), ESRCH) && fails(tcsetpgrp(fd, -1), EINVAL), "ESRCH, EINVAL");
	ok(!in_child(leave_session, fd), "another session has no terminal");
	ok(fails(read(fd, &byte, 1), EIO), "a background read without a foreground group: EIO");
	ok(!tcsetpgrp(fd, getpgrp()) && read(fd, &byte, 1) == 0, "nothing is typed");
	close(fd);
}

int main(void)
{
	if (isatty(1))
		terminal();
	else
		no_terminal();
	return tap_end();
}
