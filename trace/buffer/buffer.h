/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's own buffer: records of the events that are enabled there, for each processor in pages
 * as Linux has them, the oldest of which are overwritten. Nothing is allocated before the first
 * event is enabled. Context of all, unless noted: task. */
#ifndef TRACE_BUFFER_H
#define TRACE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct inode;
struct trace_event;
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
int buffer_enable(struct trace_event *event, bool on);
/* Only records that pass the filter, which is an event's, go in: "0" is none. 0, -ENOMEM, or
 * -EINVAL and its kin: it has none then, and what is wrong in event->fault. */
int buffer_filter(struct trace_event *event, const char *text);

/* Records are written at all: on at first. */
bool buffer_is_on(void);
void buffer_switch(bool on);
/* Forgets all records. */
void buffer_clear(void);
/* Its size for each processor; what was in it is gone. 0, -EINVAL, -ENOMEM. */
uint32_t buffer_kb(void);
int buffer_resize(uint64_t kb);

/* The oldest page of the processor's, taken out: false when there is none. It fills PAGE_SIZE
 * bytes. */
bool buffer_take(uint32_t cpu, uint8_t *page);
bool buffer_is_empty(uint32_t cpu);
/* When the processor's next record from the place on (NULL: that was not read) came, UINT64_MAX:
 * there is none. */
uint64_t buffer_time(uint32_t cpu, const struct buffer_place *place);
/* Copies it (less than a page), and moves the place behind it, or (NULL) takes it out: its bytes
 * with what pads them to 4, or 0. After buffer_prepare(). */
uint32_t buffer_read(uint32_t cpu, struct buffer_place *place, void *record);
/* How many records are in it and were overwritten, of the processor's. */
void buffer_count(uint32_t cpu, uint64_t *entries, uint64_t *overwritten);

/* The name of a task of which the processor had records, and its number, 0: no task; NULL: there is
 * no such index. */
const char *buffer_name(uint32_t cpu, uint32_t index, int32_t *pid);

/* What a record's task was called, as far as it is known; `comm` has 16 bytes. After
 * buffer_prepare(). */
void buffer_comm(uint32_t cpu, int32_t pid, char *comm);

/* Makes the memory, if it is not there: 0 or -ENOMEM. Who reads asks for it. */
int buffer_prepare(void);
/* Who waits for a page that is full: woken when there is one. After buffer_prepare(). */
struct waitq *buffer_waitq(uint32_t cpu);
bool buffer_has_full_page(uint32_t cpu);

struct trace_header;
/* Adds a record of the event that the current task makes, of which only what is behind its header
 * is there yet. After buffer_prepare(). */
void buffer_write(const struct trace_event *event, struct trace_header *header, uint32_t bytes);

/* trace_file.c: a new inode of the file `trace`, with one reference; NULL: no memory. */
struct inode *trace_file_inode(void);
/* marker.c: the same of the file `trace_marker`. */
struct inode *trace_marker_inode(void);
/* files.c: adds the buffer's files to a folder of tracefs. Context: start. */
void buffer_files_init(const char *folder);

#endif
