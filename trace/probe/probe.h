/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes as trace events: probes from tracefs's commands and probes of single perf events. Context
 * of all: task. */
#ifndef TRACE_PROBE_PROBE_H
#define TRACE_PROBE_PROBE_H

#include "kernel/base/tree.h"
#include "trace/base/event.h"
#include "trace/probe/base/fetch.h"
#include "trace/probe/kernel/kprobe.h"
#include "trace/probe/user/uprobe.h"

#define PROBE_ARGS_MAX 16 /* Linux's are 128 */
#define PROBE_NAME     64

struct probe {
	struct trace_event event;
	struct tree_node id_node, group_node, name_node; /* among all; table.c */
	uint64_t group;                                  /* of named probes */
	bool of_program, returns, is_named;
	char system[PROBE_NAME], name[PROBE_NAME];
	char *place;         /* "PATH" or "SYMBOL", allocated; NULL: an address */
	char *words;         /* the arguments as they came, allocated; NULL: none */
	struct inode *inode; /* of_program: referenced */
	uint64_t offset;     /* in the file; from the symbol */
	uint64_t semaphore;  /* of_program: in the file, 0: none */
	uint64_t address;    /* in the kernel */
	uint64_t hits;
	union {
		struct uprobe_user in_program;
		struct kprobe_user in_kernel;
	};
	uint32_t bytes; /* of a record without strings */
	uint32_t nr_args;
	struct fetch_arg args[PROBE_ARGS_MAX];
	struct trace_field fields[2 + PROBE_ARGS_MAX];
};

/* Returns an empty one, in no list; NULL: no memory. */
struct probe *probe_new(void);
/* Numbers it and adds it to the tables, named or not; address and arguments are set: 0, -EEXIST,
 * -ENOSPC. */
int probe_publish(struct probe *probe);
/* Frees it; its event must have no users. */
void probe_free(struct probe *probe);

/* ---- table.c ---- */

/* Adds it with the first free number: 0 or -ENOSPC. */
int probe_enter(struct probe *probe);
/* Removes it, if it is there. */
void probe_leave(struct probe *probe);
/* Returns the named one with that id, NULL: none. */
struct trace_event *probe_by_id(uint64_t id);
/* Returns the named one at position `index`, or the next; advances *index. NULL at the end. */
struct probe *probe_next(uint64_t *index);
struct probe *probe_by_name(const char *system, const char *name);
/* Returns the number of a group of named probes, from 1 on; 0: there is no such group. */
uint64_t probe_group(const char *name, size_t length);
/* Returns the name of the group with that number, or the next; *group is its number. NULL at the
 * end. */
const char *probe_group_next(uint64_t *group);
/* Returns the one at position `at` in the group, or the next; advances *at. NULL at the end. */
struct probe *probe_in_group(uint64_t group, uint64_t *at);

/* ---- probe.c ---- */

/* True if the event is a probe. Context: any. */
static inline bool event_is_probe(const struct trace_event *event)
{
	return event->place == PLACE_OWN;
}
/* Returns the address of a kernel probe at a function's start; else 0. Context: any. */
uint64_t probe_function(const struct trace_event *event);

/* ---- commands.c: kprobe_events, uprobe_events ---- */

/* Executes each line as a command: 0 or a negative errno. */
int probe_commands(const char *text, uint64_t of_program);
/* Removes all; -EBUSY: one is in use, and none is removed. */
int probe_clear(uint64_t of_program);
void probe_list(struct text *out, uint64_t of_program);
void probe_profile(struct text *out, uint64_t of_program);

/* ---- pmus.c ---- */

void probe_pmus_init(void);

#endif
