/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors sent through a socket. */
#ifndef TESTS_GUEST_SEND_FDS_H
#define TESTS_GUEST_SEND_FDS_H

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Sends at most 8 descriptors with the byte 'f'. Returns the result of sendmsg(). */
static inline int send_fds(int socket, const int *fds, unsigned count)
{
	char control[CMSG_SPACE(8 * sizeof(int))] = "";
	struct iovec data = {"f", 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = CMSG_LEN(count * sizeof(int))};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(header), fds, count * sizeof(int));
	return (int)sendmsg(socket, &message, 0);
}

#endif
