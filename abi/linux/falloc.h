/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes of fallocate(). */
#ifndef ABI_LINUX_FALLOC_H
#define ABI_LINUX_FALLOC_H

#define FALLOC_FL_KEEP_SIZE      0x1
#define FALLOC_FL_PUNCH_HOLE     0x2
#define FALLOC_FL_COLLAPSE_RANGE 0x8

#endif
