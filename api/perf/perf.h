/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the perf_event_open(2) family. Context of all: task. Returns are 0 or
 * negative errno. */
#ifndef API_PERF_H
#define API_PERF_H

#include <stddef.h>
#include <stdint.h>

#include "abi/linux/perf_event.h"

struct file;
struct perf_event;
struct poll_table;
struct vma;

/* Copies a struct perf_event_attr of any version from the application and checks it; with -E2BIG
 * writes our size back. */
int perf_attr_copy(struct perf_event_attr *attr, uint64_t user);
/* Checks an attr on its own, as perf_event_open(2) does. */
int perf_attr_check(struct perf_event_attr *attr);

/* Checks the current task's permission, and the limits of frequency and period. */
int perf_attr_permit(const struct perf_event_attr *attr);

/* Returns the event of descriptor `fd` with a reference to its file, or NULL (EBADF). */
struct perf_event *perf_event_of_fd(int fd, struct file **file);

/* Redirects the event's records to the ring of `output`; NULL: to none. */
int perf_set_output(struct perf_event *event, struct perf_event *output);

/* The file operations. */
long perf_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset);
long perf_ioctl(struct file *file, unsigned command, uint64_t argument);
int perf_mmap(struct file *file, struct vma *vma);
unsigned perf_poll(struct file *file, struct poll_table *table);

/* limits.c: adds the files of /proc/sys for perf_limits. Context: start. */
void limits_init(void);

/* File operations of events. */
extern const struct file_ops perf_file_ops;

/* PERF_EVENT_IOC_SET_BPF; api/bpf/bpf.c sets it. Context: task. */
extern int (*perf_set_program)(struct perf_event *event, int fd);
/* PERF_EVENT_IOC_QUERY_BPF; the same. */
extern int (*perf_query_programs)(struct perf_event *event, uint64_t user);

#endif
