/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's directories in events/ and their files. Context of all: task. */
#ifndef TRACE_TRACEFS_H
#define TRACE_TRACEFS_H

#include <stdint.h>

struct synthetic;
struct trace_event;

/* Creates the file system's directories and files. Context: start. */
void tracefs_init(void);

/* Returns the name of the directory of events/ with that number, or the next; sets *system. NULL at
 * the end. */
const char *system_next(uint64_t *system);
/* Returns the name of a directory of events/ by its number. NULL: none. */
const char *system_name(uint64_t system);
/* Returns the system's event number `at` or the next one; advances *at. NULL at the end. */
struct trace_event *next_event(uint64_t system, uint64_t *at);

/* The files `filter`: of an event (the id is the event's), and of a system (its number). */
extern const struct synthetic event_filter_file, system_filter_file;

#define ALL_SYSTEMS UINT32_MAX /* in place of a system's number */

/* enables.c: the ids are an event's, a system's or ALL_SYSTEMS, unused; with an instance's
 * number. */
extern const struct synthetic event_enable_file, system_enable_file, set_event_file;

#endif
