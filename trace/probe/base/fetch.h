/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of probes: NAME=WHAT:TYPE, in the syntax of Linux's kprobe_events and uprobe_events. */
#ifndef TRACE_PROBE_FETCH_H
#define TRACE_PROBE_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include "trace/base/event.h"

#define FETCH_STEPS   8
#define FETCH_NAME    32
#define FETCH_STRINGS 512 /* bytes of a record's strings */

struct frame;
struct text;

struct fetch_type {
	const char *name, *field, *format; /* in commands, formats, their texts */
	uint8_t size;                      /* in the record */
	bool is_signed, is_string, from_user;
};

/* The source of the value, then the operations on it. */
enum fetch_op {
	FETCH_REGISTER, /* value: offset in struct frame */
	FETCH_STACK,    /* value: which word */
	FETCH_CONSTANT, /* value */
	FETCH_COMM,
	FETCH_LOAD, /* from the address that value is added to */
	FETCH_LOAD_USER,
};

struct fetch_step {
	uint8_t op;
	int64_t value;
};

struct fetch_arg {
	char name[FETCH_NAME];
	const struct fetch_type *type;
	uint8_t nr_steps;
	struct fetch_step steps[FETCH_STEPS];
	uint32_t offset; /* in the record */
};

/* The context of the fetch. */
enum {
	FETCH_OF_USER = 1 << 0,    /* a probe in a program: its memory, which may be faulted in */
	FETCH_OF_RETURN = 1 << 1,  /* $retval is there */
	FETCH_OF_FUNCTION = 1 << 2 /* $argN are */
};

/* Parses an argument: 0 or a negative errno. `number`: for the name of an unnamed one. Context:
 * task. */
int fetch_parse(struct fetch_arg *arg, const char *word, unsigned number, unsigned where);

/* Writes the arguments into the record, strings after its `bytes`, at most FETCH_STRINGS: returns
 * the total bytes. Context: for FETCH_OF_USER: task; else any. */
uint32_t fetch_record(const struct fetch_arg *args, unsigned nr, void *record, uint32_t bytes,
		      const struct frame *frame, unsigned where);

#endif
