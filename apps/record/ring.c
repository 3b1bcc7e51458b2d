/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the ring buffers (man 2 perf_event_open, "MMAP layout") into the file. */
#include "apps/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int child_pipe[2]; /* SIGCHLD writes a byte here, so that poll sees it */

static void on_child(int signal)
{
	int error = errno;

	(void)signal;
	if (write(child_pipe[1], "", 1) < 0)
		errno = error; /* full: poll will wake anyway */
	errno = error;
}

/* Copies a record that may wrap around the ring's end; header.size has 16 bits. */
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
 * A: the kernel stores data_head after the records (release); we load it before we read them
 * (acquire). B: we store data_tail after we have read (release); the kernel loads it before it
 * overwrites.
 */
static void drain_ring(struct ring *ring, struct perfdata_writer *writer)
{
	uint64_t head = __atomic_load_n(&ring->user_page->data_head, __ATOMIC_ACQUIRE); /* A */
	uint64_t tail = ring->user_page->data_tail;

	while (tail < head) {
		const struct perf_event_header *record = whole_record(ring, tail);

		if (record->size < sizeof(*record))
			break; /* never written by a kernel: do not loop on it */
		perfdata_append(writer, record);
		tail += record->size;
	}
	__atomic_store_n(&ring->user_page->data_tail, tail, __ATOMIC_RELEASE); /* B */
}

void session_drain(struct session *session)
{
	for (int cpu = 0; cpu < session->nr_processors; cpu++)
		drain_ring(&session->rings[cpu], &session->writer);
}

/* Before the program can end. */
static int watch_child(void)
{
	struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};

	if (pipe2(child_pipe, O_CLOEXEC | O_NONBLOCK))
		return -1;
	return sigaction(SIGCHLD, &action, NULL);
}

int session_follow(struct session *session, pid_t pid)
{
	struct pollfd fds[MAX_PROCESSORS + 1];
	int status = 0, n = session->nr_processors;

	if (watch_child())
		return -1;
	for (int cpu = 0; cpu < n; cpu++)
		fds[cpu] = (struct pollfd){session->fds[0][cpu], POLLIN, 0};
	fds[n] = (struct pollfd){child_pipe[0], POLLIN, 0};
	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (poll(fds, (nfds_t)n + 1, -1) < 0 && errno != EINTR)
			break;
		session_drain(session);
		for (int cpu = 0; cpu < n; cpu++) {
			if (fds[cpu].revents & (POLLHUP | POLLERR))
				fds[cpu].fd = -1; /* that processor's event is over: it would wake
						     us for ever */
		}
	}
	session_drain(session);
	return status;
}
