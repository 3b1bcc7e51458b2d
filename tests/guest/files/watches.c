/* SPDX-License-Identifier: BSD-2-Clause */
/* inotify(7): the events of files and directories, their order, and a user's limits. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

static int notify; /* the instance of most tests */

static const struct {
	uint32_t bit;
	const char *name;
} names[] = {
    {IN_ACCESS, "access"},
    {IN_MODIFY, "modify"},
    {IN_ATTRIB, "attrib"},
    {IN_CLOSE_WRITE, "close_write"},
    {IN_CLOSE_NOWRITE, "close_nowrite"},
    {IN_OPEN, "open"},
    {IN_MOVED_FROM, "from"},
    {IN_MOVED_TO, "to"},
    {IN_CREATE, "create"},
    {IN_DELETE, "delete"},
    {IN_DELETE_SELF, "delete_self"},
    {IN_MOVE_SELF, "move_self"},
    {IN_IGNORED, "ignored"},
    {IN_Q_OVERFLOW, "overflow"},
    {IN_ISDIR, "dir"},
};

/* "1 create a" and the like, "; " between; a move's cookie is "=" where it is the event's
 * before. */
static const char *told_by(int fd)
{
	static char text[4096];
	char buffer[4096] __attribute__((aligned(8)));
	ssize_t bytes = read(fd, buffer, sizeof(buffer));
	uint32_t cookie = 0;
	int at = 0;

	text[0] = 0;
	for (ssize_t i = 0; i < bytes;) {
		const struct inotify_event *event = (const void *)(buffer + i);

		at += sprintf(text + at, "%s%d", at ? "; " : "", event->wd);
		for (unsigned bit = 0; bit < sizeof(names) / sizeof(names[0]); bit++)
			if (event->mask & names[bit].bit)
				at += sprintf(text + at, " %s", names[bit].name);
		if (event->len)
			at += sprintf(text + at, " %s", event->name);
		if (event->cookie)
			at += sprintf(text + at, event->cookie == cookie ? " =" : " +");
		cookie = event->cookie;
		i += (ssize_t)(sizeof(*event) + event->len);
	}
	return text;
}

static void tells(const char *wanted, const char *what)
{
	const char *got = told_by(notify);

	if (!ok(!strcmp(got, wanted), "%s: %s", what, wanted))
		tap_print("# got %s\n", got);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (*text)
		write(fd, text, strlen(text));
	close(fd);
}

static void test_directory(void)
{
	char bytes[8];
	int fd;

	is(inotify_add_watch(notify, "d", IN_ALL_EVENTS), 1, "a directory is watched");
	put("d/a", "");
	tells("1 create a; 1 open a; 1 close_write a", "a new file");
	put("d/a", "some");
	tells("1 modify a; 1 open a; 1 modify a; 1 close_write a", "one that is cut and written");
	fd = open("d/a", O_RDONLY);
	read(fd, bytes, 2);
	read(fd, bytes, 2);
	read(fd, bytes, 2);
	close(fd);
	tells("1 open a; 1 access a; 1 close_nowrite a", "one that is read, at its end as well");
	chmod("d/a", 0600);
	truncate("d/a", 1);
	tells("1 attrib a; 1 modify a", "its mode and its length");
	link("d/a", "d/b");
	tells("1 create b", "another name");
	rename("d/a", "d/c");
	tells("1 from a +; 1 to c =", "a new one");
	rename("d/c", "e");
	tells("1 from c +", "it leaves");
	rename("e", "d/c");
	tells("1 to c +", "and comes back");
	unlink("d/c");
	unlink("d/b");
	tells("1 delete c; 1 delete b", "names go");
	mkdir("d/d", 0755);
	rmdir("d/d");
	symlink("nowhere", "d/l");
	mkfifo("d/p", 0600);
	tells("1 create dir d; 1 delete dir d; 1 create l; 1 create p",
	      "directories, links, pipes");
	unlink("d/l");
	unlink("d/p");
	told_by(notify);
	is(inotify_rm_watch(notify, 1), 0, "no longer");
	tells("1 ignored", "that is told");
	put("d/a", "");
	tells("", "and nothing after it");
}

static void test_file(void)
{
	int fd;

	is(inotify_add_watch(notify, "d/a", IN_ALL_EVENTS), 2, "a file is watched");
	is(inotify_add_watch(notify, "d/a", IN_ALL_EVENTS), 2, "once");
	fd = open("d/a", O_RDWR);
	write(fd, "x", 1);
	write(fd, "x", 1);
	tells("2 open; 2 modify", "events that are alike are one");
	link("d/a", "d/b");
	rename("d/b", "d/c");
	tells("2 attrib; 2 move_self", "names that come and move");
	unlink("d/c");
	unlink("d/a");
	tells("2 attrib", "and go");
	close(fd);
	tells("2 close_write; 2 delete_self; 2 ignored", "the last user of a removed file");
	put("d/a", "");
	inotify_add_watch(notify, "d/a", IN_DELETE_SELF);
	inotify_add_watch(notify, "d", IN_DELETE);
	unlink("d/a");
	tells("3 delete_self; 3 ignored; 4 delete a", "the file is gone before its name is");
	put("d/a", "");
	put("d/b", "");
	inotify_add_watch(notify, "d/b", IN_ALL_EVENTS);
	rename("d/a", "d/b");
	tells("5 attrib; 5 delete_self; 5 ignored", "a file in whose place another comes");
	inotify_add_watch(notify, "d/b", IN_OPEN | IN_ONESHOT);
	put("d/b", "");
	put("d/b", "");
	tells("6 open; 6 ignored", "IN_ONESHOT");
	unlink("d/b");
	told_by(notify);
}

static void test_both(void)
{
	struct stat status;
	int fd;

	inotify_add_watch(notify, "d", IN_OPEN | IN_DELETE_SELF | IN_MASK_ADD);
	put("d/a", "");
	told_by(notify);
	inotify_add_watch(notify, "d/a", IN_OPEN);
	close(open("d/a", O_RDONLY));
	tells("4 open a; 7 open", "directory and file are told");
	close(open("d", O_RDONLY));
	tells("4 open dir", "a directory that is opened");
	ok(stat("d/a", &status) == 0 && access("d/a", R_OK) == 0, "stat and access make no event");
	tells("", "that is told");
	fd = open("d/a", O_RDONLY);
	unlink("d/a");
	told_by(notify);
	close(fd);
	rmdir("d");
	tells("7 ignored; 4 delete_self; 4 ignored", "the directory goes");
	mkdir("d", 0755);
}

static void test_errors(void)
{
	int null = open("/dev/null", O_RDONLY), wd;

	ok(inotify_init1(1) == -1 && errno == EINVAL, "flags that are none");
	ok(inotify_add_watch(notify, "d", 0) == -1 && errno == EINVAL, "no events");
	ok(inotify_add_watch(notify, "d", 1 << 12) == -1 && errno == EINVAL, "unknown ones");
	ok(inotify_add_watch(notify, "d", IN_OPEN | IN_MASK_ADD | IN_MASK_CREATE) == -1 &&
	       errno == EINVAL,
	   "IN_MASK_ADD with IN_MASK_CREATE: EINVAL");
	ok(inotify_add_watch(-1, "d", IN_OPEN) == -1 && errno == EBADF, "no descriptor");
	ok(inotify_add_watch(null, "d", IN_OPEN) == -1 && errno == EINVAL, "another file's");
	ok(inotify_add_watch(notify, "none", IN_OPEN) == -1 && errno == ENOENT, "no such file");
	ok(inotify_add_watch(notify, NULL, IN_OPEN) == -1 && errno == EFAULT, "no path");
	put("d/a", "");
	ok(inotify_add_watch(notify, "d/a", IN_OPEN | IN_ONLYDIR) == -1 && errno == ENOTDIR,
	   "IN_ONLYDIR of a file");
	wd = inotify_add_watch(notify, "d/a", IN_OPEN | IN_MASK_CREATE);
	ok(wd > 0, "IN_MASK_CREATE");
	ok(inotify_add_watch(notify, "d/a", IN_OPEN | IN_MASK_CREATE) == -1 && errno == EEXIST,
	   "IN_MASK_CREATE of a watched file: EEXIST");
	ok(inotify_rm_watch(notify, 1000) == -1 && errno == EINVAL, "no such watch");
	ok(inotify_rm_watch(null, 1) == -1 && errno == EINVAL, "no instance");
	ok(inotify_rm_watch(-1, 1) == -1 && errno == EBADF, "nothing");
	close(null);
	inotify_rm_watch(notify, wd);
	told_by(notify);
}

static void test_reading(void)
{
	struct pollfd waiting = {.fd = notify, .events = POLLIN};
	char small[20];
	int bytes = -1, wd = inotify_add_watch(notify, "d", IN_CREATE | IN_DELETE), status;
	char event[64] __attribute__((aligned(8)));
	pid_t child;

	ok(read(notify, small, sizeof(small)) == -1 && errno == EAGAIN, "nothing to read");
	is(poll(&waiting, 1, 0), 0, "poll shows no event");
	put("d/b", "");
	ok(poll(&waiting, 1, 0) == 1 && waiting.revents == POLLIN, "poll tells of an event");
	ok(ioctl(notify, FIONREAD, &bytes) == 0 && bytes == 32, "FIONREAD, too");
	ok(read(notify, small, sizeof(small)) == -1 && errno == EINVAL,
	   "a read with too little room: EINVAL");
	ok(read(notify, event, 40) == 32, "a read returns a whole event");
	ok(write(notify, event, 32) == -1 && errno == EBADF, "nobody writes one");
	fcntl(notify, F_SETFL, 0);
	child = fork();
	if (!child) {
		unlink("d/b");
		_exit(0);
	}
	ok(read(notify, event, sizeof(event)) == 32 &&
	       ((struct inotify_event *)event)->mask == IN_DELETE,
	   "a waiting read returns an event");
	waitpid(child, &status, 0);
	fcntl(notify, F_SETFL, O_NONBLOCK);
	inotify_rm_watch(notify, wd);
	told_by(notify);
}

#define MOST 9000 /* watches that are tried: Linux allows more where there is much memory */

static int read_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	read(fd, text, sizeof(text) - 1);
	close(fd);
	return atoi(text);
}

/* Limits that hold for root as well. */
static void test_limits(void)
{
	char path[32], event[64] __attribute__((aligned(8)));
	int first = inotify_init1(IN_NONBLOCK), fds[200], nr = 0, last = 0;

	while (nr < 200 && (fds[nr] = inotify_init()) >= 0)
		nr++;
	ok(nr > 50 && nr < 128 && errno == EMFILE, "a user has no more than 128 instances");
	while (nr)
		close(fds[--nr]);
	ok((nr = inotify_init()) >= 0, "a closed instance makes room for another");
	close(nr);
	for (nr = 0; nr < MOST; nr++) {
		sprintf(path, "d/%d", nr);
		close(open(path, O_CREAT | O_WRONLY, 0600));
		if (inotify_add_watch(first, path, IN_OPEN) < 0)
			break;
	}
	ok(errno == ENOSPC || nr == MOST, "a user's watches end at %d", nr);
	if (read_number("/proc/sys/fs/inotify/max_user_watches") < MOST)
		ok(nr <= read_number("/proc/sys/fs/inotify/max_user_watches") && nr > 8000,
		   "max_user_watches has that number");
	for (int i = 0; i <= nr; i++) {
		sprintf(path, "d/%d", i);
		unlink(path);
	}
	close(first);
	put("d/even", "");
	put("d/odd", "");
	first = inotify_init1(IN_NONBLOCK);
	inotify_add_watch(first, "d", IN_ATTRIB);
	for (int i = 0; i < 16800; i++) /* two equal events in a row are reported once */
		chmod(i % 2 ? "d/odd" : "d/even", 0600);
	for (nr = 0; read(first, event, 32) > 0; nr++)
		last = ((struct inotify_event *)event)->mask;
	ok(nr == 16385 && last == IN_Q_OVERFLOW, "16384 events wait, then some are lost");
	if (nr != 16385)
		tap_print("# %d, %x\n", nr, last);
	chmod("d/odd", 0600);
	is(read(first, event, 32), 32, "later ones come again");
	close(first);
}

int main(void)
{
	char directory[] = "/tmp/watchesXXXXXX";

	mkdir("/tmp", 0755); /* Linux's initrd has none */
	if (!mkdtemp(directory) || chdir(directory) || mkdir("d", 0755)) {
		tap_print("Bail out! no directory: %s\n", strerror(errno));
		return 1;
	}
	notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	ok(notify >= 0 && fcntl(notify, F_GETFD) == FD_CLOEXEC, "an instance");
	test_directory();
	test_file();
	test_both();
	test_errors();
	test_reading();
	test_limits();
	return tap_end();
}
