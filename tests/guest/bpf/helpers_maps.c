/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps and ring buffers by helpers: each function with each flag, present and missing elements,
 * excessive sizes. */
#define _GNU_SOURCE
#include "tests/guest/bpf/helpers.h"

#define KEY(map, key) STOREI(BPF_W, R10, -4, key), MAP(R1, map), AT(R2, -4)

static const struct kind {
	uint32_t type;
	const char *name;
	bool is_array, evicts, per_cpu;
} kinds[] = {
    {BPF_MAP_TYPE_HASH, "HASH", false, false, false},
    {BPF_MAP_TYPE_ARRAY, "ARRAY", true, false, false},
    {BPF_MAP_TYPE_PERCPU_HASH, "PERCPU_HASH", false, false, true},
    {BPF_MAP_TYPE_PERCPU_ARRAY, "PERCPU_ARRAY", true, false, true},
    {BPF_MAP_TYPE_LRU_HASH, "LRU_HASH", false, true, false},
    {BPF_MAP_TYPE_LRU_PERCPU_HASH, "LRU_PERCPU_HASH", false, true, true},
};

/* Makes a map of two elements, with `value` under key 1. */
static int map_of(const struct kind *kind, uint64_t value)
{
	static uint64_t values[64];
	int map = (int)map_create(kind->type, 4, 8, 2, 0);
	uint32_t key = 1;

	for (unsigned i = 0; i < 64; i++)
		values[i] = value;
	map_command(BPF_MAP_UPDATE_ELEM, map, &key, values, BPF_ANY);
	return map;
}

/* An int, as Linux 6.1 has it: the upper half of R0 is nothing. */
static int update(int map, int32_t key, int32_t flags)
{
	return RESULT(STOREI(BPF_DW, R10, -16, 33), KEY(map, key), AT(R3, -16), MOVI(R4, flags),
		      CALL(BPF_FUNC_map_update_elem));
}

/* The value, or what the program kept in its place. */
static long lookup(int map, int32_t key)
{
	return RESULT(KEY(map, key), CALL(BPF_FUNC_map_lookup_elem), JUMPI(BPF_JEQ, R0, 0, 1),
		      LOAD(BPF_DW, R0, R0, 0));
}

static int take_out(int map, int32_t key)
{
	return RESULT(KEY(map, key), CALL(BPF_FUNC_map_delete_elem));
}

static void test_updates(const struct kind *kind)
{
	int map = map_of(kind, 11);

	is_of(kind->name, update(map, 1, BPF_NOEXIST), -EEXIST, "BPF_NOEXIST of what is there");
	is(lookup(map, 1), 11, "BPF_NOEXIST of a present key keeps its value");
	is(update(map, 1, BPF_EXIST), 0, "BPF_EXIST");
	is(lookup(map, 1), 33, "changes it");
	is(update(map, 1, BPF_EXIST | BPF_NOEXIST), -EINVAL, "both: EINVAL");
	is(update(map, 1, BPF_F_LOCK), -EINVAL, "BPF_F_LOCK, without a lock: EINVAL");
	is(update(map, 1, 8), -EINVAL, "an unknown flag: EINVAL");
	is(update(map, 0, BPF_EXIST), kind->is_array ? 0 : -ENOENT, "BPF_EXIST of key 0");
	is(update(map, 0, BPF_NOEXIST), kind->is_array ? -EEXIST : 0, "BPF_NOEXIST of key 0");
	is(lookup(map, 0), 33, "a new element is there");
	is(update(map, 2, BPF_ANY), kind->is_array || !kind->evicts ? -E2BIG : 0,
	   "an element beyond the map's size");
	is(update(map, 2, 8), -EINVAL, "an unknown flag is refused before the size");
	close(map);
}

static void test_lookups(const struct kind *kind)
{
	int map = map_of(kind, 11);

	is_of(kind->name, lookup(map, 1), 11, "lookup of what is there");
	is(lookup(map, 2), 0, "map_lookup_elem of a missing key: NULL");
	is(lookup(map, -1), 0, "map_lookup_elem of the key -1: NULL");
	is(take_out(map, 1), kind->is_array ? -EINVAL : 0, "delete");
	is(take_out(map, 1), kind->is_array ? -EINVAL : -ENOENT,
	   "map_delete_elem of a deleted key");
	is(lookup(map, 1), kind->is_array ? 11 : 0, "map_lookup_elem after a deletion");
	close(map);
}

/* Whether there is one of processor 0 and of one that is not. */
static void test_percpu(const struct kind *kind)
{
	int map = map_of(kind, 11);

#define ON(cpu)                                                                   \
	RESULT(KEY(map, 1), MOVI(R3, cpu), CALL(BPF_FUNC_map_lookup_percpu_elem), \
	       JUMPI(BPF_JEQ, R0, 0, 1), LOAD(BPF_DW, R0, R0, 0))
	if (!kind->per_cpu) {
		is_of(kind->name, ON(0), NOTHING, "map_lookup_percpu_elem is not for it");
	} else {
		is_of(kind->name, ON(0), 11, "map_lookup_percpu_elem");
		is(ON(-1), 0, "map_lookup_percpu_elem of processor -1: NULL");
	}
#undef ON
	close(map);
}

/* Maps whose elements are no memory. */
static void test_others(void)
{
	static const struct {
		uint32_t type, value, entries;
		const char *name;
	} others[] = {
	    {BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 2, "PERF_EVENT_ARRAY"},
	    {BPF_MAP_TYPE_PROG_ARRAY, 4, 2, "PROG_ARRAY"},
	    {BPF_MAP_TYPE_STACK_TRACE, 64, 2, "STACK_TRACE"},
	};

	for (unsigned i = 0; i < 3; i++) {
		int map = (int)map_create(others[i].type, 4, others[i].value, 2, 0);

		is_of(others[i].name, lookup(map, 0), NOTHING, "no lookup");
		is(update(map, 0, 0), NOTHING, "no update");
		is(take_out(map, 0), NOTHING, "no delete");
		close(map);
	}
}

/* ---- ring buffers ---- */

#define RING 4096

static long output(int ring, int data, int32_t bytes, int32_t flags)
{
	return RESULT(MAP(R1, ring), VALUE(R2, data), MOVI(R3, bytes), MOVI(R4, flags),
		      CALL(BPF_FUNC_ringbuf_output));
}

static long query(int ring, int32_t what)
{
	return RESULT(MAP(R1, ring), MOVI(R2, what), CALL(BPF_FUNC_ringbuf_query));
}

/* Reserves, and gives back what it got: whether it got any. */
static long reserve(int ring, int32_t bytes, int32_t flags, int end, int32_t end_flags)
{
	return RESULT(MAP(R1, ring), MOVI(R2, bytes), MOVI(R3, flags),
		      CALL(BPF_FUNC_ringbuf_reserve), MOVI(R6, 0), JUMPI(BPF_JEQ, R0, 0, 4),
		      MOV(R1, R0), MOVI(R2, end_flags), CALL(end), MOVI(R6, 1), MOV(R0, R6));
}

static void test_output(void)
{
	int ring = (int)map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, RING, 0),
	    data = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 2 * RING, 1, 0);

	is(query(ring, BPF_RB_RING_SIZE), RING, "ringbuf_query: the ring's size");
	is(query(ring, BPF_RB_AVAIL_DATA), 0, "nothing is in it");
	is(output(ring, data, 8, 0), 0, "ringbuf_output");
	is(output(ring, data, 8, BPF_RB_NO_WAKEUP), 0, "BPF_RB_NO_WAKEUP");
	is(output(ring, data, 8, BPF_RB_FORCE_WAKEUP), 0, "BPF_RB_FORCE_WAKEUP");
	is(output(ring, data, 8, 3), 0, "both");
	is(output(ring, data, 8, 4), -EINVAL, "an unknown flag: EINVAL");
	is(output(ring, data, 0, 0), 0, "no bytes");
	is(query(ring, BPF_RB_AVAIL_DATA), 4 * 16 + 8, "ringbuf_query: bytes to read");
	is(query(ring, BPF_RB_PROD_POS), 4 * 16 + 8, "where the next one goes");
	is(query(ring, BPF_RB_CONS_POS), 0, "where the reader is");
	is(query(ring, 4), 0, "an unknown question: 0");
	is(output(ring, data, RING - 8, 0), -EAGAIN, "more than there is room for: EAGAIN");
	is(output(ring, data, RING + 8, 0), -EAGAIN, "more than ever: EAGAIN");
	is(query(ring, BPF_RB_PROD_POS), 4 * 16 + 8, "a refused output leaves no bytes");
	is(output(data, data, 8, 0), NOTHING, "no ring");
	close(data);
	close(ring);
}

static void test_reserve(void)
{
	int ring = (int)map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, RING, 0);

	is(reserve(ring, 8, 0, BPF_FUNC_ringbuf_submit, 0), 1, "ringbuf_reserve, _submit");
	is(reserve(ring, 0, 0, BPF_FUNC_ringbuf_submit, 0), 1, "no bytes");
	is(reserve(ring, 8, 1, BPF_FUNC_ringbuf_submit, 0), 0, "a flag: NULL");
	is(reserve(ring, RING, 0, BPF_FUNC_ringbuf_submit, 0), 0,
	   "ringbuf_reserve of too many bytes: NULL");
	is(reserve(ring, 8, 0, BPF_FUNC_ringbuf_submit, 4), 1, "a flag of submit");
	is(reserve(ring, 8, 0, BPF_FUNC_ringbuf_discard, 0), 1, "ringbuf_discard");
	is(query(ring, BPF_RB_PROD_POS), 3 * 16 + 8,
	   "ringbuf_query: refused reservations take no room");
	is(RESULT(AT(R1, -8), MOVI(R2, 0), CALL(BPF_FUNC_ringbuf_submit), MOVI(R0, 5)), NOTHING,
	   "ringbuf_submit of memory that is not reserved");
	close(ring);
}

int main(void)
{
	mount_tracefs();
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		test_lookups(&kinds[i]);
		test_updates(&kinds[i]);
		test_percpu(&kinds[i]);
	}
	test_others();
	test_output();
	test_reserve();
	return tap_end();
}
