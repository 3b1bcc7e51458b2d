/* SPDX-License-Identifier: BSD-2-Clause */
/* epoll. */
#ifndef ABI_LINUX_EVENTPOLL_H
#define ABI_LINUX_EVENTPOLL_H

#include <linux/fcntl.h>
#include <linux/types.h>

#define EPOLLIN        0x1
#define EPOLLOUT       0x4
#define EPOLLERR       0x8
#define EPOLLHUP       0x10
#define EPOLLEXCLUSIVE 0x10000000
#define EPOLLWAKEUP    0x20000000
#define EPOLLONESHOT   0x40000000
#define EPOLLET        0x80000000u

#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3
#define EPOLL_CLOEXEC 02000000

struct epoll_event {
	__poll_t events;
	__u64 data;
} __attribute__((packed));

#endif
