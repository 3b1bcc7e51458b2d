/* SPDX-License-Identifier: BSD-2-Clause */
/* Restartable sequences: rseq(2). Context of all: task, the current one. */
#ifndef KERNEL_RSEQ_H
#define KERNEL_RSEQ_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

/* Registers or unregisters a user's area: 0 or a negative errno. */
long rseq_register(uint64_t area, uint32_t bytes, uint32_t signature);
long rseq_unregister(uint64_t area, uint32_t bytes, uint32_t signature);

/* A handler is about to run on top of the frame: aborts a restartable sequence in progress. False:
 * the program's descriptor is invalid. */
bool rseq_signal(struct frame *frame);
/* Before a return to ring 3: aborts the sequence if another task ran in between, and updates the
 * processor number. False as above. */
bool rseq_return(struct frame *frame);
/* The next rseq_return() acts as if another task had run. Context: any. */
struct task;
void rseq_force(struct task *task);

#endif
