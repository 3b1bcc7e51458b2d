/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated pipeline: published latencies and throughputs, and the effects of events on a
 * block's time. */
#include "tests/sim/pipe_bench.h"

/* The table's code, row by row. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define ROW(name, chain, links, latency, independent, instructions, throughput)  \
	CODE_BETWEEN(JOIN(chain_, __LINE__), JOIN(chain_end_, __LINE__), chain); \
	CODE_BETWEEN(JOIN(many_, __LINE__), JOIN(many_end_, __LINE__), independent);
#include "tests/accuracy/published.inc"
#undef ROW

struct published {
	const char *name;
	struct code chain, independent;
	double links, latency, instructions, throughput;
};

#define ROW(name, chain, links, latency, independent, instructions, throughput) \
	{name,                                                                  \
	 {JOIN(chain_, __LINE__), JOIN(chain_end_, __LINE__)},                  \
	 {JOIN(many_, __LINE__), JOIN(many_end_, __LINE__)},                    \
	 links,                                                                 \
	 latency,                                                               \
	 instructions,                                                          \
	 throughput},

static const struct published table[] = {
#include "tests/accuracy/published.inc"
};

static void published_figures_hold(void **state)
{
	(void)state;
	print_message("# %-24s %18s %18s\n", "skylake", "latency", "throughput");
	for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct published *row = &table[i];
		double latency = cycles_of("skylake", row->chain) / row->links;
		double throughput = cycles_of("skylake", row->independent) / row->instructions;

		print_message("# %-24s %8.2f (%6.2f) %8.2f (%6.2f)\n", row->name, latency,
			      row->latency, throughput, row->throughput);
		assert_near(latency, row->latency, 0.05);
		assert_near(throughput, row->throughput, 0.1 * row->throughput);
	}
}

/* Figures of other cores, by the same sources: the ones that differ most from core to core. */
struct figures {
	const char *core, *name;
	double latency, throughput;
};

static const struct figures figures[] = {
    {"yonah", "ADD r64, r64", 1, 0.5},        {"core2", "ADD r64, r64", 1, 0.33},
    {"nehalem", "ADD r64, r64", 1, 0.33},     {"golden-cove", "ADDSD x, x", 2, 0.5},
    {"gracemont", "ADD r64, r64", 1, 0.25},   {"k10", "ADD r64, r64", 1, 0.33},
    {"zen2", "ADD r64, r64", 1, 0.25},        {"zen4", "ADD r64, r64", 1, 0.25},
    {"zen2", "SHL r64, i8", 1, 0.25},         {"zen4", "SHL r64, i8", 1, 0.5},
    {"zen2", "CMOVL r64, r64", 1, 0.25},      {"zen4", "CMOVL r64, r64", 1, 0.5},
    {"k10", "IMUL r64, r64", 4, 2},           {"k10", "IMUL r32, r32", 3, 1},
    {"core2", "IMUL r64, r64", 5, 2},         {"core2", "IMUL r32, r32", 3, 1},
    {"zen2", "IMUL r64, r64", 3, 1},          {"zen4", "IMUL r64, r64", 3, 1},
    {"nehalem", "IMUL r64, r64", 3, 1},       {"zen2", "LEA r64, [r+r*4+d8]", 2, 0.25},
    {"golden-cove", "IMUL r64, r64", 3, 1},   {"zen2", "POPCNT r64, r64", 1, 0.25},
    {"zen4", "POPCNT r64, r64", 1, 0.25},     {"zen2", "TZCNT r64, r64", 2, 0.5},
    {"golden-cove", "POPCNT r64, r64", 3, 1}, {"zen4", "LEA r64, [r+r*4+d8]", 2, 0.5},
};

static const struct published *row_of(const char *name)
{
	for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void cores_have_their_figures(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		const struct figures *wanted = &figures[i];
		const struct published *row = row_of(wanted->name);
		double latency = cycles_of(wanted->core, row->chain) / row->links;
		double throughput = cycles_of(wanted->core, row->independent) / row->instructions;

		print_message("# %-11s %-20s %6.2f (%4.2f) %6.2f (%4.2f)\n", wanted->core,
			      wanted->name, latency, wanted->latency, throughput,
			      wanted->throughput);
		assert_near(latency, wanted->latency, 0.05);
		assert_near(throughput, wanted->throughput, 0.1 * wanted->throughput);
	}
}

CODE(four_stores,
     "movq %rax, (%rdi); movq %rax, 8(%rdi); movq %rax, 16(%rdi); movq %rax, 24(%rdi)");
CODE(four_vector_stores, "movaps %xmm0, (%rdi); movaps %xmm1, 16(%rdi); movaps %xmm2, 32(%rdi); "
			 "movaps %xmm3, 48(%rdi)");
CODE(indexed_load, "movq (%rax,%rdx), %rax");
CODE(scaled_load, "movq (%rax,%rdx,8), %rax");
CODE(third_load, "movq 8(%rax,%rdx), %rax");
CODE(scaled_lea, "leaq (%rax,%rax,2), %rax");
CODE(byte_extended, "movzbl %bl, %eax; movzbl %al, %ebx");

static void cores_differ_in_renaming_and_stores(void **state)
{
	(void)state;
	assert_near(cycles_of("skylake", CODE_OF(four_stores)), 4, 0.05);
	assert_near(cycles_of("zen2", CODE_OF(four_stores)), 4, 0.05);
	assert_near(cycles_of("golden-cove", CODE_OF(four_stores)), 2, 0.05);
	assert_near(cycles_of("zen4", CODE_OF(four_stores)), 2, 0.05);
	assert_near(cycles_of("golden-cove", CODE_OF(four_vector_stores)), 2, 0.05);
	assert_near(cycles_of("zen4", CODE_OF(four_vector_stores)), 4, 0.05);
	assert_near(cycles_of("zen4", CODE_OF(scaled_lea)), 1, 0.05);
	assert_near(cycles_of("skylake", CODE_OF(scaled_lea)), 1, 0.05);
	assert_near(cycles_of("zen2", CODE_OF(scaled_lea)), 2, 0.05);
	assert_near(cycles_of("skylake", CODE_OF(byte_extended)), 0.5, 0.05); /* renamed */
	assert_near(cycles_of("zen2", CODE_OF(byte_extended)), 2, 0.05);      /* executed */
}

CODE(two_lines, "movq %rax, (%rdi); movq %rax, 64(%rdi)");
CODE(one_line, "movq %rax, (%rdi); movq %rax, 56(%rdi)");
CODE(line_again, "movq %rax, (%rdi); movq %rax, (%rsi); movq %rbx, 8(%rdi)");

/* A second store leaves in a cycle when it is to the first one's line. */
static void stores_of_one_line_go_together(void **state)
{
	static const char *const cores[] = {"golden-cove", "zen4"};

	(void)state;
	for (unsigned i = 0; i < sizeof(cores) / sizeof(*cores); i++) {
		assert_near(cycles_of(cores[i], CODE_OF(one_line)), 1, 0.05);
		assert_near(cycles_of(cores[i], CODE_OF(two_lines)), 2, 0.05);
		assert_near(cycles_of(cores[i], CODE_OF(line_again)), 2, 0.05);
	}
	assert_near(cycles_of("skylake", CODE_OF(one_line)), 2, 0.05);
}

CODE(small_adds, "addq $1, %rax; subq $1000, %rax; incq %rax; leaq 8(%rax), %rax; "
		 "addq $2, %rax; decq %rax");
CODE(large_add, "addq $2000, %rax");
CODE(short_add, "addl $1, %eax");
CODE(add_and_multiply, "addps %xmm1, %xmm0; mulps %xmm1, %xmm0");
CODE(add_and_logic, "addps %xmm1, %xmm0; andps %xmm1, %xmm0");
CODE(pack, "packuswb %xmm1, %xmm0");
CODE(bit_test, "btq $3, %rax; btq $3, %rbx; btq $3, %rcx");
CODE(rip_leas, "leaq 1000(%rip), %rax; leaq 1000(%rip), %rbx; leaq 1000(%rip), %rcx");
CODE(word_shuffles, "unpcklps %xmm0, %xmm1; movhlps %xmm0, %xmm2");
CODE(same_byte, "movzbl %al, %eax");
CODE(three_addends, "leaq 8(%rbx,%rax), %rax");
CODE(scaled_addend, "leaq (%rbx,%rax,4), %rax");
CODE(bit_scan, "bsfq %rbx, %rax");
CODE(insertions, "pinsrd $1, %eax, %xmm0");
CODE(there_and_back, "pextrd $1, %xmm0, %eax; pinsrd $1, %eax, %xmm0");
CODE(merging_conversion, "cvtsi2sdq %rbx, %xmm0");
CODE(pause, "pause");
CODE(word_blends, "pblendw $3, %xmm0, %xmm1; pblendw $3, %xmm0, %xmm2; pblendw $3, %xmm0, %xmm3; "
		  "pblendw $3, %xmm0, %xmm4");

/* As measured on a processor with this core (docs/core-pipeline.md). */
static void golden_cove_is_as_measured(void **state)
{
	static const struct {
		struct code code;
		double cycles;
	} rows[] = {
	    {CODE_OF(small_adds), 1},     {CODE_OF(large_add), 1},
	    {CODE_OF(short_add), 1},      {CODE_OF(pack), 3},
	    {CODE_OF(add_and_logic), 4},  {CODE_OF(add_and_multiply), 7},
	    {CODE_OF(bit_test), 3},       {CODE_OF(rip_leas), 3},
	    {CODE_OF(word_shuffles), 2},  {CODE_OF(same_byte), 1},
	    {CODE_OF(three_addends), 1},  {CODE_OF(scaled_addend), 2},
	    {CODE_OF(bit_scan), 3},       {CODE_OF(insertions), 1},
	    {CODE_OF(there_and_back), 6}, {CODE_OF(merging_conversion), 4},
	    {CODE_OF(word_blends), 2},    {CODE_OF(pause), 34},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_near(cycles_of("golden-cove", rows[i].code), rows[i].cycles, 0.02);
	assert_near(cycles_of("skylake", CODE_OF(small_adds)), 6, 0.02);
	assert_near(cycles_of("skylake", CODE_OF(pause)), 140, 0.5);
	assert_near(cycles_of("zen4", CODE_OF(word_blends)), 1, 0.02); /* so on an EPYC */
}

static void cores_differ_in_addresses(void **state)
{
	(void)state;
	assert_near(cycles_of("zen2", CODE_OF(scaled_load)), 4, 0.05);
	assert_near(cycles_of("zen4", CODE_OF(indexed_load)), 4, 0.05);
	assert_near(cycles_of("zen4", CODE_OF(scaled_load)), 5, 0.05);
	assert_near(cycles_of("zen4", CODE_OF(third_load)), 5, 0.05);
}

CODE(one_add, "addq %rbp, %rax");
CODE(four_adds, "addq $1, %rax; addq $1, %rbx; addq $1, %rcx; addq $1, %rdx");
CODE(three_moves, "movq %rax, %rbx; movq %rbx, %rcx; movq %rcx, %rax");
CODE(zeroing, "xorl %eax, %eax; addq %rbp, %rax");
CODE(not_zeroing, "xorl %ebp, %eax; addq %rbp, %rax");
CODE(low_byte, "movb %bpl, %al; addb %al, %al");
CODE(bignum, "1: movq (%rsi), %rax; adcq %rax, (%rdi); leaq 8(%rsi), %rsi; leaq 8(%rdi), %rdi; "
	     "decq %rcx; jne 1b");
CODE(fused, "1: cmpq %rbp, %rax; jne 1b");
CODE(unfused, "1: cmpq %rbp, %rax; js 1b");
CODE(x87_sum, "fldl (%rsi); faddp %st, %st(1)");

static void dependencies_decide(void **state)
{
	(void)state;
	assert_near(cycles_of("skylake", CODE_OF(one_add)), 1, 0.01);
	assert_near(cycles_of("skylake", CODE_OF(four_adds)), 1, 0.01);
	assert_near(cycles_of("skylake", CODE_OF(three_moves)), 0.75, 0.01); /* renamed */
	assert_near(cycles_of("nehalem", CODE_OF(three_moves)), 3, 0.01);    /* executed */
	assert_near(cycles_of("skylake", CODE_OF(zeroing)), 0.5, 0.01);
	assert_near(cycles_of("skylake", CODE_OF(not_zeroing)), 2, 0.01);
	assert_near(cycles_of("skylake", CODE_OF(low_byte)), 2, 0.01);
	assert_near(cycles_of("skylake", CODE_OF(x87_sum)), 3, 0.01);
}

/* DEC leaves the carry of ADC alone: the chain is one cycle a round, the front end's slots
 * decide. */
static void carry_is_a_flag_of_its_own(void **state)
{
	double cycles = cycles_of("skylake", CODE_OF(bignum));

	(void)state;
	assert_true(cycles >= 1.5 && cycles < 2.5);
}

static void compares_join_branches(void **state)
{
	struct bench bench;

	(void)state;
	bench_begin(&bench, "skylake", CODE_OF(fused));
	assert_int_equal(bench.block->slots, 1);
	bench_end(&bench);
	bench_begin(&bench, "skylake", CODE_OF(unfused));
	assert_int_equal(bench.block->slots, 2);
	bench_end(&bench);
}

CODE(chase, "movq (%rax), %rax");
CODE(sum, "addq (%rdi), %rax; addq 64(%rdi), %rbx; addq 128(%rdi), %rcx; addq 192(%rdi), %rdx; "
	  "addq $256, %rdi");

static void miss(struct block_access *access, unsigned count)
{
	static const struct access_result far = {.level = MEM_DRAM, .latency = 240};

	memset(access, 0, count * sizeof(*access));
	for (unsigned i = 0; i < count; i++) {
		access[i].insn = i;
		access[i].size = 8;
		access[i].vaddr = 0x1000 + 64 * i;
		access[i].result = &far;
	}
}

/* A chase waits for each load; loads that do not depend on one another share the fill buffers. */
static void misses_overlap_when_independent(void **state)
{
	struct block_access access[4];
	struct bench bench;

	(void)state;
	miss(access, 4);
	bench_begin(&bench, "skylake", CODE_OF(chase));
	bench.access = access;
	bench.accesses = 1;
	assert_near(bench_rounds(&bench), 240, 1);
	assert_int_equal(pipeline_counts(bench.pipeline)[PIPE_LOADS_DRAM], WARM_UP + ROUNDS);
	bench_end(&bench);

	bench_begin(&bench, "skylake", CODE_OF(sum));
	bench.access = access;
	bench.accesses = 4;
	assert_near(bench_rounds(&bench),
		    4 * 240.0 / core_config_find("skylake")->memory.fill_buffers, 4);
	bench_end(&bench);
}

CODE(spill, "movq %rax, (%rsp); movq (%rsp), %rax");
CODE(narrow, "movb %al, (%rsp); movq (%rsp), %rax");

/* A load of just stored bytes waits for the store's data, and longer when it needs more bytes. */
static void stores_forward(void **state)
{
	static const struct access_result hit = {.level = MEM_L1};
	struct block_access access[2] = {
	    {.vaddr = 0x1000, .insn = 0, .size = 8, .store = true, .result = &hit},
	    {.vaddr = 0x1000, .insn = 1, .size = 8, .result = &hit}};
	struct bench bench;

	(void)state;
	bench_begin(&bench, "skylake", CODE_OF(spill));
	bench.access = access;
	bench.accesses = 2;
	assert_near(bench_rounds(&bench), 4.5, 0.6); /* 4 to 5 cycles */
	assert_true(pipeline_counts(bench.pipeline)[PIPE_FORWARDS] >= ROUNDS);
	bench_end(&bench);

	bench_begin(&bench, "skylake", CODE_OF(narrow));
	access[0].size = 1;
	bench.access = access;
	bench.accesses = 2;
	assert_true(bench_rounds(&bench) >= 11);
	assert_true(pipeline_counts(bench.pipeline)[PIPE_FORWARDS_BLOCKED] >= ROUNDS);
	bench_end(&bench);
}

CODE(spill_elsewhere, "movq %rax, (%rsp); movq (%rsp,%rbx), %rax");
CODE(kept_in_memory, "movq -8(%rbp), %rax; addq %rbx, %rax; movq %rax, -8(%rbp)");

static double cycles_with(const char *core, struct code code, const struct block_access *access)
{
	struct bench bench;
	double cycles;

	bench_begin(&bench, core, code);
	bench.access = access;
	bench.accesses = 2;
	cycles = bench_rounds(&bench);
	bench_end(&bench);
	return cycles;
}

/* Where renaming knows a load for a store by their base and displacement, its data are there in no
 * time: of this block's store, and of one of the block before. */
static void loads_are_renamed(void **state)
{
	static const struct access_result hit = {.level = MEM_L1};
	static const struct block_access
	    spilled[2] = {{.vaddr = 0x1000, .insn = 0, .size = 8, .store = true, .result = &hit},
			  {.vaddr = 0x1000, .insn = 1, .size = 8, .result = &hit}},
	    kept[2] = {{.vaddr = 0x1000, .insn = 0, .size = 8, .result = &hit},
		       {.vaddr = 0x1000, .insn = 2, .size = 8, .store = true, .result = &hit}};
	static const char *const cores[] = {"golden-cove", "zen2", "zen4"};

	(void)state;
	for (unsigned i = 0; i < sizeof(cores) / sizeof(*cores); i++) {
		assert_near(cycles_with(cores[i], CODE_OF(spill), spilled), 0.75, 0.26);
		assert_near(cycles_with(cores[i], CODE_OF(kept_in_memory), kept), 1, 0.05);
		assert_true(cycles_with(cores[i], CODE_OF(spill_elsewhere), spilled) >= 4.9);
	}
	assert_near(cycles_with("skylake", CODE_OF(kept_in_memory), kept), 5, 0.05);
}

CODE(loop, "1: addq $1, %rax; decq %rcx; jne 1b");

static void mispredictions_cost_the_refill(void **state)
{
	struct bench bench;
	double right, wrong;

	(void)state;
	bench_begin(&bench, "skylake", CODE_OF(loop));
	right = bench_rounds(&bench);
	bench.events.outcome |= BRANCH_MISPREDICTED;
	wrong = bench_rounds(&bench);
	assert_near(right, 1, 0.01);
	assert_true(wrong - right >= 15 && wrong - right <= 20); /* Agner Fog: 15 to 20 cycles */
	assert_int_equal(pipeline_counts(bench.pipeline)[PIPE_MISPREDICTS], WARM_UP + ROUNDS);
	bench_end(&bench);
}

/* The four kinds of slots are all there are, and each program's are where its trouble is. */
static void slots_add_up(void **state)
{
	static const struct {
		const uint8_t *begin, *end;
		bool mispredicted;
		uint32_t fetch;
		enum pipe_count most;
	} programs[] = {
	    {four_adds, four_adds_end, false, 0, PIPE_SLOTS_RETIRING},
	    {loop, loop_end, true, 0, PIPE_SLOTS_BAD_SPECULATION},
	    {loop, loop_end, false, 30, PIPE_SLOTS_FRONTEND},
	    {one_add, one_add_end, false, 0, PIPE_SLOTS_BACKEND},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct bench bench;
		const uint64_t *counts;
		uint64_t sum = 0;

		bench_begin(&bench, "skylake", (struct code){programs[i].begin, programs[i].end});
		bench.events.outcome |= programs[i].mispredicted ? BRANCH_MISPREDICTED : 0;
		bench.events.fetch_cycles = programs[i].fetch;
		bench_rounds(&bench);
		counts = pipeline_counts(bench.pipeline);
		for (unsigned k = PIPE_SLOTS_RETIRING; k <= PIPE_SLOTS_BACKEND; k++)
			sum += counts[k];
		assert_near(sum, 4.0 * counts[PIPE_CYCLES], 8);
		assert_true(counts[programs[i].most] * 10 > sum * 7);
		bench_end(&bench);
	}
}

CODE(repeated, "rep movsb");

static void repeated_strings_count_once(void **state)
{
	struct bench bench;
	const uint64_t *counts;

	(void)state;
	bench_begin(&bench, "skylake", CODE_OF(repeated));
	for (unsigned i = 0; i < 3200; i++)
		pipeline_block(bench.pipeline, bench.block, &bench.events);
	counts = pipeline_counts(bench.pipeline);
	assert_int_equal(counts[PIPE_INSTRUCTIONS], 1);
	assert_true(counts[PIPE_CYCLES] >= 100 && counts[PIPE_CYCLES] < 250); /* 32 bytes a cycle */
	bench_end(&bench);
}

CODE(two_divisions, "movl $9, %eax; xorl %edx, %edx; divl %ebp; xorl %edx, %edx; divl %ebp");

/* The second waits for the first, but neither for the last round's: only the divider is shared. */
static void independent_divisions_overlap(void **state)
{
	struct bench bench;

	(void)state;
	bench_begin(&bench, "skylake", CODE_OF(two_divisions));
	assert_near(bench_rounds(&bench), 12, 0.5);
	assert_int_equal(pipeline_counts(bench.pipeline)[PIPE_DIVIDER_ACTIVE],
			 12 * (WARM_UP + ROUNDS));
	bench_end(&bench);
}

CODE(locked, "lock addq $1, (%rdi)");
CODE(serialising, "cpuid");

static void locked_and_serialising_wait(void **state)
{
	(void)state;
	assert_near(cycles_of("skylake", CODE_OF(locked)), 18, 3);
	assert_true(cycles_of("skylake", CODE_OF(serialising)) >= 100);
}

/* Every core runs every row of the table, in times that a processor could have. */
static void all_cores_run_everything(void **state)
{
	const struct core_config *config;

	(void)state;
	for (unsigned n = 0; (config = core_config_at(n)); n++) {
		assert_non_null(config->pipe.timings);
		for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) {
			double cycles = cycles_of(config->name, table[i].independent);

			if (cycles < 0.99 * table[i].instructions / config->pipe.width ||
			    cycles > 100 * table[i].instructions)
				fail_msg("%s: %s takes %.2f", config->name, table[i].name, cycles);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(published_figures_hold),
	    cmocka_unit_test(dependencies_decide),
	    cmocka_unit_test(cores_have_their_figures),
	    cmocka_unit_test(cores_differ_in_renaming_and_stores),
	    cmocka_unit_test(cores_differ_in_addresses),
	    cmocka_unit_test(stores_of_one_line_go_together),
	    cmocka_unit_test(golden_cove_is_as_measured),
	    cmocka_unit_test(carry_is_a_flag_of_its_own),
	    cmocka_unit_test(compares_join_branches),
	    cmocka_unit_test(misses_overlap_when_independent),
	    cmocka_unit_test(stores_forward),
	    cmocka_unit_test(loads_are_renamed),
	    cmocka_unit_test(mispredictions_cost_the_refill),
	    cmocka_unit_test(slots_add_up),
	    cmocka_unit_test(repeated_strings_count_once),
	    cmocka_unit_test(independent_divisions_overlap),
	    cmocka_unit_test(locked_and_serialising_wait),
	    cmocka_unit_test(all_cores_run_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
