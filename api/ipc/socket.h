/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the calls on sockets. */
#ifndef API_SOCKET_H
#define API_SOCKET_H

#include <linux/fcntl.h>
#include "kernel/ipc/socket.h"
#include "kernel/ipc/socket_name.h"

#define SOCK_FLAGS (O_CLOEXEC | O_NONBLOCK)

/* Returns a descriptor's socket, and its file with a reference: 0, -EBADF, -ENOTSOCK. Context:
 * task. */
int socket_get(uint64_t fd, struct file **file, struct socket **socket);
/* Copies an address from ring 3: 0, -EINVAL, -EFAULT. Context: task. */
int address_from_user(struct socket_address *address, uint64_t user, uint32_t bytes);
/* Copies a name (NULL: `none` bytes of the family) to the user; `*bytes_user` is the room there.
 * Returns 0, -EINVAL or -EFAULT. Context: task. */
int name_to_user(const struct socket_name *name, uint32_t none, uint64_t user, uint64_t bytes_user);

#endif
