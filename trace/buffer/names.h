/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the tasks in records of tracefs's buffers. */
#ifndef TRACE_BUFFER_NAMES_H
#define TRACE_BUFFER_NAMES_H

#include <stdint.h>

struct task;
struct text;

/* Allocates the memory, once: 0 or -ENOMEM. Context: task. */
int names_prepare(void);
/* Stores the task's name. After names_prepare(). Context: interrupts masked. */
void names_save(const struct task *task);
/* Returns the name, if known, of the task in a processor's record; `comm` has 16 bytes. Context:
 * task. */
void names_find(uint32_t cpu, int32_t pid, char *comm);
/* The file saved_cmdlines; `id` is unused. Context: task. */
void names_show(struct text *out, uint64_t id);

#endif
