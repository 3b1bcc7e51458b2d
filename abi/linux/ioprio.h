/* SPDX-License-Identifier: BSD-2-Clause */
/* Priorities of input and output. */
#ifndef ABI_LINUX_IOPRIO_H
#define ABI_LINUX_IOPRIO_H

#define IOPRIO_CLASS_SHIFT 13
#define IOPRIO_CLASS_MASK  0x07
#define IOPRIO_NR_LEVELS   8

enum { IOPRIO_CLASS_NONE, IOPRIO_CLASS_RT, IOPRIO_CLASS_BE, IOPRIO_CLASS_IDLE };

enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_WHO_PGRP, IOPRIO_WHO_USER };

#define IOPRIO_PRIO_CLASS(priority) ((priority) >> IOPRIO_CLASS_SHIFT & IOPRIO_CLASS_MASK)

#endif
