/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's instances: each has its own buffer, events and switches. The first is tracefs's top.
 * Context of all, unless noted: task. */
#ifndef TRACE_BUFFER_INSTANCE_H
#define TRACE_BUFFER_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/list.h"
#include "kernel/task/waitq.h"
#include "kernel/time/timer.h"
#include "trace/buffer/lines.h"

#define INSTANCES_MAX 32 /* besides the top; each event has at most 64 programs */

struct cpu_buffer;
struct file;
struct inode;
struct pids;
struct trace_clock;

struct trace_instance {
	struct list link;
	uint32_t number;            /* 0: the top. Never used again */
	uint32_t opened;            /* files of its buffer */
	uint32_t options;           /* bits of options.h. Atomic */
	uint32_t size_kb;           /* of each processor */
	bool is_off;                /* atomic */
	struct cpu_buffer *buffers; /* one for each processor; NULL: nothing was ever enabled.
				       Atomic */
	struct list events;         /* struct buffered */
	struct pids *pids;          /* NULL: all. Atomic */
	const struct trace_clock *clock;
	/* trace_pipe */
	struct waitq readers;
	struct irq_work work; /* wakes them */
	uint32_t wanted;      /* a reader waits for a record. Atomic */
	struct lines lines;   /* taken out and not yet read */
};

extern struct trace_instance trace_top;

/* Ids of an instance's files: the instance's number and the object that the file is about. */
#define INSTANCE_SHIFT 48

static inline uint64_t instance_id(uint64_t id, uint64_t of)
{
	return id >> INSTANCE_SHIFT << INSTANCE_SHIFT | of;
}

static inline uint64_t instance_of(uint64_t id)
{
	return id & ((1ul << INSTANCE_SHIFT) - 1);
}

/* Returns the instance of a file's id, NULL: it was removed. */
struct trace_instance *instance_find(uint64_t id);
/* As instance_find(), and keeps the instance alive for an open file until instance_close(). */
struct trace_instance *instance_open(uint64_t id);
void instance_close(struct trace_instance *instance);
/* `open` and `release` of a file whose priv is the instance. The first allocates its buffer: 0,
 * -ENODEV, -ENOMEM. */
int instance_open_buffer(struct inode *inode, struct file *file);
void instance_release(struct file *file);
/* Makes an instance: 0 and its id, or -ENOMEM, -ENOSPC. */
int instance_new(uint64_t *id);
/* Removes an instance with its events and records: 0, or -EBUSY: one of its files is open. */
int instance_remove(uint64_t id);
/* Initialises the top. Context: start. */
void instances_init(void);

#endif
