/* SPDX-License-Identifier: BSD-2-Clause */
/* What the calls on sockets share. */
#ifndef API_SOCKET_H
#define API_SOCKET_H

#include <linux/fcntl.h>
#include "kernel/ipc/socket.h"

#define SOCK_FLAGS (O_CLOEXEC | O_NONBLOCK)

/* The socket of a descriptor, and its file with a reference: 0, -EBADF, -ENOTSOCK. Context: task.
 */
int socket_get(uint64_t fd, struct file **file, struct socket **socket);

#endif
