/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of reference counts: taking a reference to a freed object, or dropping one too many,
 * panics at once. */
#include "kernel/base/log.h"
#include "kernel/debug/replace.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"
#include "ringbuf/ring.h"

#define MOST (1u << 28) /* nothing has as many; poison has more */

static void check(const char *what, uint32_t refs)
{
	if (!refs || refs > MOST)
		panic("check: %s with %u references", what, refs);
}

void check_file_refs(const struct file *file)
{
	check("a file", file->refs);
}

/* COUNTED(type): its _get() and _put(); some of these take NULL. */
#define COUNTED(type)                                \
	REPLACE(void, type##_get, struct type *it)   \
	{                                            \
		check("a " #type, it->refs);         \
		__real_##type##_get(it);             \
	}                                            \
	REPLACE(void, type##_put, struct type *it)   \
	{                                            \
		if (it)                              \
			check("a " #type, it->refs); \
		__real_##type##_put(it);             \
	}

COUNTED(inode)
COUNTED(task)
COUNTED(mm)
