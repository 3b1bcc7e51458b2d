/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls as trace events: names and arguments of each number. */
#ifndef TRACE_SYSCALLS_H
#define TRACE_SYSCALLS_H

#include <stdint.h>

#define NR_TRACED_CALLS 451

struct traced_call {
	const char *name;      /* NULL: no call has the number */
	const char *arguments; /* as C declares them, types apart from names by the last blank */
};

extern const struct traced_call traced_calls[NR_TRACED_CALLS];

#endif
