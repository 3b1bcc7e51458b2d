/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of poll(). */
#ifndef ABI_ASM_POLL_H
#define ABI_ASM_POLL_H

#define POLLIN     0x1
#define POLLPRI    0x2
#define POLLOUT    0x4
#define POLLERR    0x8
#define POLLHUP    0x10
#define POLLNVAL   0x20
#define POLLRDNORM 0x40
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200
#define POLLRDHUP  0x2000

struct pollfd {
	int fd;
	short events, revents;
};

#endif
