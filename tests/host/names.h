/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a test's table of what each personality has leaves none out. */
#ifndef TESTS_HOST_NAMES_H
#define TESTS_HOST_NAMES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "emulator/visor/model/core/model.h"
#include "emulator/visor/model/core/personality.h"

/* The rows, of `bytes` each, begin with a personality's name. */
static inline void names_all(const void *rows, size_t bytes, size_t count, const char *begin)
{
	for (unsigned i = 0; personality_at(i); i++) {
		const char *name = personality_name(personality_at(i)), *row = rows;
		size_t left = count;

		if (strncmp(name, begin, strlen(begin)) != 0)
			continue;
		for (; left && strcmp(*(const char *const *)row, name) != 0; row += bytes)
			left--;
		if (!left)
			fail_msg("%s is not asked about", name);
	}
}

/* Of the personalities whose names begin so. */
#define assert_names_all(rows, begin) \
	names_all(rows, sizeof((rows)[0]), sizeof(rows) / sizeof((rows)[0]), begin)

#endif
