/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a test's table has a row for each personality. */
#ifndef TESTS_HOST_NAMES_H
#define TESTS_HOST_NAMES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "emulator/visor/model/model.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/vendor.h"

/* The rows, of `bytes` each, begin with a personality's name, a former one or today's. */
static inline void names_all(const void *rows, size_t bytes, size_t count,
			     const struct vendor *vendor, const char *file, int line)
{
	const struct personality *p;

	for (unsigned i = 0; (p = personality_at(i)); i++) {
		const char *row = rows;
		size_t left = count;

		if (p->vendor != vendor || !p->version || p->efficient)
			continue;
		for (; left && personality_find(*(const char *const *)row) != p; row += bytes)
			left--;
		if (!left)
			fail_msg("%s: no row in the table of %s:%d", personality_name(p), file,
				 line);
	}
}

/* Checks the vendor's personalities that have a PMU and processors of one kind. */
#define assert_names_all(rows, vendor)                                                         \
	names_all(rows, sizeof((rows)[0]), sizeof(rows) / sizeof((rows)[0]), vendor, __FILE__, \
		  __LINE__)

#endif
