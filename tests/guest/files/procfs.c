/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc that programs and perf tools read. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/files/slurp.h"
#include "tests/guest/tap.h"

/* Does some line of /proc/self/maps hold the address, with these rights and this end of its
 * name? */
static bool mapped(uintptr_t address, const char *rights, const char *name)
{
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned long start, end;
		char flags[8];
		size_t length = strlen(line);

		if (sscanf(line, "%lx-%lx %7s", &start, &end, flags) != 3 || address < start ||
		    address >= end)
			continue;
		return strcmp(flags, rights) == 0 && length >= strlen(name) &&
		       strcmp(line + length - strlen(name), name) == 0;
	}
	return false;
}

/* /proc/self/fd: links that can be read and opened. */
static void test_descriptors(void)
{
	int ends[2], again, seen = 0;
	char link_[64] = "", wanted[64], byte = 0;
	struct stat stat_;
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && (entry = readdir(dir)))
		seen += strcmp(entry->d_name, "0") == 0 || strcmp(entry->d_name, "1") == 0 ||
			strcmp(entry->d_name, "2") == 0;
	closedir(dir);
	is(seen, 3, "/proc/self/fd lists the standard descriptors");
	pipe(ends);
	fstat(ends[0], &stat_);
	snprintf(wanted, sizeof(wanted), "pipe:[%lu]", (unsigned long)stat_.st_ino);
	snprintf(text, 64, "/proc/self/fd/%d", ends[0]);
	readlink(text, link_, sizeof(link_) - 1);
	is(strcmp(link_, wanted), 0, "a pipe's link tells its number");
	again = open(text, O_RDONLY);
	write(ends[1], "p", 1);
	is(read(again, &byte, 1) == 1 && byte == 'p', 1,
	   "opening a pipe's link opens the pipe again");
	close(ends[0]);
	close(ends[1]);
	is(read(again, &byte, 1), 0, "the pipe ends with its last writer");
	close(again);
	again = open("/dev/stdout", O_WRONLY);
	is(write(again, "# through /dev/stdout\n", 22), 22, "/dev/stdout leads to the output");
	close(again);
	again = open("/dev/null", O_RDONLY);
	snprintf(text, 64, "/dev/fd/%d", again);
	memset(link_, 0, sizeof(link_));
	readlink(text, link_, sizeof(link_) - 1);
	is(strcmp(link_, "/dev/null"), 0, "/dev/fd leads there as well");
	close(again);
	is(open(text, O_RDONLY) == -1 && errno == ENOENT, 1, "a closed descriptor is ENOENT");
}

/* An open file without a name in the tree is found by its link, and cannot be opened again. */
static void test_nameless(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};
	struct {
		const char *what;
		int fd;
	} rows[] = {
	    {"an event", (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0)},
	    {"an epoll set", epoll_create1(0)},
	    {"an eventfd", eventfd(0, 0)},
	    {"an inotify instance", inotify_init()},
	    {"a timerfd", timerfd_create(CLOCK_MONOTONIC, 0)},
	    {"a process", (int)syscall(SYS_pidfd_open, getpid(), 0)},
	    {"a socket", socket(AF_UNIX, SOCK_STREAM, 0)},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stat own = {0}, found = {0};
		char path[64];
		int place;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", rows[i].fd);
		ok(open(path, O_RDONLY) < 0 && errno == ENXIO, "%s: ENXIO", rows[i].what);
		ok(open(path, O_RDWR | O_CREAT, 0600) < 0 && errno == ENXIO,
		   "%s, to be made: ENXIO", rows[i].what);
		place = open(path, O_PATH);
		ok(place >= 0, "%s: a place", rows[i].what);
		fstat(rows[i].fd, &own);
		ok(own.st_ino && !stat(path, &found) && found.st_ino == own.st_ino, "%s: its inode",
		   rows[i].what);
		ok(linkat(AT_FDCWD, path, AT_FDCWD, "/nameless", AT_SYMLINK_FOLLOW) &&
		       errno == EXDEV,
		   "%s gets no name: EXDEV", rows[i].what);
		strcat(path, "/");
		ok(open(path, O_PATH) < 0 && errno == ENOTDIR, "%s is no directory: ENOTDIR",
		   rows[i].what);
		close(place);
		close(rows[i].fd);
	}
}

/* A program that was written to memory without a name is executed while it is open for writing;
 * its main() checks that its path is the descriptor's. */
static void test_memory(void)
{
	int fd = (int)syscall(SYS_memfd_create, "program", 0), program, status = -1;
	ssize_t bytes;
	pid_t child;

	program = open("/proc/self/exe", O_RDONLY);
	while ((bytes = read(program, text, sizeof(text))) > 0)
		write(fd, text, (size_t)bytes);
	close(program);
	child = fork();
	if (!child) {
		fexecve(fd, (char *[]){"/program", "memory", NULL}, environ);
		_exit(errno);
	}
	waitpid(child, &status, 0);
	is(status, 42 << 8, "a program in a memfd is executed");
	close(fd);
}

int main(int argc, char **argv)
{
	char path[256], link_[256] = "", *name = strrchr(argv[0], '/') + 1;
	int local = argc, pid = 0, parent = 0, found = 0;
	char state = 0;
	DIR *dir;
	struct dirent *entry;
	long length;

	if (argc == 2 && !strcmp(argv[1], "memory"))
		return strncmp((char *)getauxval(AT_EXECFN), "/dev/fd/", 8) ? 1 : 42;
	length = readlink("/proc/self/exe", link_, sizeof(link_) - 1);
	ok(length > 0 && strcmp(strrchr(link_, '/') + 1, name) == 0,
	   "/proc/self/exe leads to the program");
	ok(slurp("/proc/self/exe") > 1000 && memcmp(text, "\177ELF", 4) == 0,
	   "/proc/self/exe opens the program");
	ok(slurp("/proc/self/maps") > 0 && mapped((uintptr_t)main, "r-xp", name),
	   "maps: the code is the program's, r-xp");
	slurp("/proc/self/maps");
	ok(mapped((uintptr_t)&local, "rw-p", "[stack]"), "maps: [stack] holds the locals");
	prctl(PR_SET_NAME, "renamed");
	slurp("/proc/self/comm");
	is(strcmp(text, "renamed\n"), 0, "comm is the name");
	length = slurp("/proc/self/cmdline");
	is(length == (long)strlen(argv[0]) + 1 && strcmp(text, argv[0]) == 0, 1,
	   "cmdline is argv, with NULs");
	slurp("/proc/self/stat");
	is(sscanf(text, "%d (renamed) %c %d", &pid, &state, &parent), 3,
	   "stat begins with number, name, state, parent");
	ok(pid == getpid() && state == 'R' && parent == getppid(),
	   "/proc/self/stat has the right numbers");
	snprintf(path, sizeof(path), "/proc/%d/status", getpid());
	ok(slurp(path) > 0 && strncmp(text, "Name:\trenamed\n", 14) == 0,
	   "/proc/PID/status begins with the name");
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir)))
		found += atoi(entry->d_name) == getpid();
	closedir(dir);
	is(found, 1, "a listing of /proc shows the process once");
	ok(slurp("/proc/sys/kernel/perf_event_paranoid") > 0 && atoi(text) <= 4,
	   "perf_event_paranoid is a number");
	ok(slurp("/proc/sys/kernel/perf_event_max_sample_rate") > 0 && atoi(text) > 0,
	   "perf_event_max_sample_rate too");
	ok(slurp("/proc/sys/kernel/perf_event_mlock_kb") > 0 && atoi(text) >= 0,
	   "perf_event_mlock_kb too");
	ok(slurp("/proc/cpuinfo") > 0 && strstr(text, "processor\t: 0\n"),
	   "cpuinfo shows processor 0");
	ok(slurp("/proc/meminfo") > 0 && strncmp(text, "MemTotal:", 9) == 0,
	   "meminfo begins with MemTotal");
	ok(slurp("/sys/bus/event_source/devices/software/type") > 0 && atoi(text) == 1,
	   "the software PMU has type 1");
	is(open("/proc/self/nothing", O_RDONLY) == -1 && errno == ENOENT, 1,
	   "no such file is ENOENT");
	is(open("/proc/999999", O_RDONLY) == -1 && errno == ENOENT, 1, "no such process is ENOENT");
	is(open("/proc/new", O_CREAT | O_WRONLY, 0600) == -1 &&
	       (errno == ENOENT || errno == EACCES),
	   1, "nothing can be made there");
	test_descriptors();
	test_nameless();
	test_memory();
	return tap_end();
}
