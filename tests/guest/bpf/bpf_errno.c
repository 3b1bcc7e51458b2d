/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals of bpf(2), by argument and by user. */
#define _GNU_SOURCE
#include "tests/guest/bpf/bpf_calls.h"
#include <sys/wait.h>

#define NOBODY 65534

#define REFUSED(what, ...)                                             \
	do {                                                           \
		int fd_ = PROG(BPF_PROG_TYPE_TRACEPOINT, __VA_ARGS__); \
                                                                       \
		is(fd_, -EINVAL, what);                                \
	} while (0)

static void test_refused(void)
{
	REFUSED("no end", MOVI(R0, 0));
	REFUSED("a jump beyond the end", MOVI(R0, 0), JUMPI(BPF_JEQ, R0, 0, 5), EXIT());
	REFUSED("a jump before the start", MOVI(R0, 0), JUMPI(BPF_JEQ, R0, 0, -5), EXIT());
	REFUSED("a jump into a wide constant", MOVI(R0, 0), JUMPI(BPF_JEQ, R0, 0, 1), WIDE(R1, 1),
		EXIT());
	REFUSED("half a constant", MOVI(R0, 0), EXIT(),
		INSN(BPF_LD | BPF_IMM | BPF_DW, R1, 0, 0, 0));
	REFUSED("register 11", MOVI(11, 0), EXIT());
	REFUSED("an unknown helper", MOVI(R0, 0), CALL(9999), EXIT());
	REFUSED("an unknown instruction", MOVI(R0, 0), INSN(0xff, 0, 0, 0, 0), EXIT());
	REFUSED("division by 0", MOVI(R0, 0), INSN(BPF_ALU64 | BPF_DIV | BPF_K, R0, 0, 0, 0),
		EXIT());
	REFUSED("a shift by 64", MOVI(R0, 0), INSN(BPF_ALU64 | BPF_LSH | BPF_K, R0, 0, 0, 64),
		EXIT());
	REFUSED("a sample's helper", MOVI(R0, 0), MOVI(R1, 0), CALL(BPF_FUNC_perf_prog_read_value),
		EXIT());
	is(PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), MOVI(R10, 0), EXIT()), -EACCES,
	   "the frame pointer is written: EACCES");
	is(prog_load(BPF_PROG_TYPE_TRACEPOINT, NULL, 0), -E2BIG, "no instructions: E2BIG");
	is(PROG(99, MOVI(R0, 0), EXIT()), -EINVAL, "no such type: EINVAL");
	is(PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), MAP(R1, 900), EXIT()), -EBADF,
	   "no such map: EBADF");
	is(PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), MAP(R1, 0), EXIT()), -EINVAL,
	   "a descriptor of something else: EINVAL");
	is(bpf(1000, &(union bpf_attr){0}), -EINVAL, "no such command: EINVAL");
}

static void test_nobody(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(9);
		_exit(map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0) != -EPERM ||
		      PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), EXIT()) != -EPERM);
	}
	waitpid(child, &status, 0);
	is(status, 0, "a user has neither maps nor programs: EPERM");
}

int main(void)
{
	test_refused();
	test_nobody();
	return tap_end();
}
