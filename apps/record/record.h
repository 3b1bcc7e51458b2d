/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared interface of the files of `record`. */
#ifndef APPS_RECORD_RECORD_H
#define APPS_RECORD_RECORD_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "apps/lib/event/event.h"
#include "apps/lib/perfdata/perfdata.h"

#define MAX_PROCESSORS 64
#define MAX_EVENTS     8
#define MAX_THREADS    64

/* Sources of call chains: frame pointers; copies of registers and stack, which perf unwinds by
 * DWARF; last branch records. */
enum chains { CHAINS_NONE, CHAINS_FP, CHAINS_DWARF, CHAINS_LBR };

struct options {
	struct event_list events;
	uint64_t period;    /* 0: by frequency */
	uint64_t frequency; /* Hz */
	enum chains chains;
	uint32_t stack_bytes; /* of CHAINS_DWARF */
	bool branches;
	bool weight, data_address, physical_address; /* -W, -d, --phys-data */
	bool everywhere;                             /* -a: all that runs */
	const char *cpus;                            /* -C */
	const char *pids;                            /* -p; NULL: the program */
	bool switches;                               /* --switch-output: by SIGUSR2, and: */
	/* limits after which a new file starts; 0: none */
	uint64_t switch_bytes, switch_ns;
	const char *output;
	bool pipe;          /* -o -: to standard output, in perf's format for pipes */
	const char *shown;  /* the output's name in the summary */
	bool quiet;         /* no summary */
	const char *kernel; /* FILE:START:LENGTH:OFFSET of the kernel's text, or NULL */
	unsigned pages;     /* of a ring, a power of two */
	unsigned aux_pages; /* of a hardware trace's area, likewise; 0: the default */
	char **program;     /* *program NULL: none */
};

/* One processor's ring buffer. */
struct ring {
	struct perf_event_mmap_page *user_page;
	unsigned char *data;
	uint64_t size;
	const unsigned char *aux; /* the hardware trace's area; NULL: none */
	uint64_t aux_size, aux_read;
};

struct session {
	struct perfdata_event events[MAX_EVENTS];
	int nr_events;
	pid_t threads[MAX_THREADS]; /* -1: all that runs */
	int nr_threads;
	int cpus[MAX_PROCESSORS], nr_processors;
	int fds[MAX_EVENTS][MAX_THREADS][MAX_PROCESSORS]; /* by index of thread and processor */
	struct ring rings[MAX_PROCESSORS];
	struct perfdata_writer writer;
	const struct options *options;
	int argc; /* for the file's header */
	char **argv;
	uint64_t samples, lost; /* of files before this one */
	int files;              /* before this one */
	unsigned jit_files;     /* that were copied beside the last one */
	uint64_t began_ns;      /* this one */
	unsigned char *kept;    /* with --switch-output: the records of processes, for each file */
	size_t kept_bytes, kept_room;
};

/* Finds the targets (`pid` is the held program), opens all events and maps the rings. Returns 0, or
 * -1 after a message. */
int session_open(struct session *session, const struct options *options, pid_t pid);
/* Enables events that exec does not enable. */
void session_enable(struct session *session);
/* Drains rings on their wake-ups until the program, or the process waited for in its place, has
 * ended. Returns the program's wait(2) status. */
int session_follow(struct session *session, pid_t pid);

/* Starts a file, one of several with --switch-output. Returns 0, or -1 and errno. */
int output_begin(struct session *session, pid_t pid);
/* Appends one whole record. */
void output_record(struct session *session, const struct perf_event_header *record);
/* Ends the file. Returns as output_begin(). */
int output_end(struct session *session);
/* Starts the next file if it is time, or because of `asked`. Returns as output_begin(). */
int output_switch(struct session *session, bool requested);

/* aux.c: hardware traces (Processor Trace). */

/* True if the event's PMU writes a trace in place of samples. */
bool aux_is_traced(const struct perf_event_attr *attr);
/* Completes the attributes of such an event, whose text is `event`. */
void aux_prepare(struct perf_event_attr *attr, const char *event);
/* Maps the area of a ring, whose event is `fd`. Returns 0, or -1 after a message. */
int aux_map(struct ring *ring, int fd, unsigned pages);
/* Appends what is new in the area of ring number `index`. */
void aux_drain(struct session *session, int index);
/* Writes the record that describes the traces. */
void aux_describe(struct session *session);

/* jit.c: names of generated code. */

/* Notes a record's process, whose files jit_copy() looks for. */
void jit_note(const struct perf_event_header *record);
/* Copies the processes' files beside the profile. Returns their number. */
unsigned jit_copy(const char *profile);

/* Synthesizes records for state from before the events: the kernel's text, processes. */
void synthesize(struct session *session, pid_t pid);

#endif
