/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of tracefs's instances: records of the events that are enabled there, for each processor
 * in pages as Linux has them, the oldest of which are overwritten. Nothing is allocated before the
 * first event is enabled. Context of all, unless noted: task. */
#ifndef TRACE_BUFFER_H
#define TRACE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inode;
struct trace_event;
struct trace_instance;
struct waitq;

/* Where a reader is in a processor's records; zeros: at the first. */
struct buffer_place {
	uint64_t page; /* of all that there were */
	uint64_t time; /* ns, of the record before it */
	uint32_t offset;
};

#define BUFFER_KB      1408  /* of each processor, at first: Linux's */
#define BUFFER_KB_MOST 16384 /* of each processor */

/* Records of the event go into the buffer from now on, or no more: 0 or a negative errno. */
int buffer_enable(struct trace_instance *instance, struct trace_event *event, bool on);
bool buffer_enabled(const struct trace_instance *instance, const struct trace_event *event);
/* Only records that pass the filter go in: "0" is none. 0, -ENOMEM, or -EINVAL and its kin: the
 * event has none then, and shows what is wrong. `of_system`: it was set for a system's events. */
int buffer_filter(struct trace_instance *instance, struct trace_event *event, const char *text,
		  bool of_system);
/* Returns the contents of the event's file `filter`. */
const char *buffer_filter_text(const struct trace_instance *instance,
			       const struct trace_event *event);
/* The event is about to go: nothing of its is kept. */
void buffer_forget(struct trace_event *event);
/* Disables all events of the instance, then, once no writer is active, frees its memory. */
void buffer_leave(struct trace_instance *instance);
void buffer_free(struct trace_instance *instance);

/* Records are written at all: on at first. */
bool buffer_is_on(const struct trace_instance *instance);
void buffer_switch(struct trace_instance *instance, bool on);
/* Forgets all records. */
void buffer_clear(struct trace_instance *instance);
/* Its size for each processor; what was in it is gone. 0, -EINVAL, -ENOMEM. */
int buffer_resize(struct trace_instance *instance, uint64_t kb);

/* The oldest page of the processor's, taken out: false when there is none. It fills PAGE_SIZE
 * bytes. */
bool buffer_take(const struct trace_instance *instance, uint32_t cpu, uint8_t *page);
bool buffer_is_empty(const struct trace_instance *instance, uint32_t cpu);
/* When the processor's next record from the place on (NULL: that was not read) came, UINT64_MAX:
 * there is none. */
uint64_t buffer_time(const struct trace_instance *instance, uint32_t cpu,
		     const struct buffer_place *place);
/* Copies a record (less than a page). Advances `place`, or (NULL) consumes the record. Returns its
 * size, padded to 4 bytes, or 0. After buffer_prepare(). */
uint32_t buffer_read(const struct trace_instance *instance, uint32_t cpu,
		     struct buffer_place *place, void *record);
/* How many records are in it, were overwritten, and found no room, of the processor's. */
void buffer_count(const struct trace_instance *instance, uint32_t cpu, uint64_t *entries,
		  uint64_t *overwritten, uint64_t *lost);

/* Allocates the memory, if necessary: 0 or -ENOMEM. For readers. */
int buffer_prepare(struct trace_instance *instance);
/* Returns the queue of readers that wait for a full page. After buffer_prepare(). */
struct waitq *buffer_waitq(const struct trace_instance *instance, uint32_t cpu);
bool buffer_has_full_page(const struct trace_instance *instance, uint32_t cpu);

/* Adds a record, of `bytes`. After buffer_prepare(). Context: interrupts masked. */
void buffer_add(struct trace_instance *instance, const void *record, uint32_t bytes);
struct trace_header;
/* Adds a record of the event that the current task makes, of which only what is after its header
 * is there yet. After buffer_prepare(). */
void buffer_write(struct trace_instance *instance, const struct trace_event *event,
		  struct trace_header *header, uint32_t bytes);

/* trace_file.c: a new inode of the file `trace` of an instance's, with one reference; NULL: no
 * memory. */
struct inode *trace_file_inode(uint64_t id);
/* marker.c: the same of the files `trace_marker`, `trace_marker_raw`. */
struct inode *trace_marker_inode(uint64_t id);
struct inode *trace_marker_raw_inode(uint64_t id);
/* files.c: the inode of a file or folder of an instance's about its buffer, with one reference;
 * NULL: there is none of the name, or no memory. */
struct inode *buffer_file(uint64_t id, const char *name, size_t length);
/* The name of a file or (*is_folder) folder by its number from 0 on, NULL: no more. */
const char *buffer_file_name(uint64_t number, bool *is_folder);

#endif
