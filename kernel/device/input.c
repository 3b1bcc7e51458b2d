/* SPDX-License-Identifier: BSD-2-Clause */
/* Input: bytes of the link, unchanged or through the terminal's line discipline; and the terminal's
 * output. */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/signal.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/console.h"
#include "kernel/base/string.h"
#include "kernel/device/input.h"
#include "kernel/device/tty.h"
#include "kernel/file/poll.h"
#include "kernel/host/host.h"
#include "kernel/host/keep.h"
#include "kernel/host/link.h"
#include "kernel/mem/cursor.h"
#include "kernel/mem/user.h"

#define TENTH_NS 100000000ull /* VTIME's unit */
#define PIECE    512

struct line tty_line;
struct waitq input_waiters;

static const char *find_newline(const char *text, size_t bytes)
{
	for (const char *at = text; at < text + bytes; at++)
		if (*at == '\n')
			return at;
	return NULL;
}

/* The terminal's output: newlines become what the terminal wants; the console does that itself. */
static void terminal_put(const char *text, size_t bytes)
{
	const char *end;
	size_t line;

	if (!host_is_linked()) {
		console_write(text, bytes);
		if (keep_is_on())
			host_send(HOST_STDOUT, 0, "", text, bytes);
		return;
	}
	for (; bytes; text += line, bytes -= line) {
		bool plain = !(tty_line.modes.c_oflag & OPOST) || !(tty_line.modes.c_oflag & ONLCR);

		end = plain ? NULL : find_newline(text, bytes);
		line = end ? (size_t)(end - text) : bytes;
		if (line)
			host_send(tty_stream(), 0, "", text, line);
		if (end)
			host_send(tty_stream(), 0, "", "\r\n", 2);
		line += end != NULL;
	}
}

/* Passes typed bytes through the line discipline; bytes without room stay in the link. */
static void type_all(void)
{
	uint8_t byte;
	int signo;

	while (link_waiting() && line_room(&tty_line)) {
		link_take(&byte, 1);
		signo = line_type(&tty_line, byte);
		if (signo)
			tty_signal(signo);
	}
}

static bool has_bytes(void)
{
	return link_waiting() || link_ended();
}

/* Interrupt: the host has sent input or a reply. */
static void news(void)
{
	uint16_t rows, cols;
	int signo;

	while ((signo = link_signal()))
		tty_signal(signo);
	link_size(&rows, &cols);
	tty_resize(rows, cols);
	if (tty_has_input())
		type_all();
	if (has_bytes() || line_readable(&tty_line))
		waitq_wake(&input_waiters);
}

void input_init(void)
{
	waitq_init(&input_waiters);
	line_init(&tty_line, terminal_put);
	if (!host_is_linked())
		return;
	link_news = news;
	link_idle_for(&input_waiters);
}

/* Sleeps until there is input: 0 or -EINTR. */
static int wait_for_bytes(void)
{
	struct waiter waiter;
	int err = 0;

	link_request_input(true);
	waitq_add(&input_waiters, &waiter);
	while (!has_bytes() && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

static long input_take(struct file *file, struct cursor *to, size_t bytes)
{
	char *piece = host_buffer();
	size_t there;
	int err = 0;

	if (!bytes || !host_is_linked())
		return 0;
	if (!has_bytes() && file->flags & O_NONBLOCK)
		link_request_input(false);
	else if (!has_bytes())
		err = wait_for_bytes();
	if (!has_bytes())
		return err ? err : -EAGAIN;
	there = link_take(piece, bytes < HOST_PAYLOAD ? bytes : HOST_PAYLOAD);
	return copy_vectors(to, piece, there, true) ? -EFAULT : (long)there;
}

static long input_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};

	(void)offset;
	return input_take(file, &(struct cursor){&vector, 1, 0}, bytes);
}

static long input_readv(struct file *file, const struct iovec *vectors, uint64_t count)
{
	return input_take(file, &(struct cursor){vectors, count, 0}, vectors_bytes(vectors, count));
}

static unsigned input_poll(struct file *file, struct poll_table *table)
{
	(void)file;
	if (!host_is_linked())
		return POLLIN | POLLRDNORM;
	if (!has_bytes())
		link_request_input(false);
	poll_wait(table, &input_waiters);
	return (link_waiting() ? POLLIN | POLLRDNORM : 0u) | (link_ended() ? POLLIN | POLLHUP : 0u);
}

const struct file_ops input_ops = {.read = input_read, .readv = input_readv, .poll = input_poll};

/* True if no more input can arrive. */
static bool is_closed(void)
{
	return !tty_has_input() || link_ended();
}

static bool canonical(void)
{
	return tty_line.modes.c_lflag & ICANON;
}

/* Returns how many bytes a read waits for, and the timeout: termios(3), "noncanonical mode". */
static size_t least(size_t bytes)
{
	size_t minimum = tty_line.modes.c_cc[VMIN];

	return canonical() ? 1 : minimum < bytes ? minimum : bytes;
}

/* Waits until a line, or enough bytes, are typed: 0, -EINTR, -EAGAIN. */
static int wait_for_line(size_t bytes, bool now)
{
	uint8_t tenths = canonical() ? 0 : tty_line.modes.c_cc[VTIME];
	struct waiter waiter;
	int err = 0;

	if (line_ready(&tty_line, least(bytes)) || is_closed())
		return 0;
	if (now)
		return -EAGAIN;
	if (!canonical() && !least(bytes) && !tenths)
		return 0;
	waitq_add(&input_waiters, &waiter);
	while (!line_ready(&tty_line, least(bytes)) && !is_closed() && !err) {
		bool timed = tenths && (!least(bytes) || line_readable(&tty_line));

		err = waitq_sleep(timed ? clock_ns() + tenths * TENTH_NS : WAITQ_FOREVER);
	}
	waitq_remove(&waiter);
	return err == -ETIMEDOUT ? 0 : err;
}

static long tty_take(struct file *file, struct cursor *to, size_t bytes)
{
	uint8_t piece[PIECE];
	uint64_t flags;
	int err = tty_may_read();

	if (!err && bytes)
		err = wait_for_line(bytes, file->flags & O_NONBLOCK);
	if (err || !bytes)
		return err;
	flags = irq_save();
	bytes = line_read(&tty_line, piece, bytes < PIECE ? bytes : PIECE);
	if (tty_has_input())
		type_all();
	irq_restore(flags);
	return copy_vectors(to, (char *)piece, bytes, true) ? -EFAULT : (long)bytes;
}

long tty_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};

	(void)offset;
	return tty_take(file, &(struct cursor){&vector, 1, 0}, bytes);
}

long tty_readv(struct file *file, const struct iovec *vectors, uint64_t count)
{
	return tty_take(file, &(struct cursor){vectors, count, 0}, vectors_bytes(vectors, count));
}

unsigned tty_poll(struct file *file, struct poll_table *table)
{
	unsigned events = POLLOUT | POLLWRNORM;

	(void)file;
	poll_wait(table, &input_waiters);
	if (line_ready(&tty_line, least(1)) || is_closed())
		events |= POLLIN | POLLRDNORM;
	return events;
}

long output_pieces(struct file *file, uint64_t buffer, size_t bytes,
		   void (*send)(struct file *, const void *, size_t))
{
	char *piece = host_buffer();

	for (size_t done = 0; done < bytes;) {
		size_t length = bytes - done < HOST_PAYLOAD ? bytes - done : HOST_PAYLOAD;
		size_t copied = copy_some_from_user(piece, buffer + done, length);

		if (copied)
			send(file, piece, copied);
		done += copied;
		if (copied < length)
			return done ? (long)done : -EFAULT;
	}
	return (long)bytes;
}

static void send_terminal(struct file *file, const void *bytes, size_t size)
{
	(void)file;
	terminal_put(bytes, size);
}

long tty_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)offset;
	return output_pieces(file, buffer, bytes, send_terminal);
}
