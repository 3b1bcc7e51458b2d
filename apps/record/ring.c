/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the ring buffers (man 2 perf_event_open, "MMAP layout") into the file. */
#include "apps/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/lib/targets.h"

static int signal_pipe[2]; /* signals are written here, so that poll sees them */

static void on_signal(int signal)
{
	int error = errno;
	char byte = (char)signal;

	if (write(signal_pipe[1], &byte, 1) < 0)
		errno = error; /* full: poll will wake anyway */
	errno = error;
}

/* Returns a record, copied if it wraps around the ring's end; header.size has 16 bits. */
static const struct perf_event_header *whole_record(const struct ring *ring, uint64_t position)
{
	static uint64_t copy[65536 / sizeof(uint64_t)];
	uint64_t offset = position & (ring->size - 1);
	const struct perf_event_header *header =
	    (const struct perf_event_header *)(ring->data + offset);
	uint64_t first = ring->size - offset;

	if (header->size <= first)
		return header;
	memcpy(copy, header, first);
	memcpy((unsigned char *)copy + first, ring->data, header->size - first);
	return (const struct perf_event_header *)copy;
}

/*
 * A: the kernel stores data_head after the records (release); this loads it before reading them
 * (acquire). B: this stores data_tail after reading (release); the kernel loads it before it
 * overwrites.
 */
static void drain_ring(struct session *session, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->user_page->data_head, __ATOMIC_ACQUIRE); /* A */
	uint64_t tail = ring->user_page->data_tail;

	while (tail < head) {
		const struct perf_event_header *record = whole_record(ring, tail);

		if (record->size < sizeof(*record))
			break; /* never written by a kernel: do not loop on it */
		output_record(session, record);
		tail += record->size;
	}
	__atomic_store_n(&ring->user_page->data_tail, tail, __ATOMIC_RELEASE); /* B */
}

/* Moves the contents of the rings to the file. */
static void session_drain(struct session *session)
{
	for (int cpu = 0; cpu < session->nr_processors; cpu++) {
		drain_ring(session, &session->rings[cpu]);
		aux_drain(session, cpu);
	}
}

/* Blocks the signals; called before the program can end. */
static int watch_signals(const struct options *options)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NOCLDSTOP};

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) || sigaction(SIGCHLD, &action, NULL) ||
	    sigaction(SIGUSR2, &action, NULL))
		return -1;
	return *options->program ? 0 : sigaction(SIGINT, &action, NULL);
}

/* Handles received signals: sets whether to end, and whether to start another file. */
static void take_signals(bool *end, bool *other_file)
{
	char signals[64];
	ssize_t n = read(signal_pipe[0], signals, sizeof(signals));

	for (ssize_t i = 0; i < n; i++) {
		*end |= signals[i] == SIGINT;
		*other_file |= signals[i] == SIGUSR2;
	}
}

static bool has_ended(const struct options *options, pid_t pid, bool interrupted, int *status)
{
	if (*options->program)
		return waitpid(pid, status, WNOHANG) == pid;
	return interrupted || (options->pids && !target_lives(options->pids));
}

#define LOOK_MS 100 /* how often it is seen whether -p's processes live, whether it is time */

int session_follow(struct session *session, pid_t pid)
{
	const struct options *options = session->options;
	struct pollfd fds[MAX_PROCESSORS + 1];
	bool interrupted = false;
	int status = 0, n = session->nr_processors;
	int timeout = options->switch_ns ? 1 : options->pids ? LOOK_MS : -1;

	if (watch_signals(options))
		return -1;
	for (int cpu = 0; cpu < n; cpu++)
		fds[cpu] = (struct pollfd){session->fds[0][0][cpu], POLLIN, 0};
	fds[n] = (struct pollfd){signal_pipe[0], POLLIN, 0};
	while (!has_ended(options, pid, interrupted, &status)) {
		bool other_file = false;

		if (poll(fds, (nfds_t)n + 1, timeout) < 0 && errno != EINTR)
			break;
		take_signals(&interrupted, &other_file);
		session_drain(session);
		if (options->switches && output_switch(session, other_file))
			break;
		for (int cpu = 0; cpu < n; cpu++) {
			if (fds[cpu].revents & (POLLHUP | POLLERR))
				/* that processor's event has ended: it would always be ready */
				fds[cpu].fd = -1;
		}
	}
	session_drain(session);
	return status;
}
