/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's string functions that the host's library lacks. */
#include "kernel/base/string.h"

size_t strlcpy(char *to, const char *from, size_t size)
{
	size_t length = strlen(from), copied = length < size ? length : size - 1;

	memcpy(to, from, copied);
	to[copied] = 0;
	return length;
}
