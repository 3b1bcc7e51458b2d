/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Predictors rank as in their papers on the branches of eight small programs, which the test runs
 * itself: TAGE-like ones mispredict less than gshare, gshare less than bimodal counters.
 */
#include "tests/sim/components/components_test.h"

#include "emulator/sim/branch/predictor.h"

enum { BRANCHES = 150000 };

static struct {
	uint64_t pc;
	bool taken;
} branches[BRANCHES];
static unsigned nr, results; /* of the programs: their work is not left out */

/* Records a conditional branch of the program at this line. */
#define IF(condition) record(__LINE__, condition)

static bool record(unsigned line, bool taken)
{
	if (nr < BRANCHES) {
		branches[nr].pc = 0x400000 + line * 12;
		branches[nr++].taken = taken;
	}
	return taken;
}

static void quicksort(int *numbers, int count)
{
	int low = 0, high = count - 1, pivot;

	if (IF(count < 2))
		return;
	pivot = numbers[count / 2];
	for (;; low++, high--) {
		int kept;

		while (IF(numbers[low] < pivot))
			low++;
		while (IF(numbers[high] > pivot))
			high--;
		if (IF(low >= high))
			break;
		kept = numbers[low];
		numbers[low] = numbers[high];
		numbers[high] = kept;
	}
	quicksort(numbers, low);
	quicksort(numbers + low, count - low);
}

/* Random numbers, of which three in four are in order. */
static void sorting(uint64_t *random)
{
	int numbers[512];

	for (int i = 0; i < 512; i++)
		numbers[i] = test_random(random) % 4 ? i : (int)(test_random(random) % 512);
	quicksort(numbers, 512);
}

static void place_queen(unsigned row, unsigned columns, unsigned left, unsigned right)
{
	enum { QUEENS = 7 };

	if (IF(row == QUEENS))
		return;
	for (unsigned column = 0; IF(column < QUEENS); column++) {
		unsigned bit = 1U << column;

		if (IF((columns | left | right) & bit))
			continue;
		place_queen(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
}

static void queens(uint64_t *random)
{
	(void)random;
	place_queen(0, 0, 0, 0);
}

static const char text[] =
    "static uint64_t victim(struct cache *c, unsigned set)\n{\n\tunsigned oldest = 0;\n\n"
    "\tfor (unsigned way = 1; way < 16; way++)\n\t\tif (c->used[set][way] < c->used[set][oldest])"
    "\n\t\t\toldest = way;\n\treturn oldest; /* never used ways first */\n}\n";

static bool is_letter(char c)
{
	return IF(c >= 'a') && IF(c <= 'z');
}

/* Words, numbers and marks of a source text. */
static void tokens(uint64_t *random)
{
	(void)random;
	for (const char *at = text; IF(*at);) {
		if (IF(*at <= ' ')) {
			at++;
		} else if (is_letter(*at)) {
			while (is_letter(*at) || IF(*at == '_'))
				at++;
		} else if (IF(*at >= '0') && IF(*at <= '9')) {
			while (IF(*at >= '0' && *at <= '9'))
				at++;
		} else {
			at++;
		}
	}
}

/* A machine with an accumulator that counts bits. */
static void interpreter(uint64_t *random)
{
	enum { LOAD, AND, SKIP_IF_ZERO, COUNT, SHIFT, JUMP_UNLESS_ZERO };
	static const uint8_t program[] = {LOAD, AND, SKIP_IF_ZERO, COUNT, SHIFT, JUMP_UNLESS_ZERO};
	unsigned value = (unsigned)test_random(random) & 0xfff, bit = 0, at = 0;

	while (IF(at < sizeof(program))) {
		uint8_t operation = program[at++];

		if (IF(operation == LOAD))
			bit = value;
		else if (IF(operation == AND))
			bit &= 1;
		else if (IF(operation == SKIP_IF_ZERO))
			at += IF(!bit);
		else if (IF(operation == COUNT))
			results++;
		else if (IF(operation == SHIFT))
			value >>= 1;
		else if (IF(value))
			at = 0;
	}
}

/* Products of small matrices, of which the left one is triangular. */
static void matrices(uint64_t *random)
{
	enum { ROWS = 6 };

	(void)random;
	for (unsigned i = 0; IF(i < ROWS); i++)
		for (unsigned j = 0; IF(j < ROWS); j++)
			for (unsigned k = 0; IF(k <= i); k++)
				results += j * k;
}

/* The longest match of each place of the text with one of the 24 before. */
static void matches(uint64_t *random)
{
	(void)random;
	for (unsigned at = 24; IF(at + 8 < sizeof(text)); at++) {
		unsigned best = 0;

		for (unsigned back = 1; IF(back <= 24); back++) {
			unsigned length = 0;

			while (IF(length < 8) && IF(text[at + length] == text[at - back + length]))
				length++;
			if (IF(length > best))
				best = length;
		}
	}
}

/* Conway's game, on a torus. */
static void life(uint64_t *random)
{
	enum { SIDE = 24, GENERATIONS = 12 };
	static bool cells[2][SIDE][SIDE];

	for (unsigned i = 0; i < SIDE * SIDE; i++)
		cells[0][i / SIDE][i % SIDE] = test_random(random) % 4 == 0;
	for (unsigned g = 0; g < GENERATIONS; g++)
		for (unsigned y = 0; IF(y < SIDE); y++)
			for (unsigned x = 0; IF(x < SIDE); x++) {
				bool(*now)[SIDE] = cells[g & 1], alive;
				unsigned count = 0;

				for (unsigned n = 0; IF(n < 9); n++)
					if (IF(n != 4) && IF(now[(y + n / 3 + SIDE - 1) % SIDE]
								[(x + n % 3 + SIDE - 1) % SIDE]))
						count++;
				alive = IF(count == 3) || (IF(count == 2) && now[y][x]);
				cells[~g & 1][y][x] = alive;
			}
}

/* The greatest common divisor by shifts and differences. */
static void divisors(uint64_t *random)
{
	uint64_t a = test_random(random) % 10000 + 1, b = test_random(random) % 100 + 1;

	while (IF(a != b)) {
		while (IF(!(a & 1)))
			a >>= 1;
		while (IF(!(b & 1)))
			b >>= 1;
		if (IF(a > b))
			a -= b;
		else if (IF(b > a))
			b -= a;
	}
}

static const struct {
	const char *name;
	void (*run)(uint64_t *random);
} programs[] = {
    {"sorting", sorting},   {"queens", queens},   {"tokens", tokens}, {"interpreter", interpreter},
    {"matrices", matrices}, {"matches", matches}, {"life", life},     {"divisors", divisors}};

/* Returns the mispredictions of the recorded branches. */
static unsigned mispredictions(const char *core)
{
	struct core_config config = test_core(core);
	struct predictor *p = predictor_new(&config, 0);
	unsigned wrong = 0;

	for (unsigned i = 0; i < nr; i++) {
		uint64_t pc = branches[i].pc;
		bool taken = branches[i].taken;
		unsigned outcome = predictor_branch(p, pc, BRANCH_CONDITIONAL, taken,
						    taken ? pc + 64 : pc + 4, pc + 4);

		wrong += (outcome & BRANCH_MISPREDICTED) != 0;
	}
	predictor_free(p);
	return wrong;
}

/* The built-in ones in a core, each with the room that the core gives it. */
static void test_ranks(void **state)
{
	static const char *const order[] = {"skylake,predictor=tage", "skylake,predictor=gshare",
					    "skylake,predictor=bimodal"};

	(void)state;
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		uint64_t random = 88172645463325252;
		unsigned wrong[3];

		for (nr = 0; nr < BRANCHES;)
			programs[i].run(&random);
		for (unsigned k = 0; k < 3; k++)
			wrong[k] = mispredictions(order[k]);
		if (wrong[0] >= wrong[1] || wrong[1] >= wrong[2])
			fail_msg("%s: tage mispredicts %u, gshare %u, bimodal counters %u",
				 programs[i].name, wrong[0], wrong[1], wrong[2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks)};

	return cmocka_run_group_tests(tests, find_components, NULL);
}
