/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated pipeline takes any bytes, and its memory of blocks changes no result. */
#include "tests/sim/pipe_bench.h"

/* No byte sequence makes the decoder or the blocks fail. */
static void random_bytes_are_blocks(void **state)
{
	const struct core_config *config = core_config_find("skylake");
	struct pipeline *pipeline = pipeline_new(config);
	uint32_t random = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct block_events events = {.executed = 1};
		struct insn_bytes insn;
		struct block *block;
		uint8_t bytes[15];

		for (unsigned k = 0; k < sizeof(bytes); k++)
			bytes[k] = (random = random * 1664525 + 1013904223) >> 24;
		insn = (struct insn_bytes){0x1000, bytes, 1 + random % 15};
		block = block_new(config, &insn, 1);
		assert_non_null(block);
		pipeline_block(pipeline, block, &events);
		pipeline_forget_blocks(pipeline);
		block_free(block);
	}
	assert_int_equal(pipeline_instructions(pipeline), 20000);
	assert_null(block_new(config, NULL, 0));
	pipeline_free(pipeline);
}

CODE(loop, "1: addq $1, %rax; decq %rcx; jne 1b");
CODE(mixed, "leaq 8(%rdi), %rdx; movq (%rdx), %rdx; movq %rax, (%rsp); imulq 8(%rsp), %rbx; divl "
	    "%ecx; addsd %xmm0, %xmm1; jne 1b");
CODE(memory,
     "pushq %rax; movq (%rsp), %rdx; addl %eax, (%rdi); popq %rcx; movq (%rsi), %rsi; 1: jne 1b");
CODE(fenced, "lock incl (%rdi); movq (%rsi), %rax; mfence; movq %rax, 8(%rdi)");

/* One processor whose blocks' ways it may remember, and one whose blocks are always new to it. */
struct twins {
	struct pipeline *pipeline[2];
	struct block *block[4][2];
	unsigned insns[4];
};

/* Each access of the block, should it come next, begins in the same cycle. */
static void twins_begin(const struct twins *twins, unsigned which)
{
	struct block *const *block = twins->block[which];

	for (unsigned i = 0; i < 2 * block[0]->insns; i++)
		assert_int_equal(pipeline_begin(twins->pipeline[0], block[0], i / 2, i & 1),
				 pipeline_begin(twins->pipeline[1], block[1], i / 2, i & 1));
}

static void twins_run(struct twins *twins, unsigned which, uint32_t random)
{
	struct access_result result = {.level = random >> 8 & 15 ? MEM_L1 : MEM_L2, .latency = 14};
	struct block_events events = {.executed = twins->insns[which],
				      .outcome = (random >> 12 & BRANCH_TAKEN) |
						 (random >> 13 & 31 ? 0 : BRANCH_MISPREDICTED),
				      .fetch_cycles = random >> 18 & 63 ? 0 : 20};

	for (unsigned twin = 0; twin < 2; twin++) {
		struct block *block = twins->block[which][twin];

		for (unsigned i = 0; i < block->insns; i++)
			for (unsigned store = 0; store < 2; store++)
				pipeline_access(
				    twins->pipeline[twin], block,
				    &(struct block_access){.vaddr = 0x1000 + 8 * (random >> i & 3),
							   .insn = i,
							   .size = 8,
							   .store = store,
							   .result = &result});
		block->seen = twin ? 0 : block->seen;
		pipeline_block(twins->pipeline[twin], block, &events);
	}
	if (!(random >> 22))
		for (unsigned twin = 0; twin < 2; twin++)
			pipeline_interrupt(twins->pipeline[twin]);
}

/* Following what is remembered gives the cycles and counts of working it out. Rounds of loops. */
static void remembering_changes_nothing(const char *core)
{
	const struct core_config *config = core_config_find(core);
	const struct code codes[] = {CODE_OF(mixed), CODE_OF(memory), CODE_OF(fenced),
				     CODE_OF(loop)};
	struct twins twins = {{pipeline_new(config), pipeline_new(config)}, {{0}}, {0}};
	uint32_t random = 1, kept = 0;

	for (unsigned i = 0; i < 8; i++)
		twins.block[i / 2][i % 2] = block_of(config, codes[i / 2], &twins.insns[i / 2]);
	for (unsigned i = 0; i < 40000; i++) {
		random = random * 1664525 + 1013904223;
		if (!(i % 50))
			kept = random;
		twins_run(&twins, (kept >> 4 & 3) ^ (i & kept & 1),
			  i % 50 > 10 ? kept | 1u << 31 : random);
		assert_int_equal(pipeline_cycles(twins.pipeline[0]),
				 pipeline_cycles(twins.pipeline[1]));
		twins_begin(&twins, i & 3);
	}
	assert_memory_equal(pipeline_counts(twins.pipeline[0]), pipeline_counts(twins.pipeline[1]),
			    PIPE_COUNTS * sizeof(uint64_t));
	for (unsigned twin = 0; twin < 2; twin++) {
		pipeline_free(twins.pipeline[twin]);
		for (unsigned i = 0; i < 4; i++)
			block_free(twins.block[i][twin]);
	}
}

static void remembering_changes_nothing_on_any_core(void **state)
{
	(void)state;
	for (size_t i = 0; core_config_at(i); i++)
		remembering_changes_nothing(core_config_at(i)->name);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_bytes_are_blocks),
	    cmocka_unit_test(remembering_changes_nothing_on_any_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
