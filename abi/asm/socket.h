/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of sockets. */
#ifndef ABI_ASM_SOCKET_H
#define ABI_ASM_SOCKET_H

#define SOL_SOCKET 1

#define SO_REUSEADDR  2
#define SO_TYPE       3
#define SO_ERROR      4
#define SO_SNDBUF     7
#define SO_RCVBUF     8
#define SO_KEEPALIVE  9
#define SO_PASSCRED   16
#define SO_PEERCRED   17
#define SO_ACCEPTCONN 30
#define SO_PROTOCOL   38
#define SO_DOMAIN     39

#endif
