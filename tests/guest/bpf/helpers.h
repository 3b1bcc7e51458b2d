/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of BPF that call helpers one after the other, with good and bad arguments: the call's
 * result, and its changes of memory. */
#ifndef TESTS_GUEST_HELPERS_H
#define TESTS_GUEST_HELPERS_H

#include "tests/guest/bpf/bpf_calls.h"

#define NOTHING (-7777) /* the program did not come to its end, or was refused */

static int told; /* an array: what the last program kept */

static inline void is_of(const char *what, long got, long wanted, const char *name)
{
	char text[160];

	snprintf(text, sizeof(text), "%s: %s", what, name);
	is(got, wanted, text);
}

/* A register that leads to the program's stack. */
#define AT(dst, offset) MOV(dst, R10), ADDI(dst, offset)

static inline void tell_anew(void)
{
	const int64_t nothing = NOTHING;

	if (!told)
		told = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0);
	for (uint32_t i = 0; i < 4; i++)
		map_command(BPF_MAP_UPDATE_ELEM, told, &i, &nothing, BPF_ANY);
}

/* Runs it at a call of this process's, if it was loaded: what it kept in element 0. */
static inline long result_of(int prog)
{
	struct perf_event_attr attr = attr_of("syscalls/sys_enter_getppid");
	int event = perf_open(&attr, 0, -1, -1, 0);

	if (prog >= 0 &&
	    (ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0)))
		return -errno;
	syscall(SYS_getppid);
	close(event);
	close(prog);
	return (long)map_value(told, 0);
}

/* R0 after the instructions. */
#define RESULT(...)                                                                               \
	({                                                                                        \
		tell_anew();                                                                      \
		result_of(PROG(BPF_PROG_TYPE_TRACEPOINT, __VA_ARGS__, KEEP(told, 0), MOVI(R0, 0), \
			       EXIT()));                                                          \
	})

/* As RESULT(), and stores eight bytes of its stack: `map_value(told, 1)`. */
#define RESULT_AND(offset, ...)                                                              \
	({                                                                                   \
		tell_anew();                                                                 \
		result_of(PROG(BPF_PROG_TYPE_TRACEPOINT, __VA_ARGS__, KEEP(told, 0),         \
			       LOAD(BPF_DW, R6, R10, offset), KEEP_R6(told, 1), MOVI(R0, 0), \
			       EXIT()));                                                     \
	})

#endif
