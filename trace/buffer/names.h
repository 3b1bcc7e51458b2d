/* SPDX-License-Identifier: BSD-2-Clause */
/* What tasks were called that records of tracefs's buffers are of. */
#ifndef TRACE_BUFFER_NAMES_H
#define TRACE_BUFFER_NAMES_H

#include <stdint.h>

struct task;
struct text;

/* Makes the memory, once: 0 or -ENOMEM. Context: task. */
int names_prepare(void);
/* Keeps the task's name. After names_prepare(). Context: interrupts masked. */
void names_save(const struct task *task);
/* The name, as far as it is known, of a task that a record of the processor's is of; `comm` has 16
 * bytes. Context: task. */
void names_find(uint32_t cpu, int32_t pid, char *comm);
/* The file saved_cmdlines; `id` is nothing. Context: task. */
void names_show(struct text *out, uint64_t id);

#endif
