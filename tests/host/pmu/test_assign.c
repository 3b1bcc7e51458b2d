/* SPDX-License-Identifier: BSD-2-Clause */
/* The constraint solver against a search through all assignments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "pmu/hw/assign.h"

#define EVENTS 6

static uint64_t seed;

static uint64_t next_random(void)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed >> 33;
}

/* Whether events i.. can all be placed on counters that are not used. */
static bool possible(const uint64_t allowed[], unsigned nr, unsigned i, uint64_t used)
{
	if (i == nr)
		return true;
	for (uint64_t left = allowed[i] & ~used; left; left &= left - 1)
		if (possible(allowed, nr, i + 1, used | (left & -left)))
			return true;
	return false;
}

static void check_places(const uint64_t allowed[], const int8_t place[], unsigned nr)
{
	uint64_t used = 0;

	for (unsigned i = 0; i < nr; i++) {
		uint64_t bit = 1ul << place[i];

		assert_true(place[i] >= 0);
		assert_true(allowed[i] & bit);
		assert_false(used & bit);
		used |= bit;
	}
}

/* Adds random events one by one: each fits exactly when some assignment of all has room for it. */
static void against_all(unsigned counters, uint64_t mask)
{
	uint64_t allowed[EVENTS];
	int8_t place[EVENTS], before[EVENTS];
	unsigned nr = 0;

	for (unsigned i = 0; i < EVENTS; i++) {
		allowed[nr] = next_random() % (1ul << counters) & mask;
		/* Some of them can use a fixed counter. */
		if (next_random() % 3 == 0)
			allowed[nr] |= 1ul << (ASSIGN_FIXED0 + next_random() % 2);
		place[nr] = -1;
		memcpy(before, place, sizeof(place));
		bool fits = assign_counter(allowed, place, nr + 1, nr);

		assert_int_equal(fits, possible(allowed, nr + 1, 0, 0));
		if (fits)
			nr++;
		else
			assert_memory_equal(before, place, nr + 1);
		check_places(allowed, place, nr);
	}
}

static void random_events(void **state)
{
	(void)state;
	seed = 42;
	for (unsigned i = 0; i < 20000; i++) {
		against_all(2, 3);
		against_all(4, 15);
		against_all(8, next_random());
	}
}

/* ---- all small cases ---- */

#define SMALL 5 /* events and counters */

/* The fewest events below `nr` - 1 that must leave their places so that all `nr` have one; `most`
 * when that takes as many, or is not possible. */
static unsigned fewest_moves(const uint64_t allowed[], const int8_t place[], unsigned nr,
			     unsigned i, uint64_t used, unsigned moved, unsigned most)
{
	if (i == nr)
		return moved;
	for (uint64_t left = allowed[i] & ~used; left; left &= left - 1) {
		bool moves = place[i] >= 0 && place[i] != __builtin_ctzl(left);

		if (moved + moves < most)
			most = fewest_moves(allowed, place, nr, i + 1, used | (left & -left),
					    moved + moves, most);
	}
	return most;
}

/* Adds the last event: it fits when that is possible at all, and no more than must be moves. */
static void check_addition(const uint64_t allowed[], int8_t place[], unsigned nr)
{
	const unsigned impossible = SMALL + 1;
	unsigned fewest = fewest_moves(allowed, place, nr, 0, 0, 0, impossible), moved = 0;
	int8_t before[SMALL];

	memcpy(before, place, sizeof(before));
	if (assign_counter(allowed, place, nr, nr - 1) != (fewest != impossible))
		fail_msg("%u events: %s", nr, fewest == impossible ? "no place" : "a place");
	for (unsigned i = 0; i < nr - 1; i++)
		moved += place[i] != before[i];
	assert_int_equal(moved, fewest == impossible ? 0 : fewest);
	if (fewest != impossible)
		check_places(allowed, place, nr);
}

/* From every way in which events `i`.. to the last but one can have places. */
static void from_every_placement(const uint64_t allowed[], int8_t place[], unsigned nr, unsigned i,
				 uint64_t used)
{
	int8_t trial[SMALL];

	if (i == nr - 1) {
		memcpy(trial, place, sizeof(trial));
		check_addition(allowed, trial, nr);
		return;
	}
	for (uint64_t left = allowed[i] & ~used; left; left &= left - 1) {
		place[i] = (int8_t)__builtin_ctzl(left);
		from_every_placement(allowed, place, nr, i + 1, used | (left & -left));
	}
	place[i] = -1;
}

/*
 * Every relation between up to SMALL events and SMALL counters. A counter is the set of events that
 * may use it; counters that differ by name only are the same case, so that these sets never fall.
 * Returns the number of cases.
 */
static unsigned every_case(uint64_t allowed[], unsigned counter, unsigned least)
{
	int8_t place[SMALL];
	unsigned cases = 0;

	if (counter == SMALL) {
		memset(place, -1, sizeof(place));
		for (unsigned nr = 1; nr <= SMALL; nr++)
			from_every_placement(allowed, place, nr, 0, 0);
		return 1;
	}
	for (unsigned events = least; events < 1u << SMALL; events++) {
		for (unsigned i = 0; i < SMALL; i++)
			allowed[i] = (allowed[i] & ~(1ul << counter)) | (uint64_t)(events >> i & 1)
									    << counter;
		cases += every_case(allowed, counter + 1, events);
	}
	return cases;
}

static void all_small_cases(void **state)
{
	uint64_t allowed[SMALL] = {0};

	(void)state;
	/* Five of 32 sets, any set again and again: 36 over 5. */
	assert_int_equal(every_case(allowed, 0, 0), 376992);
}

static void fixed_first(void **state)
{
	const uint64_t allowed[] = {1ul << ASSIGN_FIXED0 | 3, 1ul << ASSIGN_FIXED0 | 3,
				    1ul << ASSIGN_FIXED0};
	int8_t place[] = {-1, -1, -1};

	(void)state;
	assert_true(assign_counter(allowed, place, 1, 0));
	assert_int_equal(place[0], ASSIGN_FIXED0);
	assert_true(assign_counter(allowed, place, 2, 1));
	assert_int_equal(place[1], 0);
	/* An event that can only be on the fixed counter gets it. */
	assert_true(assign_counter(allowed, place, 3, 2));
	assert_int_equal(place[2], ASSIGN_FIXED0);
	check_places(allowed, place, 3);
}

/* 64 events on 64 counters, each addition moving all the others. */
static void longest_chain(void **state)
{
	uint64_t allowed[ASSIGN_COUNTERS];
	int8_t place[ASSIGN_COUNTERS];

	(void)state;
	for (unsigned i = 0; i < ASSIGN_COUNTERS; i++) {
		allowed[i] = i + 1 < ASSIGN_COUNTERS ? 3ul << i : 1;
		place[i] = -1;
		assert_true(assign_counter(allowed, place, i + 1, i));
	}
	check_places(allowed, place, ASSIGN_COUNTERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_events),
	    cmocka_unit_test(all_small_cases),
	    cmocka_unit_test(fixed_first),
	    cmocka_unit_test(longest_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
