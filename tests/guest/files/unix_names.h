/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of AF_UNIX with names. */
#ifndef TESTS_GUEST_UNIX_NAMES_H
#define TESTS_GUEST_UNIX_NAMES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define START offsetof(struct sockaddr_un, sun_path)

static inline bool fails(long result, int error)
{
	return result == -1 && errno == error;
}

/* The address of a path; "@x" is the abstract name x. Returns its length. */
static inline socklen_t address_of(struct sockaddr_un *address, const char *name)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address->sun_path, name, strlen(name));
	if (name[0] != '@')
		return START + strlen(name) + 1;
	address->sun_path[0] = '\0';
	return START + strlen(name);
}

#endif
