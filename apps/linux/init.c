/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first process of `barepmu linux`: runs the program of the run file on stock Linux and speaks
 * the same frames on COM2 as our kernel does (docs/protocols.md), so that one host command
 * serves both.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "abi/host_frames.h"
#include "abi/host_link.h"
#include "apps/linux/shares.h"

enum { PIECE = 65536, MAX_STRINGS = 256, HUGE_PAGE = 2 << 20 };

struct header {
	char magic[4];
	uint8_t type, flags;
	uint16_t name_len;
	uint32_t length, sequence, crc;
} __attribute__((packed));

static int com2 = -1;
static uint32_t sequence;

static uint32_t crc32_more(uint32_t crc, const void *data, size_t bytes)
{
	const uint8_t *p = data;

	while (bytes--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

/* Memory that the host sees, which takes frames in place of COM2. NULL: none (yet). */
static struct link *shared;

/* Puts bytes into the shared ring. A byte on COM2 announces them when the ring is full. */
static void share_all(const char *p, size_t bytes)
{
	while (bytes > 0) {
		uint32_t head = shared->out_head, at = head & (LINK_OUT_BYTES - 1),
			 used = head - __atomic_load_n(&shared->out_tail, __ATOMIC_ACQUIRE);
		size_t room = LINK_OUT_BYTES - used, left = LINK_OUT_BYTES - at, n = bytes;

		n = n > room ? room : n;
		n = n > left ? left : n;
		memcpy(shared->out + at, p, n);
		__atomic_store_n(&shared->out_head, head + (uint32_t)n, __ATOMIC_RELEASE);
		p += n;
		bytes -= n;
		if (!n && write(com2, "!", 1) == 1)
			usleep(1000);
	}
}

static void write_all(const void *data, size_t bytes)
{
	const char *p = data;

	if (shared) {
		share_all(p, bytes);
		return;
	}
	while (bytes > 0) {
		ssize_t n = write(com2, p, bytes);

		if (n <= 0)
			return;
		p += n;
		bytes -= (size_t)n;
	}
}

static void send_frame(char type, uint8_t flags, const char *name, const void *data, uint32_t bytes)
{
	struct header h = {.magic = {'B', 'P', 'M', 'U'},
			   .type = (uint8_t)type,
			   .flags = flags,
			   .name_len = (uint16_t)strlen(name),
			   .length = bytes,
			   .sequence = sequence};
	uint32_t crc = crc32_more(~0u, &h, sizeof h);

	sequence++;
	crc = crc32_more(crc, name, h.name_len);
	h.crc = ~crc32_more(crc, data, bytes);
	write_all(&h, sizeof h);
	write_all(name, h.name_len);
	write_all(data, bytes);
}

/* Returns the physical address of a page that is in memory, or 0. */
static uint64_t physical_address(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (fd < 0 || pread(fd, &entry, sizeof entry, (off_t)((uintptr_t)page / 4096 * 8)) != 8)
		entry = 0;
	close(fd);
	return entry >> 63 ? (entry << 9 >> 9) * 4096 : 0;
}

struct run {
	char *cwd, *argv[MAX_STRINGS], *envp[MAX_STRINGS], *shares[MAX_SHARES];
	int nr_shares;
};

/* Memory that the host command also sees. NULL: this machine has no huge page. */
static struct link *link_page(uint64_t *address)
{
	static struct link *page;
	int fd;

	_Static_assert(sizeof(struct link) <= HUGE_PAGE, "contiguous");
	if (!page) {
		fd = open("/proc/sys/vm/nr_hugepages", O_WRONLY);
		if (fd < 0 || write(fd, "1", 1) != 1)
			return NULL;
		close(fd);
		page = mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);
	}
	*address = page == MAP_FAILED ? 0 : physical_address(page);
	return *address ? page : NULL;
}

/* From here on frames go through memory: a byte on COM2 takes the emulator some microseconds. */
static void share_memory(void)
{
	uint64_t address;
	struct link *page = link_page(&address);

	if (!page)
		return;
	send_frame(HOST_LINK, 0, "", &address, sizeof address);
	shared = page;
}

/* Begins to show the host's directories. */
static bool begin_shares(const struct run *run)
{
	uint64_t address;
	struct link *page = run->nr_shares ? link_page(&address) : NULL;

	if (!page)
		return false;
	send_frame(HOST_SHARES, 0, "", &address, sizeof address);
	if (!shares_begin(run->shares, run->nr_shares, page, address))
		return false;
	tcdrain(com2); /* a request stops the machine: the frame must have left */
	return true;
}

static void send_exit(uint32_t status, uint32_t reason, const char *text)
{
	char payload[256];
	int n = snprintf(payload + 8, sizeof payload - 8, "%s", text);

	memcpy(payload, &status, 4);
	memcpy(payload + 4, &reason, 4);
	send_frame('X', 0, "", payload, 8 + (uint32_t)n);
}

static void send_file(const char *path, const char *name)
{
	static char piece[PIECE], next[PIECE];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, piece, PIECE);

	do {
		ssize_t more = fd < 0 || n <= 0 ? 0 : read(fd, next, PIECE);

		send_frame('F', more <= 0, name, piece, n > 0 ? (uint32_t)n : 0);
		n = more;
		memcpy(piece, next, n > 0 ? (size_t)n : 0);
	} while (n > 0);
	close(fd);
}

static void send_directory(const char *path, const char *prefix)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char full[4096], name[4096];
		struct stat st;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(full, sizeof full, "%s/%s", path, e->d_name);
		snprintf(name, sizeof name, "%s%s", prefix, e->d_name);
		if (stat(full, &st) == 0 && S_ISDIR(st.st_mode)) {
			strncat(name, "/", sizeof name - strlen(name) - 1);
			send_directory(full, name);
		} else {
			send_file(full, name);
		}
	}
	if (dir)
		closedir(dir);
}

static int read_run_file(struct run *run)
{
	static char text[65536];
	int fd = open("/.barepmu/run", O_RDONLY), args = 0, envs = 0;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	run->cwd = "/";
	for (char *p = text; n > 0 && p < text + n; p += strlen(p) + 1) {
		if (*p == 'C')
			run->cwd = p + 1;
		else if (*p == 'A' && args < MAX_STRINGS - 1)
			run->argv[args++] = p + 1;
		else if (*p == 'E' && envs < MAX_STRINGS - 1)
			run->envp[envs++] = p + 1;
		else if (*p == 'S' && run->nr_shares < MAX_SHARES)
			run->shares[run->nr_shares++] = p + 1;
	}
	close(fd);
	return args;
}

/* The program's streams. */
struct streams {
	int program[3]; /* its ends */
	int ours[3];    /* ours; -1: we have nothing to do with it */
	bool terminal;  /* its input is a terminal, and ours[0] what holds that */
	bool asked;     /* for input */
};

/* Answers that have not come whole. */
static struct {
	unsigned char bytes[8192];
	size_t have;
} line;

/* Hands on one answer; nothing in it: the input's end. */
static void take_input(struct streams *streams, const unsigned char *bytes, size_t size)
{
	streams->asked = false;
	if (streams->ours[0] >= 0 && size > 0 && write(streams->ours[0], bytes, size) > 0)
		return;
	if (!streams->terminal)
		close(streams->ours[0]);
	streams->ours[0] = -1;
}

static void take_size(const struct streams *streams, const unsigned char *bytes)
{
	struct winsize size = {0};

	memcpy(&size.ws_row, bytes, 2);
	memcpy(&size.ws_col, bytes + 2, 2);
	ioctl(streams->ours[0], TIOCSWINSZ, &size);
}

static void read_line(struct streams *streams)
{
	ssize_t n = read(com2, line.bytes + line.have, sizeof line.bytes - line.have);
	size_t at = 0, size;

	for (line.have += n > 0 ? (size_t)n : 0; line.have - at >= 3; at += 3 + size) {
		size = line.bytes[at + 1] | (size_t)line.bytes[at + 2] << 8;
		if (line.have - at < 3 + size)
			break;
		if (line.bytes[at] == FEED_BYTES)
			take_input(streams, line.bytes + at + 3, size);
		else
			take_size(streams, line.bytes + at + 3);
	}
	line.have -= at;
	memmove(line.bytes, line.bytes + at, line.have);
}

/* A pipe that can be written has room for a page; a terminal's line is as long, and we do not know
 * how much of it there is. */
static void ask_for_input(struct streams *streams)
{
	uint32_t room = streams->terminal ? 256 : 4096;

	streams->asked = true;
	send_frame(HOST_INPUT, 0, "", &room, sizeof room);
}

static void feed(struct streams *streams, short input, short answers)
{
	if (answers)
		read_line(streams);
	if (input & POLLERR && !streams->terminal)
		streams->ours[0] = -1; /* the program has closed it */
	else if (input & POLLOUT)
		ask_for_input(streams);
}

static void forward(struct streams *streams)
{
	struct pollfd fds[4] = {{.fd = streams->ours[1], .events = POLLIN},
				{.fd = streams->ours[2], .events = POLLIN},
				{.events = POLLOUT},
				{.events = POLLIN}};
	static char piece[PIECE];

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		fds[2].fd = streams->asked ? -1 : streams->ours[0];
		fds[3].fd = streams->ours[0] < 0 ? -1 : com2;
		poll(fds, 4, -1);
		for (int i = 0; i < 2; i++) {
			if (!fds[i].revents)
				continue;
			ssize_t n = read(fds[i].fd, piece, PIECE);

			if (n > 0)
				send_frame("OE"[i], 0, "", piece, (uint32_t)n);
			else
				fds[i].fd = -1;
		}
		feed(streams, fds[2].fd < 0 ? 0 : fds[2].revents,
		     fds[3].fd < 0 ? 0 : fds[3].revents);
	}
}

/* Makes a terminal for the streams that are one for the host command; the file has them ("ioe",
 * rows, columns). */
static void make_terminal(struct streams *streams, const char *which)
{
	int holder = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC), held;
	struct winsize size = {0};
	char letters[4];
	bool spoken = false;

	if (sscanf(which, "%3s %hu %hu", letters, &size.ws_row, &size.ws_col) < 1 || holder < 0 ||
	    grantpt(holder) || unlockpt(holder))
		return;
	ioctl(holder, TIOCSWINSZ, &size);
	held = open(ptsname(holder), O_RDWR | O_NOCTTY | O_CLOEXEC);
	for (int i = 0; i < 3; i++) {
		if (!strchr(letters, "ioe"[i]))
			continue;
		streams->program[i] = held;
		streams->ours[i] = i && spoken ? -1 : holder;
		spoken |= i > 0;
	}
	streams->terminal = true;
}

static void make_pipe(int *program, int *ours, int end)
{
	int both[2];

	if (pipe2(both, O_CLOEXEC))
		return;
	*program = both[end];
	*ours = both[!end];
}

/* Standard input: a file that came along, a pipe or a terminal (/.barepmu/feed), or nothing. */
static void make_streams(struct streams *streams)
{
	char which[32] = "";
	int fd = open("/.barepmu/feed", O_RDONLY | O_CLOEXEC);
	bool fed = fd >= 0 && read(fd, which, sizeof which - 1) >= 0;

	*streams = (struct streams){{-1, -1, -1}, {-1, -1, -1}, false, false};
	if (*which)
		make_terminal(streams, which);
	else if (fed)
		make_pipe(&streams->program[0], &streams->ours[0], 0);
	else
		streams->program[0] = open("/.barepmu/input", O_RDONLY | O_CLOEXEC);
	if (streams->program[0] < 0)
		streams->program[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (int i = 1; i < 3; i++)
		if (streams->program[i] < 0)
			make_pipe(&streams->program[i], &streams->ours[i], 1);
}

/* `shown`: the host's directories are. */
static void start_program(struct run *run, const struct streams *streams, bool shown)
{
	setsid();
	signal(SIGPIPE, SIG_DFL);
	if (streams->terminal)
		ioctl(streams->program[0], TIOCSCTTY, 0);
	for (int i = 0; i < 3; i++)
		dup2(streams->program[i], i);
	for (int fd = 3; fd < 16; fd++)
		close(fd);
	if (shown)
		shares_mount();
	if (chdir(run->cwd) != 0) {
		dprintf(2, "cannot start in %s: %s\n", run->cwd, strerror(errno));
		_exit(125);
	}
	execve(run->argv[0], run->argv, run->envp);
	_exit(access(run->argv[0], F_OK) == 0 ? 126 : 127);
}

static int run_program(struct run *run)
{
	static const char blind[] =
	    "barepmu: this kernel does not show the host's files: its modules fuse and overlay are "
	    "not in /lib/modules; --add FILE takes a file along\n";
	struct streams streams;
	int status = 0;
	bool shown;
	pid_t pid;

	shown = begin_shares(run);
	make_streams(&streams);
	signal(SIGPIPE, SIG_IGN);
	pid = fork();
	if (pid == 0)
		start_program(run, &streams, shown);
	for (int i = 0; i < 3; i++)
		close(streams.program[i]);
	forward(&streams);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && run->nr_shares && !shown)
		send_frame(HOST_STDERR, 0, "", blind, sizeof blind - 1);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void open_com2(void)
{
	struct termios t;

	com2 = open("/dev/ttyS1", O_RDWR | O_NOCTTY);
	tcgetattr(com2, &t);
	cfmakeraw(&t);
	tcsetattr(com2, TCSANOW, &t);
}

int main(void)
{
	struct run run = {0};

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mkdir("/dev/pts", 0755);
	mount("devpts", "/dev/pts", "devpts", 0, "ptmxmode=0666");
	open_com2();
	if (read_run_file(&run) == 0)
		send_exit(127, 2, "no program in the run file");
	else {
		int status = run_program(&run);

		share_memory();
		send_directory("/out", "");
		send_exit((uint32_t)status, status >= 128, "");
	}
	if (shared && write(com2, "!", 1) != 1)
		return 1;
	tcdrain(com2);
	/* The host ends the machine: a power-off would say so on the console, sometimes in time. */
	for (;;)
		pause();
}
