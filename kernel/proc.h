/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of /proc. */
#ifndef KERNEL_PROC_H
#define KERNEL_PROC_H

/* Adds /proc/PID and /proc/self. Context: start. */
void proc_tasks_init(void);

#endif
