/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls whose arguments can be known before a program runs, and such as look so and are not: what
 * was decided for one way to a call must not hold for another. */
#define _GNU_SOURCE
#include "tests/guest/bpf/helpers.h"
#include "tests/guest/bpf/bpf_functions.h"

#define LOOKUP_VALUE() \
	CALL(BPF_FUNC_map_lookup_elem), JUMPI(BPF_JEQ, R0, 0, 1), LOAD(BPF_DW, R0, R0, 0)

/* Key 1 leads to 11, 2 to 22. */
static int numbers(uint32_t type)
{
	int map = (int)map_create(type, 4, 8, 4, 0);

	for (uint32_t key = 1; key <= 2; key++)
		map_command(BPF_MAP_UPDATE_ELEM, map, &key, &(uint64_t){11 * key}, BPF_ANY);
	return map;
}

/* The key is at one of two addresses, which only the call shows: R2 is moved on, or not. */
static long by_branch(int map, int moves)
{
	return RESULT(STOREI(BPF_W, R10, -8, 1), STOREI(BPF_W, R10, -4, 2), MAP(R1, map),
		      CALL(BPF_FUNC_ktime_get_ns), MAP(R1, map), AT(R2, -8), MOVI(R3, moves),
		      JUMPI(BPF_JEQ, R3, 0, 1), ADDI(R2, 4), LOOKUP_VALUE());
}

/* One of two maps. */
static long by_map(int first, int second, int which)
{
	return RESULT(STOREI(BPF_W, R10, -4, 1), AT(R2, -4), MAP(R1, first), MOVI(R3, which),
		      JUMPI(BPF_JEQ, R3, 0, 2), MAP(R1, second), LOOKUP_VALUE());
}

/* The key is chosen before what sets the map, to which the jump leads. */
static long by_begin(int map, int which)
{
	return RESULT(STOREI(BPF_W, R10, -8, 1), STOREI(BPF_W, R10, -4, 2), AT(R2, -8),
		      MOVI(R3, which), JUMPI(BPF_JEQ, R3, 0, 2), AT(R2, -4), MAP(R1, map),
		      LOOKUP_VALUE());
}

/* All arguments are set where two ways meet. */
static long by_meeting(int map, int32_t adds)
{
	return RESULT(STOREI(BPF_W, R10, -4, 1), MOVI(R3, adds), JUMPI(BPF_JEQ, R3, 0, 1),
		      STOREI(BPF_W, R10, -4, 2), MAP(R1, map), AT(R2, -4), LOOKUP_VALUE());
}

/* An argument's register is computed from another's, with a value in between. */
static long by_others(int map)
{
	return RESULT(STOREI(BPF_W, R10, -4, 2), AT(R3, -4), MOV(R2, R3), MAP(R1, map), ADDI(R3, 4),
		      STOREI(BPF_DW, R10, -16, 5), MAP(R4, map), LOOKUP_VALUE());
}

/* Again and again, each time with the next key: the sum. */
static long by_loop(int map)
{
	return RESULT(MOVI(R6, 0), MOVI(R7, 0), ADDI(R7, 1), STORE(BPF_W, R10, -4, R7),
		      MAP(R1, map), AT(R2, -4), LOOKUP_VALUE(),
		      INSN(BPF_ALU64 | BPF_ADD | BPF_X, R6, R0, 0, 0), JUMPI(BPF_JNE, R7, 2, -11),
		      MOV(R0, R6));
}

static void test_ways(uint32_t type, const char *name)
{
	int map = numbers(type), other = (int)map_create(type, 4, 8, 4, 0);
	uint32_t key = 1;

	map_command(BPF_MAP_UPDATE_ELEM, other, &key, &(uint64_t){77}, BPF_ANY);
	is_of(name, by_branch(map, 0), 11, "a place that a jump leaves as it is");
	is_of(name, by_branch(map, 1), 22, "and one that moves on before the call");
	is_of(name, by_begin(map, 0), 11,
	      "a place set before the way that jumps to the map's name");
	is_of(name, by_begin(map, 1), 22, "and on the way past it");
	is_of(name, by_meeting(map, 0), 11, "arguments that are set where two ways meet");
	is_of(name, by_meeting(map, 1), 22, "on the other of them");
	is_of(name, by_others(map), 22, "made of each other");
	is_of(name, by_loop(map), 33, "in a loop");
	is_of(name, by_map(map, other, 0), 11, "the map that was named first");
	is_of(name, by_map(map, other, 1), 77, "another that was named after it");
	is_of(name, RESULT(STOREI(BPF_W, R10, -512, 2), MAP(R1, map), AT(R2, -512), LOOKUP_VALUE()),
	      22, "a key at the stack's end");
	is_of(name,
	      RESULT(STOREI(BPF_W, R10, -4, 2), MAP(R7, map), AT(R8, -4),
		     CALL(BPF_FUNC_ktime_get_ns), MOV(R1, R7), MOV(R2, R8), LOOKUP_VALUE()),
	      22, "map and place kept over a call");
	close(map);
	close(other);
}

/* Memory outside the program's, or not a map's: refused, or without effect. */
static void test_beyond(void)
{
	int map = numbers(BPF_MAP_TYPE_ARRAY);

	is(RESULT(STOREI(BPF_DW, R10, -8, 1), MAP(R1, map), AT(R2, -2), LOOKUP_VALUE()), NOTHING,
	   "a key that ends beyond the stack");
	is(RESULT(STOREI(BPF_DW, R10, -8, 1), MAP(R1, map), AT(R2, -516), LOOKUP_VALUE()), NOTHING,
	   "a key that begins before the stack");
	is(RESULT(STOREI(BPF_DW, R10, -8, 1), MAP(R1, map), AT(R2, -8), MOV(R3, R10), MOVI(R4, 0),
		  CALL(BPF_FUNC_map_update_elem)),
	   NOTHING, "a value beyond it");
	is(RESULT(STOREI(BPF_DW, R10, -8, 1), MAP(R1, map), ADDI(R1, 1), AT(R2, -8),
		  LOOKUP_VALUE()),
	   NOTHING, "a map's name that was reckoned with");
	close(map);
}

/* A function's own stack, while its caller's has another key at the same place. */
static void test_function(void)
{
	int map = numbers(BPF_MAP_TYPE_ARRAY);
	const struct bpf_insn insns[] = {/* 0: */ STOREI(BPF_W, R10, -4, 1),
					 INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 13),
					 MOV(R6, R0),
					 KEEP_R6(told, 0),
					 MOVI(R0, 0),
					 EXIT(),
					 /* 15: */ STOREI(BPF_W, R10, -4, 2),
					 MAP(R1, map),
					 AT(R2, -4),
					 LOOKUP_VALUE(),
					 EXIT()};

	tell_anew();
	is(result_of((int)prog_load_two(insns, sizeof(insns) / sizeof(insns[0]), 15)), 22,
	   "the key of the function that calls");
	close(map);
}

/* A place in a function that the program reckoned is none that a helper may call. */
static void test_reckoned(void)
{
	const struct bpf_insn insns[] = {
	    MOVI(R1, 1),
	    INSN(BPF_LD | BPF_IMM | BPF_DW, R2, BPF_PSEUDO_FUNC, 0, 18),
	    INSN(0, 0, 0, 0, 0),
	    ADDI(R2, 1),
	    MOVI(R3, 0),
	    MOVI(R4, 0),
	    CALL(BPF_FUNC_loop),
	    KEEP(told, 0),
	    MOVI(R0, 0),
	    EXIT(),
	    /* 20: */ MOVI(R0, 0),
	    MOVI(R0, 0),
	    EXIT()};

	tell_anew();
	is(result_of(prog_load(BPF_PROG_TYPE_TRACEPOINT, insns, sizeof(insns) / sizeof(insns[0]))),
	   NOTHING, "a function's pointer that was reckoned with");
}

int main(void)
{
	tell_anew();
	mount_tracefs();
	test_ways(BPF_MAP_TYPE_ARRAY, "ARRAY");
	test_ways(BPF_MAP_TYPE_HASH, "HASH");
	test_beyond();
	test_function();
	test_reckoned();
	return tap_end();
}
