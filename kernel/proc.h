/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of /proc. */
#ifndef KERNEL_PROC_H
#define KERNEL_PROC_H

#include <stdint.h>

struct inode;

/* Adds /proc/interrupts. Context: start. */
void proc_interrupts_init(void);

/* Adds /proc/PID and /proc/self. Context: start. */
void proc_tasks_init(void);

/* A new folder /proc/PID/fd with one reference, or NULL. Context: task. */
struct inode *proc_fd_folder(uint64_t pid);

#endif
