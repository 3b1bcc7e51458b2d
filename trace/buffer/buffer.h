/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of tracefs's instances: records of the enabled events, for each processor in pages of
 * Linux's layout, the oldest of which are overwritten. Nothing is allocated before the first event
 * is enabled. Context of all, unless noted: task. */
#ifndef TRACE_BUFFER_H
#define TRACE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inode;
struct trace_event;
struct trace_instance;
struct waitq;

/* A reader's position in a processor's records; zeros: at the first. */
struct buffer_place {
	uint64_t page; /* of all that there were */
	uint64_t time; /* ns, of the record before it */
	uint32_t offset;
};

#define BUFFER_KB     1408  /* of each processor, at first: Linux's */
#define BUFFER_KB_MAX 16384 /* of each processor */

/* Enables or disables the event for the buffer: 0 or a negative errno. */
int buffer_enable(struct trace_instance *instance, struct trace_event *event, bool on);
bool buffer_enabled(const struct trace_instance *instance, const struct trace_event *event);
/* Sets the event's filter: "0" is none. 0, -ENOMEM, or -EINVAL or another errno: the event then has
 * no filter, and shows the error. `of_system`: it was set for a whole system. */
int buffer_filter(struct trace_instance *instance, struct trace_event *event, const char *text,
		  bool of_system);
/* Returns the contents of the event's file `filter`. */
const char *buffer_filter_text(const struct trace_instance *instance,
			       const struct trace_event *event);
/* The event is about to be removed: drops all of its state. */
void buffer_forget(struct trace_event *event);
/* Disables all events of the instance, then, once no writer is active, frees its memory. */
void buffer_leave(struct trace_instance *instance);
void buffer_free(struct trace_instance *instance);

/* True if writing is enabled, as it is at first. */
bool buffer_is_on(const struct trace_instance *instance);
void buffer_switch(struct trace_instance *instance, bool on);
/* Forgets all records. */
void buffer_clear(struct trace_instance *instance);
/* Sets the size for each processor and empties the buffer. 0, -EINVAL, -ENOMEM. */
int buffer_resize(struct trace_instance *instance, uint64_t kb);

/* Removes and copies the processor's oldest page, PAGE_SIZE bytes: false if there is none. */
bool buffer_take(const struct trace_instance *instance, uint32_t cpu, uint8_t *page);
bool buffer_is_empty(const struct trace_instance *instance, uint32_t cpu);
/* Returns the time of the processor's next record from `place` on (NULL: unread), UINT64_MAX: there
 * is none. */
uint64_t buffer_time(const struct trace_instance *instance, uint32_t cpu,
		     const struct buffer_place *place);
/* Copies a record (less than a page). Advances `place`, or (NULL) consumes the record. Returns its
 * size, padded to 4 bytes, or 0. After buffer_prepare(). */
uint32_t buffer_read(const struct trace_instance *instance, uint32_t cpu,
		     struct buffer_place *place, void *record);
/* Returns how many of the processor's records are in it, were overwritten, and were dropped. */
void buffer_count(const struct trace_instance *instance, uint32_t cpu, uint64_t *entries,
		  uint64_t *overwritten, uint64_t *lost);

/* Allocates the memory, if necessary: 0 or -ENOMEM. For readers. */
int buffer_prepare(struct trace_instance *instance);
/* Returns the queue of readers that wait for a full page. After buffer_prepare(). */
struct waitq *buffer_waitq(const struct trace_instance *instance, uint32_t cpu);
bool buffer_has_full_page(const struct trace_instance *instance, uint32_t cpu);

/* Adds a record of `bytes`. After buffer_prepare(). Context: interrupts masked. */
void buffer_add(struct trace_instance *instance, const void *record, uint32_t bytes);
struct trace_header;
/* Adds a record of the event by the current task; fills in its header. After buffer_prepare(). */
void buffer_write(struct trace_instance *instance, const struct trace_event *event,
		  struct trace_header *header, uint32_t bytes);

/* trace_file.c: returns a new inode of the instance's file `trace`, with one reference; NULL: no
 * memory. */
struct inode *trace_file_inode(uint64_t id);
/* marker.c: as trace_file_inode(), for `trace_marker` and `trace_marker_raw`. */
struct inode *trace_marker_inode(uint64_t id);
struct inode *trace_marker_raw_inode(uint64_t id);
/* files.c: returns the inode of an instance's file or directory about its buffer, with one
 * reference; NULL: no such name, or no memory. */
struct inode *buffer_file(uint64_t id, const char *name, size_t length);
/* Returns the name of a file or (*is_directory) directory by its index from 0 on, NULL: no more. */
const char *buffer_file_name(uint64_t number, bool *is_directory);

#endif
