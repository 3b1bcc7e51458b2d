/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host's end of the link. Output is taken as it arrives. Input from a terminal is passed on as
 * it is typed; other input only when the machine requests it and is stopped, so that a run does not
 * depend on when we read.
 */
#include "host/machine/link/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "abi/host_link.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/share.h"
#include "host/machine/output.h"
#include "host/machine/terminal.h"

#define MIB         (1ull << 20)
#define LARGEST_LOW 0xb0000000ull /* QEMU's q35: from so much memory on ... */
#define LOW_THEN    0x80000000ull /* ... this part of it is below 4 GiB */
#define HIGH        (1ull << 32)
#define DOOR_BYTES  4096 /* the smallest pipe */
#define DOOR_FD     8    /* the first one's, in QEMU */

static int memory_fd = -1, bells[2] = {-1, -1};
/* Full pipes, except the one that last released the machine. */
static int doors[LINK_DOORS][2];
static uint64_t memory_bytes;
static unsigned char *all_memory;
static struct link *link_memory; /* NULL: the machine does not share any (yet) */
static bool takes_frames;        /* they go through it */
static bool has_line;            /* `bells` is a serial line */

static struct {
	bool open;         /* a question waits for its answer */
	uint64_t deadline; /* ns, UINT64_MAX: none */
} question;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Fills the pipe, which contains at most one byte, so that the next writer blocks. */
static void close_door(const int door[2])
{
	static const char filler[DOOR_BYTES];
	char taken[DOOR_BYTES];

	if (read(door[0], taken, sizeof(taken)) < 0 && errno != EAGAIN)
		die(STATUS_OURS, "cannot read from a pipe: %s", strerror(errno));
	if (write(door[1], filler, sizeof(filler)) != sizeof(filler))
		die(STATUS_OURS, "cannot write to a pipe: %s", strerror(errno));
}

/* Opens the door. It closes only when the machine waits at the next one: before, it would be a
 * matter of chance how many of its writes pass. */
static void open_door(const int door[2])
{
	char taken[DOOR_BYTES];

	if (read(door[0], taken, sizeof(taken)) < 0)
		die(STATUS_OURS, "cannot read from a pipe: %s", strerror(errno));
}

static void make_door(struct words *words, unsigned number)
{
	int *door = doors[number];

	if (pipe2(door, O_CLOEXEC | O_NONBLOCK) ||
	    fcntl(door[1], F_SETPIPE_SZ, DOOR_BYTES) != DOOR_BYTES)
		die(STATUS_OURS, "cannot make a pipe of one page: %s", strerror(errno));
	close_door(door);
	add_word(words, "-chardev");
	add_word(words, format_text("file,id=door%u,path=/dev/fd/%u", number, DOOR_FD + number));
	add_word(words, "-device");
	add_word(words,
		 format_text("isa-debugcon,iobase=%u,chardev=door%u", LINK_DOOR + number, number));
}

static void memory_words(struct words *words, const struct options *options)
{
	memory_bytes = (uint64_t)options->memory * MIB;
	memory_fd = memfd_create("barepmu-memory", MFD_CLOEXEC);
	if (memory_fd < 0 || ftruncate(memory_fd, (off_t)memory_bytes))
		die(STATUS_OURS, "cannot share memory with QEMU: %s", strerror(errno));
	add_word(words, "-object");
	add_word(words,
		 format_text("memory-backend-file,id=memory,mem-path=/dev/fd/6,size=%dM,share=on",
			     options->memory));
	add_word(words, "-M");
	add_word(words, "memory-backend=memory");
}

/* Adds the pipe that LINK_BELL writes to. */
static void bell_words(struct words *words)
{
	if (pipe2(bells, O_CLOEXEC | O_NONBLOCK))
		die(STATUS_OURS, "cannot make a pipe for QEMU: %s", strerror(errno));
	add_word(words, "-chardev");
	add_word(words, "file,id=bell,path=/dev/fd/7");
	add_word(words, "-device");
	add_word(words, format_text("isa-debugcon,iobase=%u,chardev=bell", LINK_BELL));
}

/* Adds the serial line by which both ring. */
static void line_words(struct words *words)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, bells))
		die(STATUS_OURS, "cannot make a socket for QEMU: %s", strerror(errno));
	fcntl(bells[0], F_SETFL, O_NONBLOCK);
	add_word(words, "-chardev");
	add_word(words, "socket,id=bell,fd=7");
	add_word(words, "-serial");
	add_word(words, "chardev:bell");
}

void link_words(struct words *words, const struct options *options, bool line)
{
	memory_words(words, options);
	has_line = line;
	if (line)
		line_words(words);
	else
		bell_words(words);
	for (unsigned i = 0; i < LINK_DOORS; i++)
		make_door(words, i);
}

int link_memory_fd(void)
{
	return memory_fd;
}

int link_bell_fd(void)
{
	return bells[1];
}

int link_door_fd(unsigned number)
{
	return doors[number][1];
}

int link_request_fd(void)
{
	return has_line ? -1 : bells[0];
}

bool link_attached(void)
{
	return link_memory && takes_frames;
}

static void ring_machine(void)
{
	if (has_line && write(bells[0], "!", 1) < 0)
		return; /* it has enough of them to read */
}

/* Returns the file offset of the machine's address. */
static uint64_t file_offset(uint64_t address)
{
	uint64_t low = memory_bytes >= LARGEST_LOW ? LOW_THEN : memory_bytes;

	return address < HIGH ? address : address - HIGH + low;
}

/* Maps the machine's memory, in which the link is at `offset`. */
static void map_link(uint64_t offset)
{
	all_memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
	if (all_memory == MAP_FAILED)
		die(STATUS_OURS, "cannot map the machine's memory: %s", strerror(errno));
	link_memory = (struct link *)(all_memory + offset);
}

void link_attach(uint64_t address, bool frames)
{
	uint64_t offset = file_offset(address);

	if (memory_fd < 0 || takes_frames || address % 4096 || offset >= memory_bytes ||
	    memory_bytes - offset < sizeof(struct link) ||
	    (link_memory && link_memory != (struct link *)(all_memory + offset)))
		die(STATUS_OURS, "damaged data from the machine (link at %lx)", address);
	if (!link_memory)
		map_link(offset);
	takes_frames = frames;
	if (!frames)
		return;
	terminal_size(&link_memory->rows, &link_memory->cols);
	terminal_raw();
}

void link_drain(struct frames *frames, struct results *results)
{
	uint32_t tail, head, size, at;

	while (link_memory && !results->ended && !frames->damaged) {
		tail = link_memory->out_tail;
		head = __atomic_load_n(&link_memory->out_head, __ATOMIC_ACQUIRE);
		if (head == tail)
			return;
		at = tail & (LINK_OUT_BYTES - 1);
		size = head - tail < LINK_OUT_BYTES - at ? head - tail : LINK_OUT_BYTES - at;
		frames_feed(frames, results, link_memory->out + at, size);
		__atomic_store_n(&link_memory->out_tail, tail + size, __ATOMIC_RELEASE);
	}
}

static uint32_t input_room(void)
{
	uint32_t used =
	    link_memory->in_head - __atomic_load_n(&link_memory->in_tail, __ATOMIC_ACQUIRE);

	return used < LINK_IN_BYTES ? LINK_IN_BYTES - used : 0;
}

static void put_input(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		link_memory->in[(link_memory->in_head + i) & (LINK_IN_BYTES - 1)] = bytes[i];
	__atomic_store_n(&link_memory->in_head, link_memory->in_head + (uint32_t)size,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&link_memory->want, LINK_WANT_NOTHING, __ATOMIC_RELEASE);
}

int link_input_fd(void)
{
	if (!link_memory || link_memory->in_ended || !input_room())
		return -1;
	if (terminal_typed() || (question.open && link_memory->question == LINK_ASK_INPUT))
		return STDIN_FILENO;
	return __atomic_load_n(&link_memory->want, __ATOMIC_ACQUIRE) ? STDIN_FILENO : -1;
}

/* Reads our standard input. Returns true if there was input or its end. */
static bool read_input(void)
{
	static unsigned char bytes[LINK_IN_BYTES];
	ssize_t n = read(STDIN_FILENO, bytes, input_room());

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (n <= 0)
		__atomic_store_n(&link_memory->in_ended, 1, __ATOMIC_RELEASE);
	if (n > 0 && terminal_typed() && terminal_leaves(bytes, (size_t)n)) {
		terminal_restore();
		die(128 + SIGINT, "left");
	}
	if (n > 0)
		put_input(bytes, (size_t)n);
	return true;
}

/* True while the machine has not taken all input. */
static bool has_input(void)
{
	return link_memory->in_head != __atomic_load_n(&link_memory->in_tail, __ATOMIC_ACQUIRE);
}

static bool is_readable(void)
{
	struct pollfd fd = {link_input_fd(), POLLIN, 0};

	return fd.fd >= 0 && poll(&fd, 1, 0) != 0;
}

/* Answers a question. The machine is at its door, or on its way there: the last question's door can
 * close. */
static void answer(void)
{
	uint32_t number = link_memory->ask;

	question.open = false;
	close_door(doors[(number + 1) % LINK_DOORS]);
	__atomic_store_n(&link_memory->answer, number, __ATOMIC_RELEASE);
	open_door(doors[number % LINK_DOORS]);
}

/* Returns `bytes` of the machine's memory at `address`; NULL: outside of it. */
static unsigned char *memory_at(uint64_t address, uint64_t bytes)
{
	uint64_t offset = file_offset(address);

	return offset >= memory_bytes || bytes > memory_bytes - offset ? NULL : all_memory + offset;
}

/* Returns the pages of the machine's request, as parts; the first one starts at an offset. */
static int pages_requested(struct iovec parts[LINK_PAGES])
{
	uint64_t at = link_memory->data, left = link_memory->data_bytes;
	int nr = 0;

	for (; left; nr++, at = 0) {
		uint64_t size;

		if (nr == LINK_PAGES || at >= LINK_PAGE_BYTES)
			return -1;
		size = left < LINK_PAGE_BYTES - at ? left : LINK_PAGE_BYTES - at;
		parts[nr].iov_base = memory_at(link_memory->page[nr] + at, size);
		parts[nr].iov_len = size;
		if (!parts[nr].iov_base)
			return -1;
		left -= size;
	}
	return nr;
}

/* Reads a file or directory into the machine's memory; the target must be inside it. */
static int64_t read_share(void)
{
	uint64_t room = link_memory->data_bytes;
	struct iovec parts[LINK_PAGES];
	char path[LINK_PATH];
	unsigned char *to;
	int nr;

	memcpy(path, link_memory->path, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	if (link_memory->question == LINK_ASK_FILE) {
		nr = pages_requested(parts);
		return nr < 0 ? -EFAULT : share_read(path, link_memory->offset, parts, nr);
	}
	to = memory_at(link_memory->data, room);
	if (!to)
		return -EFAULT;
	return link_memory->question == LINK_ASK_NAME ? share_look(path, to, room)
						      : share_list(path, to, room);
}

/* Takes output in place, after the output in the ring. */
static void take_in_place(struct frames *frames, struct results *results)
{
	struct iovec parts[LINK_PAGES];
	int nr = pages_requested(parts);

	link_drain(frames, results);
	frames->damaged |= nr < 0;
	for (int i = 0; i < nr; i++)
		frames_feed(frames, results, parts[i].iov_base, parts[i].iov_len);
}

static bool requests_file(void)
{
	return link_memory->question == LINK_ASK_DIRECTORY ||
	       link_memory->question == LINK_ASK_NAME || link_memory->question == LINK_ASK_FILE;
}

/* Receives a new question from the machine. */
static void hear(void)
{
	uint32_t number = __atomic_load_n(&link_memory->ask, __ATOMIC_ACQUIRE);
	uint64_t ns = link_memory->request_ns, now = now_ns();

	if (question.open || number == link_memory->answer)
		return;
	question.open = true;
	if (link_memory->question != LINK_ASK_INPUT)
		ns = UINT64_MAX;
	if (requests_file())
		link_memory->result = read_share();
	question.deadline = ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
}

/* True when the answer to a question other than for input is ready. */
static bool is_ready(void)
{
	return question.open && (requests_file() || !output_is_full());
}

/* Answers a request for a file, the only kind while frames go elsewhere. */
static void serve_files(void)
{
	hear();
	if (question.open && requests_file())
		answer();
}

void link_serve(struct frames *frames, struct results *results, bool readable)
{
	bool came, ready;

	if (!link_memory)
		return;
	if (!takes_frames) {
		serve_files();
		return;
	}
	hear();
	came =
	    (readable || (question.open && is_readable())) && link_input_fd() >= 0 && read_input();
	ready = question.open && link_memory->question == LINK_ASK_INPUT
		    ? came || has_input() || link_memory->in_ended || link_memory->signals ||
			  now_ns() >= question.deadline
		    : is_ready();
	if (ready && link_memory->question == LINK_ASK_TAKE)
		take_in_place(frames, results);
	if (ready)
		answer();
	else if (came)
		ring_machine();
}

int link_wait_ms(int most)
{
	uint64_t now = now_ns();

	if (!question.open || question.deadline == UINT64_MAX)
		return most;
	if (question.deadline <= now)
		return 0;
	return question.deadline - now < (uint64_t)most * 1000000
		   ? (int)((question.deadline - now) / 1000000) + 1
		   : most;
}

void link_signal(int signo)
{
	__atomic_or_fetch(&link_memory->signals, 1u << (signo - 1), __ATOMIC_ACQ_REL);
	terminal_size(&link_memory->rows, &link_memory->cols);
	ring_machine();
}
