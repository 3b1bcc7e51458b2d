/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of BPF, and maps, that try to leave their bounds: each ends, quickly, and the kernel
 * survives. A program that a kernel refuses to load is no danger, either. */
#include "tests/fuzz/fuzz.h"
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/tracing.h"

#define QUICKLY_NS 200000000ul /* a program may run 1,000,000 instructions */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ul + (uint64_t)now.tv_nsec;
}

/* Runs the program at one call, and says that it takes no longer than it should. */
static void run(int prog, const char *what)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_getppid"));
	int event = perf_open(&attr, 0, -1, -1, 0);
	uint64_t start;

	if (prog < 0) {
		ok(1, "%s: refused", what);
	} else {
		ioctl(event, PERF_EVENT_IOC_SET_BPF, prog);
		start = now_ns();
		syscall(SYS_getppid);
		ok(now_ns() - start < QUICKLY_NS, "%s: ends soon", what);
	}
	close(event);
}

#define FUNCTION(dst, offset) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_FUNC, 0, offset), INSN(0, 0, 0, 0, 0)
#define CALL_OWN(offset) INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, offset)
/* bpf_loop(TIMES, R2) */
#define LOOP(times) MOVI(R1, times), MOVI(R3, 0), MOVI(R4, 0), CALL(BPF_FUNC_loop)

/* A function that begins in the middle of a constant could reach code that is otherwise
 * unreachable; at a program's end, the memory after it. */
static void test_half_instruction(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, FUNCTION(R2, 8), ADDI(R2, 1), LOOP(1),
			MOVI(R0, 0), EXIT(),
			/* the function, 10 */
			WIDE(R5, 1), EXIT(), STOREI(BPF_W, R10, -4, 0), MAP(R1, map), MOV(R2, R10),
			ADDI(R2, -4), CALL(BPF_FUNC_map_lookup_elem), JUMPI(BPF_JEQ, R0, 0, 1),
			STOREI(BPF_DW, R0, 0, 3), MOVI(R0, 0), EXIT());

	run(prog, "a function in the middle of a constant");
	is((long)map_value(map, 0), 0, "does not run");
	close(prog);
	close(map);
}

/* A program of samples asks for the sample's event, where there is none. */
static void test_other_type(void)
{
	int jumps = (int)map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0);
	int sampled = PROG(BPF_PROG_TYPE_PERF_EVENT, MOV(R2, R10), ADDI(R2, -24), MOVI(R3, 24),
			   CALL(BPF_FUNC_perf_prog_read_value), MOVI(R0, 0), EXIT());
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R2, jumps), MOVI(R3, 0),
			CALL(BPF_FUNC_tail_call), MOVI(R0, 0), EXIT());
	uint32_t key = 0;

	map_command(BPF_MAP_UPDATE_ELEM, jumps, &key, &sampled, BPF_ANY);
	run(prog, "a tail call to a program for samples");
	close(sampled);
	close(prog);
	close(jumps);
}

/* Where no further function can be entered each turn of a loop is one that does nothing. */
static void test_deep_loop(void)
{
	int prog =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, CALL_OWN(1), EXIT(), CALL_OWN(1), EXIT(), CALL_OWN(1),
		 EXIT(), CALL_OWN(1), EXIT(), CALL_OWN(1), EXIT(), CALL_OWN(1), EXIT(), CALL_OWN(1),
		 EXIT(), FUNCTION(R2, 6), LOOP(1 << 23), EXIT(), MOVI(R0, 0), MOVI(R0, 0), EXIT());

	run(prog, "8 million turns without room for a function");
	close(prog);
}

/* Helpers that move megabytes each time. */
static void test_large_helpers(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 4 << 20, 1, 0);
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, FUNCTION(R2, 6), LOOP(4000), MOVI(R0, 0), EXIT(),
			/* the function, 8 */
			STOREI(BPF_W, R10, -4, 0), MAP(R1, map), MOV(R2, R10), ADDI(R2, -4),
			CALL(BPF_FUNC_map_lookup_elem), JUMPI(BPF_JEQ, R0, 0, 3), MOV(R1, R0),
			MOVI(R2, 4 << 20), CALL(BPF_FUNC_get_current_comm), MOVI(R0, 0), EXIT());

	run(prog, "4,000 times 4 MiB");
	close(prog);
	close(map);
}

static uint32_t newest_program(void)
{
	union bpf_attr attr;
	uint32_t id = 0;

	do {
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr))
			return id;
		id = attr.next_id;
	} while (1);
}

/* A program that may call itself by an array does not hold itself. */
static void test_circle(void)
{
	uint32_t before = newest_program(), key = 0;
	int jumps = (int)map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0);
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R2, jumps), MOVI(R3, 0),
			CALL(BPF_FUNC_tail_call), MOVI(R0, 0), EXIT());

	is(map_command(BPF_MAP_UPDATE_ELEM, jumps, &key, &prog, BPF_ANY), 0,
	   "a program in an array that it has");
	run(prog, "it calls itself");
	close(prog);
	close(jumps);
	for (unsigned i = 0; i < 100 && newest_program() != before; i++)
		usleep(10000); /* others free it later */
	is(newest_program(), before, "goes with the last descriptor");
}

/* Sends R6 to the first value of the map. */
#define TELL_R6(map)                                                                        \
	STORE(BPF_DW, R10, -16, R6), STOREI(BPF_W, R10, -4, 0), MAP(R1, map), MOV(R2, R10), \
	    ADDI(R2, -4), MOV(R3, R10), ADDI(R3, -16), MOVI(R4, 0),                         \
	    CALL(BPF_FUNC_map_update_elem), MOVI(R0, 0), EXIT()
#define JUMP(offset)  INSN(BPF_JMP | BPF_JA, 0, 0, offset, 0)
#define ADD(dst, src) INSN(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)

/* Registers that a program has not written reveal nothing of an earlier program. */
static void test_unwritten(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	int before =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R2, 7), MOVI(R3, 7), MOVI(R4, 7), MOVI(R5, 7),
		 MOVI(R6, 7), MOVI(R7, 7), MOVI(R8, 7), MOVI(R9, 7), MOVI(R0, 7), EXIT());
	int readers[] = {
	    PROG(BPF_PROG_TYPE_TRACEPOINT, ADD(R6, R0), ADD(R6, R2), ADD(R6, R3), ADD(R6, R4),
		 ADD(R6, R5), ADD(R6, R7), ADD(R6, R8), ADD(R6, R9), TELL_R6(map)),
	    PROG(BPF_PROG_TYPE_TRACEPOINT, TELL_R6(map)),
	    /* after a jump back */
	    PROG(BPF_PROG_TYPE_TRACEPOINT, JUMP(2), MOV(R6, R7), JUMP(2), MOVI(R6, 0), JUMP(-4),
		 TELL_R6(map)),
	    /* where a jump may lead */
	    PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 1), JUMPI(BPF_JEQ, R0, 1, 1), MOVI(R8, 0),
		 MOV(R6, R8), TELL_R6(map)),
	    /* in a function */
	    PROG(BPF_PROG_TYPE_TRACEPOINT, CALL_OWN(2), MOVI(R0, 0), EXIT(), TELL_R6(map)),
	};
	uint64_t none = 0;
	uint32_t key = 0;

	for (unsigned i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		map_command(BPF_MAP_UPDATE_ELEM, map, &key, &none, BPF_ANY);
		run(before, "registers are written");
		run(readers[i], "and read");
		is((long)map_value(map, 0), 0, "nothing is there");
		close(readers[i]);
	}
	close(before);
	close(map);
}

int main(void)
{
	if (!id_of("syscalls/sys_enter_getppid"))
		return tap_skip_all("no tracefs");
	is(map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 64, 0x80000001, 0), -E2BIG,
	   "more stacks than numbers: E2BIG");
	test_half_instruction();
	test_other_type();
	test_deep_loop();
	test_large_helpers();
	test_circle();
	test_unwritten();
	return tap_end();
}
