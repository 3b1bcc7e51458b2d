/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks on files, for fcntl(2). */
#ifndef API_LOCKS_H
#define API_LOCKS_H

#include <stdint.h>

struct file;

/* F_GETLK, F_SETLK, F_SETLKW and their F_OFD_ forms; `fd` is the file's descriptor in the call.
 * Context: task. */
long file_lock_control(struct file *file, int fd, uint64_t command, uint64_t user);

#endif
