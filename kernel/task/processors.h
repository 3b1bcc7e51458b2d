/* SPDX-License-Identifier: BSD-2-Clause */
/* The secondary processors. */
#ifndef KERNEL_PROCESSORS_H
#define KERNEL_PROCESSORS_H

/* Starts the processors that ACPI lists: afterwards they idle, and nr_cpus is final. Processors
 * that do not answer are left out. Context: start, once, after sched_init(). */
void processors_init(void);

#endif
