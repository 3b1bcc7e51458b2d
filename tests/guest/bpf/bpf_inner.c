/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps in maps; and a function of the program's for each element of a map. */
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/bpf/bpf_functions.h"
#include "tests/guest/trace/tracing.h"

static long of_maps(uint32_t type, uint32_t key, uint32_t value, uint32_t flags, int inner)
{
	return map_create_of(type, key, value, 4, flags, inner);
}

static uint32_t id_of_map(int fd)
{
	struct bpf_map_info info = {0};

	object_info(fd, &info, sizeof(info));
	return info.id;
}

/* Adds 1 to element 0 of the map after the outer map's key 1. */
static void count_in(int outer)
{
	run_once(PROG(BPF_PROG_TYPE_TRACEPOINT, STOREI(BPF_W, R10, -4, 1), MOV(R2, R10),
		      ADDI(R2, -4), MAP(R1, outer), CALL(BPF_FUNC_map_lookup_elem),
		      JUMPI(BPF_JEQ, R0, 0, 8), STOREI(BPF_W, R10, -4, 0), MOV(R1, R0),
		      MOV(R2, R10), ADDI(R2, -4), CALL(BPF_FUNC_map_lookup_elem),
		      JUMPI(BPF_JEQ, R0, 0, 2), MOVI(R1, 1), ADD_ATOMIC(R0, 0, R1), MOVI(R0, 0),
		      EXIT()));
}

static void test_inner(uint32_t type, const char *name)
{
	int model = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0), fd,
	    other = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0),
	    larger = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0);
	uint32_t key = 1, id = 0, next = 77;

	fd = (int)of_maps(type, 4, 4, 0, model);
	ok(fd >= 0, "%s is made", name);
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &id, 0), -ENOENT,
	   "a new map of maps is empty");
	count_in(fd);
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &other, BPF_ANY), 0, "a map goes in");
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &id, 0), 0, "an inner map is looked up");
	is(id, id_of_map(other), "an inner map's value is its number");
	count_in(fd);
	count_in(fd);
	is((long)map_value(other, 0), 2, "a program finds it, and what is in it");
	is((long)map_value(model, 0), 0, "not in the one that it is like");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &larger, BPF_ANY), -EINVAL,
	   "an inner map of another size: EINVAL");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &fd, BPF_ANY), -EINVAL, "itself: EINVAL");
	id = 1000;
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &id, BPF_ANY), -EBADF,
	   "an inner map that is no descriptor: EBADF");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &model, BPF_ANY), 0, "another in its place");
	close(model);
	count_in(fd);
	is((long)map_value(other, 0), 2, "is what programs find");
	is(map_command(BPF_MAP_GET_NEXT_KEY, fd, NULL, &next, 0), 0, "keys are told");
	is(next, type == BPF_MAP_TYPE_HASH_OF_MAPS, "those that there are");
	is(map_command(BPF_MAP_DELETE_ELEM, fd, &key, NULL, 0), 0, "an inner map is deleted");
	is(map_command(BPF_MAP_DELETE_ELEM, fd, &key, NULL, 0), -ENOENT, "once");
	key = 4;
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &other, BPF_ANY),
	   type == BPF_MAP_TYPE_HASH_OF_MAPS ? 0 : -E2BIG, "key 4");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &other, BPF_NOEXIST),
	   type == BPF_MAP_TYPE_HASH_OF_MAPS ? -EEXIST : -EINVAL, "BPF_NOEXIST");
	close(fd);
	close(other);
	close(larger);
}

static void test_errors(void)
{
	int array = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0),
	    any = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, BPF_F_INNER_MAP),
	    programs = (int)map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2, 0),
	    more = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 9, BPF_F_INNER_MAP),
	    maps = (int)of_maps(BPF_MAP_TYPE_HASH_OF_MAPS, 8, 4, 0, any);
	uint64_t key = 5;

	is(of_maps(BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 8, 0, array), -EINVAL, "a value of 8: EINVAL");
	is(of_maps(BPF_MAP_TYPE_HASH_OF_MAPS, 4, 8, 0, array), -EINVAL,
	   "a hash of maps with values of 8 bytes: EINVAL");
	is(of_maps(BPF_MAP_TYPE_ARRAY_OF_MAPS, 8, 4, 0, array), -EINVAL, "a key of 8: EINVAL");
	is(of_maps(BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, BPF_F_RDONLY_PROG, array), -EINVAL,
	   "BPF_F_RDONLY_PROG: EINVAL");
	is(of_maps(BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 0, 1000), -EBADF,
	   "an array of maps without an inner map: EBADF");
	is(of_maps(BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 0, 1), -EINVAL,
	   "an array of maps like a file: EINVAL");
	is(of_maps(BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 0, maps), -EINVAL,
	   "maps of maps of maps: EINVAL");
	is(of_maps(BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 0, programs), -524,
	   "maps of program arrays: ENOTSUPP");
	is(map_command(BPF_MAP_UPDATE_ELEM, maps, &key, &more, BPF_ANY), 0,
	   "BPF_F_INNER_MAP: of any size");
	is(map_command(BPF_MAP_UPDATE_ELEM, maps, &key, &array, BPF_ANY), -EINVAL,
	   "a map without BPF_F_INNER_MAP of another size: EINVAL");
	close(array);
	close(any);
	close(programs);
	close(more);
	close(maps);
}

/* ---- each element ---- */

/* The program's record of its calls: 24 bytes of sums[0]. */
struct sums {
	uint64_t visited, values, keys;
};

/* Sums keys and values of the map, until a key is `last`. */
static struct sums sum_of(int map, int32_t last, int32_t flags)
{
	int array = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct sums), 1, 0);
	const struct bpf_insn insns[] = {
	    STOREI(BPF_DW, R10, -8, 0),
	    STOREI(BPF_DW, R10, -16, 0),
	    MAP(R1, map),
	    INSN(BPF_LD | BPF_IMM | BPF_DW, R2, BPF_PSEUDO_FUNC, 0, 17),
	    INSN(0, 0, 0, 0, 0),
	    MOV(R3, R10),
	    ADDI(R3, -16),
	    MOVI(R4, flags),
	    CALL(BPF_FUNC_for_each_map_elem),
	    STORE(BPF_DW, R10, -24, R0),
	    STOREI(BPF_W, R10, -28, 0),
	    MAP(R1, array),
	    MOV(R2, R10),
	    ADDI(R2, -28),
	    MOV(R3, R10),
	    ADDI(R3, -24),
	    MOVI(R4, 0),
	    CALL(BPF_FUNC_map_update_elem),
	    MOVI(R0, 0),
	    EXIT(),
	    /* 22: of the map, the key, the value, the sums */
	    LOAD(BPF_W, R5, R2, 0),
	    LOAD(BPF_DW, R1, R4, 8),
	    INSN(BPF_ALU64 | BPF_ADD | BPF_X, R1, R5, 0, 0),
	    STORE(BPF_DW, R4, 8, R1),
	    LOAD(BPF_DW, R3, R3, 0),
	    LOAD(BPF_DW, R1, R4, 0),
	    INSN(BPF_ALU64 | BPF_ADD | BPF_X, R1, R3, 0, 0),
	    STORE(BPF_DW, R4, 0, R1),
	    MOVI(R0, 0),
	    JUMPI(BPF_JNE, R5, last, 1),
	    MOVI(R0, 1),
	    EXIT(),
	};
	struct sums sums = {0};
	uint32_t key = 0;

	run_once(prog_load_two(insns, sizeof(insns) / sizeof(insns[0]), 22));
	map_command(BPF_MAP_LOOKUP_ELEM, array, &key, &sums, 0);
	close(array);
	return sums;
}

static void fill(int map, uint32_t from, uint32_t to)
{
	for (uint32_t key = from; key < to; key++) {
		uint64_t value = 100 * key;

		map_command(BPF_MAP_UPDATE_ELEM, map, &key, &value, BPF_ANY);
	}
}

static void test_each(void)
{
	int array = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 5, 0),
	    hash = (int)map_create(BPF_MAP_TYPE_HASH, 4, 8, 16, 0);
	struct sums sums;

	fill(array, 0, 5);
	sums = sum_of(array, -1, 0);
	is((long)sums.visited, 5, "for_each_map_elem: all elements of an array");
	is((long)sums.keys, 10, "for_each_map_elem of an array: keys");
	is((long)sums.values, 1000, "for_each_map_elem of an array: values");
	sums = sum_of(array, 2, 0);
	is((long)sums.visited, 3, "for_each_map_elem ends when the function says so");
	is((long)sums.values, 300, "for_each_map_elem does not call the function again");
	fill(hash, 20, 24);
	sums = sum_of(hash, -1, 0);
	is((long)sums.visited, 4, "those that a hash has");
	is((long)sums.keys, 86, "for_each_map_elem of a hash: keys");
	is((long)sums.values, 8600, "for_each_map_elem of a hash: values");
	sums = sum_of(hash, -1, 1);
	is((int32_t)sums.visited, -EINVAL, "a flag: EINVAL");
	close(array);
	close(hash);
}

int main(void)
{
	mount_tracefs();
	test_inner(BPF_MAP_TYPE_ARRAY_OF_MAPS, "an array of maps");
	test_inner(BPF_MAP_TYPE_HASH_OF_MAPS, "a hash of maps");
	test_errors();
	test_each();
	return tap_end();
}
