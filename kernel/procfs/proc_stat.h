/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of one task: files of /proc/PID. */
#ifndef KERNEL_PROC_STAT_H
#define KERNEL_PROC_STAT_H

#include <stdint.h>
#include "kernel/base/text.h"

/* As `make` of struct synthetic. Context: task. */
void proc_make_stat(struct text *out, uint64_t id);
void proc_make_statm(struct text *out, uint64_t id);
void proc_make_status(struct text *out, uint64_t id);

#endif
