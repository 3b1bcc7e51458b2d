/* SPDX-License-Identifier: BSD-2-Clause */
/* What the calls on sockets share. */
#ifndef API_SOCKET_H
#define API_SOCKET_H

#include "kernel/ipc/socket.h"

#define AF_UNIX 1

/* The socket of a descriptor, and its file with a reference: 0, -EBADF, -ENOTSOCK. Context: task.
 */
int socket_get(uint64_t fd, struct file **file, struct socket **socket);

#endif
