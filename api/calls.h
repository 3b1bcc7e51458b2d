/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls: one prototype each; arguments are raw registers, results a value or a negative errno. */
#ifndef API_CALLS_H
#define API_CALLS_H

#include <stdint.h>

/* Context of all: task, interrupts enabled. */
long sys_perf_event_open(uint64_t attr, uint64_t pid, uint64_t cpu, uint64_t group_fd, uint64_t flags);

#endif
