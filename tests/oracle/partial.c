/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers whose memory ends half-way: the bytes that count, for each kind of file, written and
 * read, in one piece and by vectors. */
#include "oracle.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define ROOM (80 * PAGE)

static char *memory; /* ROOM bytes, and then nothing */

/* The last bytes that there are. */
static char *last(size_t bytes)
{
	return memory + ROOM - bytes;
}

/* ---- kinds of files: ends[0] is read, ends[1] written ---- */

static int open_file(int ends[2])
{
	ends[0] = ends[1] = memfd_create("file", 0);
	return ends[0];
}

static int open_stream(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends);
}

static int open_datagrams(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends);
}

static int open_packets(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends);
}

static int open_pipe(int ends[2])
{
	return pipe2(ends, O_NONBLOCK);
}

static const struct kind_of_file {
	const char *name;
	int (*open)(int ends[2]);
} files[] = {{"file", open_file},
	     {"pipe", open_pipe},
	     {"stream", open_stream},
	     {"datagrams", open_datagrams},
	     {"packets", open_packets}};

static void tell(const char *file, const char *call, size_t there, size_t asked, long result)
{
	printf("%s: %s of %zu, %zu there: ", file, call, asked, there);
	if (result < 0)
		printf("%s\n", outcome(result));
	else
		printf("%ld\n", result);
}

static const struct amounts {
	size_t there, asked;
} amounts[] = {{0, 1},
	       {1, 2},
	       {100, 200},
	       {100, 8192},
	       {PAGE, PAGE + 1},
	       {PAGE + 100, PAGE + 200},
	       {PAGE + 100, 3 * PAGE},
	       {2 * PAGE, 3 * PAGE},
	       {2 * PAGE + 100, 2 * PAGE + 200},
	       {9 * PAGE + 100, 10 * PAGE},
	       {15 * PAGE + 100, 16 * PAGE},
	       {40000, 60000},
	       {64 * PAGE + 100, 65 * PAGE},
	       {70 * PAGE, 71 * PAGE}};

static long whole(int fd, char *at, size_t bytes, size_t there, bool out)
{
	(void)there;
	return failed(out ? write(fd, at, bytes) : read(fd, at, bytes));
}

/* The mapped part and the unmapped part, by a vector each. */
static long two_vectors(int fd, char *at, size_t bytes, size_t there, bool out)
{
	struct iovec vectors[] = {{at, there}, {at + there, bytes - there}};

	return failed(out ? writev(fd, vectors, 2) : readv(fd, vectors, 2));
}

/* The end of the mapped part is within the second of three. */
static long three_vectors(int fd, char *at, size_t bytes, size_t there, bool out)
{
	size_t first = there / 2, second = there - first + 1;
	struct iovec vectors[] = {
	    {at, first}, {at + first, second}, {memory, bytes - first - second}};

	return failed(out ? writev(fd, vectors, 3) : readv(fd, vectors, 3));
}

static long message(int fd, char *at, size_t bytes, size_t there, bool out)
{
	struct iovec vectors[] = {{at, there}, {at + there, bytes - there}};
	struct msghdr header = {.msg_iov = vectors, .msg_iovlen = 2};

	return failed(out ? sendmsg(fd, &header, MSG_NOSIGNAL) : recvmsg(fd, &header, 0));
}

static const struct {
	const char *out, *in;
	long (*call)(int fd, char *at, size_t bytes, size_t there, bool out);
} calls[] = {{"write", "read", whole},
	     {"writev", "readv", two_vectors},
	     {"writev of three", "readv of three", three_vectors},
	     {"sendmsg", "recvmsg", message}};

/* Returns how many bytes are in the file now; of datagrams in the first one. */
static long held(int ends[2])
{
	static char all[ROOM];

	if (ends[0] == ends[1])
		return failed(lseek(ends[0], 0, SEEK_END));
	return failed(read(ends[0], all, sizeof(all)));
}

static void out(const struct kind_of_file *file, unsigned call, const struct amounts *amount)
{
	int ends[2];
	long result;

	if (file->open(ends) < 0)
		return;
	result = calls[call].call(ends[1], last(amount->there), amount->asked, amount->there, true);
	tell(file->name, calls[call].out, amount->there, amount->asked, result);
	report(held(ends) == (result < 0 ? 0 : result) ? 0 : held(ends),
	       "  and nothing else lies there");
	close(ends[0]);
	close(ends[1]);
}

static void in(const struct kind_of_file *file, unsigned call, const struct amounts *amount)
{
	static char all[ROOM];
	int ends[2];
	long result, left;

	if (file->open(ends) < 0)
		return;
	if (write(ends[1], all, amount->asked) != (ssize_t)amount->asked)
		printf("not all was written\n");
	if (ends[0] == ends[1])
		lseek(ends[0], 0, SEEK_SET);
	result =
	    calls[call].call(ends[0], last(amount->there), amount->asked, amount->there, false);
	tell(file->name, calls[call].in, amount->there, amount->asked, result);
	left = ends[0] == ends[1] ? (long)amount->asked - lseek(ends[0], 0, SEEK_CUR) : held(ends);
	printf("  and then %ld are left\n", left);
	close(ends[0]);
	close(ends[1]);
}

static void all_amounts(void)
{
	for (unsigned f = 0; f < COUNT(files); f++)
		for (unsigned c = 0; c < COUNT(calls) - (f < 2); c++)
			for (unsigned a = 0; a < COUNT(amounts); a++) {
				if (f == 1 && amounts[a].asked > 65536)
					continue;
				out(&files[f], c, &amounts[a]);
				in(&files[f], c, &amounts[a]);
			}
}

/* ---- files that are written or read in ways of their own ---- */

static void special(const char *path, bool write_too)
{
	/* Linux zeroes by words of 8 bytes. */
	static const struct amounts few[] = {{0, 1}, {8, 16}, {16, 4000}, {104, 200}, {304, 4088}};
	int fd = open(path, write_too ? O_RDWR : O_RDONLY);

	if (fd < 0) {
		report(-errno, "%s", path);
		return;
	}
	for (unsigned c = 0; c < 3; c++)
		for (unsigned a = 0; a < COUNT(few); a++) {
			lseek(fd, 0, SEEK_SET);
			tell(path, calls[c].in, few[a].there, few[a].asked,
			     calls[c].call(fd, last(few[a].there), few[a].asked, few[a].there,
					   false));
			if (write_too)
				tell(path, calls[c].out, few[a].there, few[a].asked,
				     calls[c].call(fd, last(few[a].there), few[a].asked,
						   few[a].there, true));
		}
	close(fd);
}

static void counters(void)
{
	int fd = eventfd(5, EFD_NONBLOCK);
	uint64_t word = 1;
	struct iovec halves[] = {{&word, 4}, {(char *)&word + 4, 4}};

	report(failed(read(fd, last(4), 8)), "eventfd: read of 8, 4 there");
	report(failed(read(fd, &word, 8)), "  and then");
	report(failed(write(fd, last(4), 8)), "eventfd: write of 8, 4 there");
	tell("eventfd", "writev of halves", 8, 8, failed(writev(fd, halves, 2)));
	word = 1;
	report(failed(write(fd, &word, 8)), "eventfd: write");
	tell("eventfd", "readv of halves", 8, 8, failed(readv(fd, halves, 2)));
	close(fd);
}

static void directory(void)
{
	char path[64];
	int fd;

	mkdir("/tmp", 0777);
	mkdir("/tmp/partial", 0700);
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "/tmp/partial/%d", i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	fd = open("/tmp/partial", O_RDONLY | O_DIRECTORY);
	for (size_t there = 0; there < 24 * 12; there += 12) {
		lseek(fd, 0, SEEK_SET);
		tell("directory", "getdents64", there, 4096,
		     failed(syscall(SYS_getdents64, fd, last(there), 4096)));
	}
	close(fd);
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "/tmp/partial/%d", i);
		unlink(path);
	}
	rmdir("/tmp/partial");
}

/* Vectors are one transfer: it waits for the first byte only, and an atomic transfer is atomic
 * as a whole. */
static void vectors_are_one(void)
{
	static char all[ROOM];
	struct iovec vectors[] = {{all, 10}, {all + 10, 10}};
	struct iovec large[] = {{all, 3000}, {all + 3000, 1000}};
	int ends[2], most;

	for (unsigned f = 1; f < COUNT(files); f++) {
		if (files[f].open(ends) < 0)
			continue;
		fcntl(ends[0], F_SETFL, 0);
		report(failed(write(ends[1], all, 10)), "%s: write", files[f].name);
		tell(files[f].name, "readv", 10, 20, failed(readv(ends[0], vectors, 2)));
		close(ends[0]);
		close(ends[1]);
	}
	if (open_pipe(ends))
		return;
	most = fcntl(ends[1], F_GETPIPE_SZ);
	tell("pipe", "write", 0, (size_t)most - PAGE,
	     failed(write(ends[1], all, (size_t)most - PAGE)));
	tell("pipe", "write", 0, 1000, failed(write(ends[1], all, 1000)));
	tell("pipe", "writev", 0, 4000, failed(writev(ends[1], large, 2)));
	close(ends[0]);
	close(ends[1]);
}

static void events(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	struct iovec vectors[2];
	uint64_t values[8] = {0};
	int fd;

	attr.read_format =
	    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	fd = perf_try(&attr, 0, -1, -1, 0);
	for (size_t there = 0; there <= 32; there += 8)
		tell("event", "read", there, 64, failed(read(fd, last(there), 64)));
	for (size_t there = 0; there <= 32; there += 8) {
		vectors[0] = (struct iovec){values, there};
		vectors[1] = (struct iovec){values + 4, 32};
		tell("event", "readv", there, there + 32, failed(readv(fd, vectors, 2)));
	}
	tell("event", "write", 8, 8, failed(write(fd, values, 8)));
	tell("event", "pread", 8, 32, failed(pread(fd, values, 32, 8)));
	close(fd);
}

static void watched(void)
{
	int fd = inotify_init1(IN_NONBLOCK);

	mkdir("/tmp", 0777);
	mkdir("/tmp/partial", 0700);
	inotify_add_watch(fd, "/tmp/partial", IN_CREATE | IN_DELETE);
	close(open("/tmp/partial/a", O_CREAT | O_WRONLY, 0600));
	unlink("/tmp/partial/a");
	rmdir("/tmp/partial");
	tell("inotify", "read", 40, 4096, failed(read(fd, last(40), 4096)));
	tell("inotify", "read", 40, 4096, failed(read(fd, last(40), 4096)));
	tell("inotify", "read", 40, 4096, failed(read(fd, memory, 4096)));
	close(fd);
}

/* How many messages of a size a socket takes before its peer receives one. */
static void rooms(void)
{
	static const size_t sizes[] = {1,     64,    192,    193,    704,    705,   1728,
				       1729,  3776,  3777,   8000,   15000,  16064, 16065,
				       20000, 32768, 36544,  36545,  40000,  60000, 70000,
				       86000, 90000, 100000, 150000, 212000, 212960};
	static char all[ROOM];

	for (unsigned f = 2; f < COUNT(files); f++)
		for (unsigned s = 0; s < COUNT(sizes); s++) {
			long total = 0, sent = 0, messages = -1;
			int ends[2];

			if (files[f].open(ends))
				return;
			for (; sent >= 0; messages++, total += sent > 0 ? sent : 0)
				sent = failed(write(ends[1], all, sizes[s]));
			printf("%s: %ld times %zu, %ld bytes, then %s\n", files[f].name, messages,
			       sizes[s], total, outcome(sent));
			close(ends[0]);
			close(ends[1]);
		}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	memory =
	    mmap(NULL, ROOM + 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(memory + ROOM, 4 * PAGE);
	all_amounts();
	special("/dev/zero", true);
	special("/dev/null", true);
	special("/dev/full", true);
	special("/dev/urandom", false);
	special("/proc/self/status", false);
	special("/proc/sys/kernel/perf_event_paranoid", true);
	special("/sys/devices/system/cpu/online", false);
	counters();
	directory();
	events();
	watched();
	vectors_are_one();
	rooms();
	return 0;
}
