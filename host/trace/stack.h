/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls and returns of traced threads, and their listeners. */
#ifndef HOST_TRACE_STACK_H
#define HOST_TRACE_STACK_H

#include <intel-pt.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/trace/source.h"

/* A call that has not returned. */
struct trace_frame {
	const char *function, *file;
	bool known;         /* the function has a symbol */
	uint64_t site;      /* the address of the call, or of the interrupted instruction */
	uint64_t low, high; /* the function's code; 0: unknown */
	uint64_t begin;     /* ns */
	uint64_t before;    /* instructions of the thread before it */
	uint64_t inner, inner_count; /* ns and instructions of calls that it made */
};

struct trace_thread {
	struct trace_thread *next;
	uint32_t pid, tid;
	unsigned execs;
	struct trace_frame *frames;
	unsigned nr, room;
	uint64_t now;          /* ns */
	uint64_t instructions; /* so far */
	/* The last block: how it ended, and where. */
	enum pt_insn_class ended;
	uint64_t last;
	/* How the traced code was left last; the next instruction, if it was interrupted. */
	bool interrupted;
	uint64_t next_ip;
};

/* A reader of the trace. The top frame is the call that begins or ends, at thread->now. NULL
 * functions: not wanted. */
struct trace_listener {
	void *context;
	void (*enter)(void *context, const struct trace_thread *thread);
	void (*leave)(void *context, const struct trace_thread *thread);
	/* The thread did something that is no call: a system call, PTWRITE. */
	void (*note)(void *context, const struct trace_thread *thread, const char *text);
	void (*block)(void *context, const struct trace_thread *thread,
		      const struct pt_block *block);
};

struct trace_output {
	struct trace_source *source;
	const struct trace_listener *listeners;
	unsigned nr;
	struct trace_thread *threads;
	void *index; /* of the threads: tsearch(3), by tid */
};

/* Returns the thread, a new one without frames. */
struct trace_thread *traced_thread_of(struct trace_output *output, uint32_t pid, uint32_t tid);
/* The thread executed a block. */
void traced_block(struct trace_output *output, struct trace_thread *thread,
		  const struct pt_block *block);
/* The thread is traced again, at `ip`. */
void traced_resume(struct trace_output *output, struct trace_thread *thread, uint64_t ip);
/* It is not traced from now on; `interrupted`: `ip` is the address of the next instruction. */
void traced_leave(struct trace_output *output, struct trace_thread *thread, bool interrupted,
		  uint64_t ip);
/* It was interrupted before `from`, and its handler begins at `to`. */
void traced_interrupt(struct trace_output *output, struct trace_thread *thread, uint64_t from);
/* Reports something else that it did. */
void traced_note(struct trace_output *output, const struct trace_thread *thread, const char *text);
/* Ends all calls of all threads. */
void traced_end(struct trace_output *output);

#endif
