/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits a stream of the machine's into lines. */
#ifndef HOST_MACHINE_LINES_H
#define HOST_MACHINE_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct lines {
	char line[1024];
	size_t have;
	char last[1024];  /* the last whole line that was not empty */
	char visor[1024]; /* the last one that the visor said */
	bool show;        /* on stderr, as it comes */
	bool from_kernel; /* show only from the kernel's first line on: firmware talks before it */
};

/* Takes bytes of the stream and keeps printable text: firmware sends terminal escapes on the
 * console. */
void lines_feed(struct lines *lines, const unsigned char *bytes, size_t size);

#endif
