/* SPDX-License-Identifier: BSD-2-Clause */
/* The store buffer: which loads take their bytes from a store, which wait for it, and how long. */
#include "tests/sim/pipe_bench.h"

static const struct access_result hit = {.level = MEM_L1};
static const struct access_result split = {.level = MEM_L1, .split = true, .latency = 9};

#define BASE 0x10000

/* An access of the block: its instruction, where, of how many bytes. */
#define LOAD(n, at, bytes)                                            \
	{                                                             \
		.insn = n, .vaddr = at, .size = bytes, .result = &hit \
	}
#define STORE(n, at, bytes)                                                          \
	{                                                                            \
		.insn = n, .vaddr = at, .size = bytes, .store = true, .result = &hit \
	}

#define ACCESSES_MAX 64

struct row {
	const char *core, *name;
	struct code code;
	double cycles, tolerance;
	struct block_access access[5];
};

static double cycles_of_row(const char *core, struct code code, const struct block_access *access,
			    unsigned count, enum pipe_count which, double *events)
{
	struct bench bench;
	double cycles;

	bench_begin(&bench, core, code);
	bench.access = access;
	bench.accesses = count;
	cycles = bench_rounds(&bench);
	*events = (double)pipeline_counts(bench.pipeline)[which] / (WARM_UP + ROUNDS);
	bench_end(&bench);
	return cycles;
}

CODE(wide_after_two, "movq %rax, (%rdi); movq %rdx, 8(%rdi); movdqu (%rdi), %xmm0");
CODE(wide_chain, "movq %rax, (%rdi); movq %rdx, 8(%rdi); movdqu (%rdi), %xmm0; movq %xmm0, %rax");
CODE(halves, "movdqu %xmm0, (%rdi); movq (%rdi), %rax; movq 8(%rdi), %rdx");
CODE(two_counters, "addl $1, (%rdi); addl $1, 4(%rdi)");
CODE(other_page, "movl %eax, (%rdi); movq 8192(%rdi), %rdi");

#define TWO_STORES STORE(0, BASE, 8), STORE(1, BASE + 8, 8), LOAD(2, BASE, 16)
/* QEMU makes accesses of vectors in pieces of 8 bytes. */
#define LATER(n, at, bytes)                                                          \
	{                                                                            \
		.insn = n, .vaddr = at, .size = bytes, .later = true, .result = &hit \
	}
#define IN_PIECES STORE(0, BASE, 8), STORE(1, BASE + 8, 8), LOAD(2, BASE, 8), LATER(2, BASE + 8, 8)
#define STORE_IN_PIECES \
	STORE(0, BASE, 8), STORE(0, BASE + 8, 8), LOAD(1, BASE, 8), LOAD(2, BASE + 8, 8)
#define COUNTERS LOAD(0, BASE, 4), STORE(0, BASE, 4), LOAD(1, BASE + 4, 4), STORE(1, BASE + 4, 4)

/*
 * Two stores of 8 bytes and a load of both, alone and in a chain: measured on i7-6700HQ, EPYC 7262
 * and i5-1035 by Downs (gist bc9af3a0aaca5399824cf182f85b9e9c), and 19 to 20 cycles on Ice Lake by
 * Agner Fog, 'Microarchitecture'. Counters that share a word of 8 bytes: each a chain of its own
 * through memory, 4 to 5 cycles and the addition (uops.info, ADD m32, i8).
 */
static const struct row rows[] = {
    {"skylake", "wide load in pieces", CODE_OF(wide_after_two), 14, 1, {IN_PIECES}},
    {"skylake", "halves of a store in pieces", CODE_OF(halves), 1, 0.1, {STORE_IN_PIECES}},
    {"skylake", "wide load of two stores", CODE_OF(wide_after_two), 14, 1, {TWO_STORES}},
    {"zen2", "wide load of two stores", CODE_OF(wide_after_two), 21, 1, {TWO_STORES}},
    {"golden-cove", "wide load of two stores", CODE_OF(wide_after_two), 18, 1.5, {TWO_STORES}},
    {"skylake", "the same in a chain", CODE_OF(wide_chain), 19.2, 3.5, {TWO_STORES}},
    {"zen2", "the same in a chain", CODE_OF(wide_chain), 24.5, 2, {TWO_STORES}},
    {"skylake", "two counters of a word", CODE_OF(two_counters), 5.5, 0.6, {COUNTERS}},
    {"nehalem", "two counters of a word", CODE_OF(two_counters), 6, 0.6, {COUNTERS}},
};

static unsigned count_of(const struct block_access *access)
{
	unsigned count = 0;

	while (count < 5 && access[count].result)
		count++;
	return count;
}

static void chains_through_memory(void **state)
{
	double events;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		double cycles = cycles_of_row(row->core, row->code, row->access,
					      count_of(row->access), PIPE_FORWARDS, &events);

		print_message("# %-12s %-26s %6.2f (%5.2f)\n", row->core, row->name, cycles,
			      row->cycles);
		assert_near(cycles, row->cycles, row->tolerance);
	}
}

/*
 * The loads within a store, by size and by offset from its begin: F: forwarded, N: blocked.
 * Core: Intel 248966, table 3-1, stores to a natural boundary. Nehalem and later: the same, 'Store
 * Forwarding', and Agner Fog (halves and quarters of a vector store). Pentium M and K10: only from
 * the store's begin (248966, coding rules for forwarding; AMD 40546, 'Store-to-load forwarding').
 */
struct pairs {
	const char *core;
	unsigned store, load;
	const char *offsets;
};

static const struct pairs table[] = {
    {"core2", 2, 1, "FN"},
    {"core2", 4, 1, "FNNN"},
    {"core2", 4, 2, "FNF"},
    {"core2", 4, 4, "F"},
    {"core2", 8, 1, "FNNNNNNN"},
    {"core2", 8, 2, "FNNNNNN"},
    {"core2", 8, 4, "FNNNF"},
    {"core2", 8, 8, "F"},
    {"core2", 16, 1, "FNNNNNNNNNNNNNNN"},
    {"core2", 16, 2, "FNNNNNNNNNNNNNN"},
    {"core2", 16, 4, "FNNNFNNNFNNNF"},
    {"core2", 16, 8, "FNNNNNNNF"},
    {"core2", 16, 16, "F"},
    {"skylake", 2, 1, "FF"},
    {"skylake", 4, 1, "FFFF"},
    {"skylake", 4, 2, "FFF"},
    {"skylake", 8, 1, "FFFFFFFF"},
    {"skylake", 8, 2, "FFFFFFF"},
    {"skylake", 8, 4, "FFFFF"},
    {"skylake", 8, 8, "F"},
    {"skylake", 16, 1, "FFFFFFFFFFFFFFFF"},
    {"skylake", 16, 2, "FFFFFFFNFFFFFFF"},
    {"skylake", 16, 4, "FFFFFNNNFFFFF"},
    {"skylake", 16, 8, "FNNNNNNNF"},
    {"skylake", 16, 16, "F"},
    {"skylake", 32, 8, "FNNNNNNNFNNNNNNNFNNNNNNNF"},
    {"skylake", 32, 16, "FNNNNNNNNNNNNNNNF"},
    {"yonah", 4, 1, "FNNN"},
    {"yonah", 8, 4, "FNNNN"},
    {"k10", 8, 4, "FNNNN"},
    {"zen2", 8, 4, "FFFFF"},
    {"zen2", 16, 8, "FFFFFFFFF"},
};

CODE(store_and_load, "movq %rax, (%rdi); movq (%rdi,%rbx), %rax");

static char forwards(const char *core, unsigned store, unsigned load, unsigned offset)
{
	const struct block_access access[] = {STORE(0, BASE, store), LOAD(1, BASE + offset, load)};
	double blocked, cycles = cycles_of_row(core, CODE_OF(store_and_load), access, 2,
					       PIPE_FORWARDS_BLOCKED, &blocked);
	const struct pipe_config *pipe = &core_config_find(core)->pipe;
	double wanted = pipe->forward_latency + (blocked > 0.5 ? pipe->forward_blocked : 0);

	/* The store's data may come a cycle after its source. */
	assert_near(cycles, wanted, 1.1);
	return blocked > 0.5 ? 'N' : 'F';
}

static void loads_within_a_store(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct pairs *row = &table[i];
		char found[40] = "";

		for (unsigned offset = 0; offset + row->load <= row->store; offset++)
			found[offset] = forwards(row->core, row->store, row->load, offset);
		print_message("# %-8s store of %2u, load of %2u: %s\n", row->core, row->store,
			      row->load, found);
		assert_string_equal(found, row->offsets);
	}
}

/* Loads of bytes that a store has and of others wait on every core, before and after it. */
static void loads_beyond_a_store(void **state)
{
	const struct core_config *config;

	(void)state;
	for (unsigned n = 0; (config = core_config_at(n)); n++)
		for (unsigned size = 2; size <= 32; size *= 2) {
			assert_int_equal(forwards(config->name, size / 2, size, 0), 'N');
			assert_int_equal(forwards(config->name, size, size, 1), 'N');
			assert_int_equal(forwards(config->name, size, size, (unsigned)-1), 'N');
		}
}

CODE(two_bytes, "movb %al, (%rdi); movb %bl, 1(%rdi); movzbl (%rdi), %eax; movzbl 1(%rdi), %ebx");

/* Bytes of a word, stored one by one and loaded again, are each forwarded. */
static void both_stores_of_a_word_are_known(void **state)
{
	const struct block_access access[] = {STORE(0, BASE, 1), STORE(1, BASE + 1, 1),
					      LOAD(2, BASE, 1), LOAD(3, BASE + 1, 1)};
	double events, cycles;

	(void)state;
	cycles = cycles_of_row("skylake", CODE_OF(two_bytes), access, 4, PIPE_FORWARDS, &events);
	assert_near(cycles, 5, 1);
	assert_near(events, 2, 0.01);
}

#define TEN(text) text text text text text text text text text text
#define PAIR      "movq %rax, 12(%rdi); movq 12(%rdi), %rax;"
CODE(ten_pairs, TEN(PAIR));
CODE(twenty_pairs, TEN(PAIR) TEN(PAIR));

static double cycles_a_pair(struct code code, unsigned pairs, uint64_t at,
			    const struct access_result *result)
{
	struct block_access access[ACCESSES_MAX];
	double events;

	for (unsigned i = 0; i < 2 * pairs; i++)
		access[i] = (struct block_access){
		    .insn = i, .vaddr = at, .size = 8, .store = !(i & 1), .result = result};
	return cycles_of_row("skylake", code, access, 2 * pairs, PIPE_FORWARDS, &events) / pairs;
}

/* Over a word's end, and over a line's; however often the block has them. */
static void copies_change_nothing(void **state)
{
	double ten = cycles_a_pair(CODE_OF(ten_pairs), 10, BASE + 12, &hit),
	       twenty = cycles_a_pair(CODE_OF(twenty_pairs), 20, BASE + 12, &hit);

	(void)state;
	assert_near(ten, 4.5, 0.6);
	assert_near(twenty, ten, 0.01);
	ten = cycles_a_pair(CODE_OF(ten_pairs), 10, BASE + 60, &split);
	twenty = cycles_a_pair(CODE_OF(twenty_pairs), 20, BASE + 60, &split);
	assert_near(ten, 4.5 + core_config_find("skylake")->memory.split_penalty, 0.6);
	assert_near(twenty, ten, 0.01);
}

/* A store and a load 8 KiB away: Intel's cores wait some cycles and count it, AMD's do not. */
static void other_pages_alias(void **state)
{
	static const struct {
		const char *core;
		double cycles, events;
	} cores[] = {{"skylake", 10, 1}, {"nehalem", 9, 1}, {"golden-cove", 10, 1},
		     {"core2", 8, 1},    {"zen2", 4, 0},    {"k10", 3, 0}};
	const struct block_access access[] = {STORE(0, BASE, 4), LOAD(1, BASE + 8192, 8)};

	(void)state;
	for (unsigned i = 0; i < sizeof(cores) / sizeof(*cores); i++) {
		double events, cycles = cycles_of_row(cores[i].core, CODE_OF(other_page), access, 2,
						      PIPE_FORWARDS_ALIASED, &events);

		print_message("# %-12s a page further: %5.2f cycles, %4.2f counted\n",
			      cores[i].core, cycles, events);
		assert_near(events, cores[i].events, 0.01);
		assert_near(cycles, cores[i].cycles, 0.1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(chains_through_memory),
	    cmocka_unit_test(loads_within_a_store),
	    cmocka_unit_test(loads_beyond_a_store),
	    cmocka_unit_test(both_stores_of_a_word_are_known),
	    cmocka_unit_test(copies_change_nothing),
	    cmocka_unit_test(other_pages_alias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
