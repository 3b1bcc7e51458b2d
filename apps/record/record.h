/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of `record` share. */
#ifndef APPS_RECORD_RECORD_H
#define APPS_RECORD_RECORD_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "apps/lib/event/event.h"
#include "apps/lib/perfdata.h"

#define MAX_PROCESSORS 64
#define MAX_EVENTS     8

struct options {
	struct event_list events;
	uint64_t period;    /* 0: by frequency */
	uint64_t frequency; /* Hz */
	bool callchain, branches;
	const char *output;
	const char *shown;  /* what the summary calls the output */
	const char *kernel; /* FILE:START:LENGTH:OFFSET of the kernel's text, or NULL */
	unsigned pages;     /* of a ring, a power of two */
	char **program;
};

/* One processor's ring buffer. */
struct ring {
	struct perf_event_mmap_page *user_page;
	unsigned char *data;
	uint64_t size;
};

struct session {
	struct perfdata_event events[MAX_EVENTS];
	int nr_events;
	int fds[MAX_EVENTS][MAX_PROCESSORS];
	struct ring rings[MAX_PROCESSORS];
	int nr_processors;
	struct perfdata_writer writer;
};

/* Opens all events on the held program `pid` and maps the rings. Returns 0, or -1 after a message.
 */
int session_open(struct session *session, const struct options *options, pid_t pid);
/* Moves what the rings hold to the file. */
void session_drain(struct session *session);
/* Drains whenever a ring asks for it, until the program has ended; returns its wait(2) status. */
int session_follow(struct session *session, pid_t pid);

/* Records for what existed before the events: the kernel's text, the program's process. */
void synthesize(struct session *session, const struct options *options, pid_t pid);

#endif
