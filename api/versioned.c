/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies structs that have grown with the versions of Linux. */
#include <linux/errno.h>
#include "api/versioned.h"
#include "kernel/base/string.h"
#include "kernel/mem/user.h"

/* Checks the bytes that a newer program passes beyond the known struct: 0, -E2BIG if they are not
 * zero, or -EFAULT. */
static int check_rest(uint64_t from, uint64_t bytes)
{
	uint64_t word;

	for (uint64_t at = 0; at < bytes; at += sizeof(word)) {
		uint64_t part = bytes - at < sizeof(word) ? bytes - at : sizeof(word);

		word = 0;
		if (copy_from_user(&word, from + at, part))
			return -EFAULT;
		if (word)
			return -E2BIG;
	}
	return 0;
}

int copy_versioned(void *to, size_t ours, uint64_t from, uint64_t size)
{
	int err = size > ours ? check_rest(from + ours, size - ours) : 0;

	if (err)
		return err;
	if (size >= ours)
		return copy_from_user(to, from, ours);
	memset((char *)to + size, 0, ours - size);
	return copy_from_user(to, from, size);
}
