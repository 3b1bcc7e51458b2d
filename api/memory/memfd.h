/* SPDX-License-Identifier: BSD-2-Clause */
/* Seals of files, for fcntl(2). */
#ifndef API_MEMFD_H
#define API_MEMFD_H

#include <stdbool.h>
#include <stdint.h>

struct file;

/* F_ADD_SEALS and F_GET_SEALS: the seals, 0, -EINVAL, -EPERM or -EBUSY. Context: task. */
long file_seals(struct file *file, bool add, uint64_t seals);

#endif
