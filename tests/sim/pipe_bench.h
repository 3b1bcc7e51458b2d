/* SPDX-License-Identifier: BSD-2-Clause */
/* Code assembled with a test, run round by round in a simulated pipeline. */
#ifndef TESTS_CORE_PIPE_BENCH_H
#define TESTS_CORE_PIPE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/sim/pipeline/pipeline.h"
#include "emulator/sim/options/parse.h"

#define WARM_UP 1000
#define ROUNDS  1000

/* Machine code, assembled with this file. */
#define CODE(name, text)              CODE_BETWEEN(name, name##_end, text)
#define CODE_BETWEEN(name, end, text) CODE_NAMED(name, end, text)
#define CODE_NAMED(name, end, text)                                               \
	asm(".pushsection .rodata\n" #name ": " text "\n" #end ":\n.popsection"); \
	extern const uint8_t name[], end[]

struct code {
	const uint8_t *begin, *end;
};

#define CODE_OF(name) ((struct code){name, name##_end})

/* Its one block: found by trying lengths, because the decoder takes whole instructions only. */
static inline struct block *block_of(const struct core_config *config, struct code code,
				     unsigned *count)
{
	struct insn_bytes insns[64];
	unsigned length;
	struct insn insn;

	for (*count = 0; code.begin < code.end; code.begin += length, ++*count) {
		assert_true(*count < 64);
		for (length = 1; length <= 15; length++) {
			decode_insn(code.begin, length, &insn);
			if (insn.bits == 64)
				break;
		}
		assert_true(length <= 15);
		insns[*count] = (struct insn_bytes){(uintptr_t)code.begin, code.begin, length};
	}
	return block_new(config, insns, *count);
}

struct bench {
	struct pipeline *pipeline;
	struct block *block;
	const struct block_access *access; /* of each round */
	unsigned accesses;
	struct block_events events;
};

static inline void bench_begin(struct bench *bench, const char *core, struct code code)
{
	const struct core_config *config = core_config_find(core);
	unsigned count;

	assert_non_null(config);
	memset(bench, 0, sizeof(*bench));
	bench->pipeline = pipeline_new(config);
	bench->block = block_of(config, code, &count);
	assert_non_null(bench->pipeline);
	assert_non_null(bench->block);
	bench->events.executed = count;
	bench->events.outcome = bench->block->branch != BRANCH_NONE ? BRANCH_TAKEN : 0;
}

static inline void bench_round(struct bench *bench)
{
	for (unsigned i = 0; i < bench->accesses; i++)
		pipeline_access(bench->pipeline, bench->block, &bench->access[i]);
	pipeline_block(bench->pipeline, bench->block, &bench->events);
}

/* Cycles a round, once it is steady. */
static inline double bench_rounds(struct bench *bench)
{
	uint64_t before;

	for (unsigned i = 0; i < WARM_UP; i++)
		bench_round(bench);
	before = pipeline_cycles(bench->pipeline);
	for (unsigned i = 0; i < ROUNDS; i++)
		bench_round(bench);
	return (double)(pipeline_cycles(bench->pipeline) - before) / ROUNDS;
}

static inline void bench_end(struct bench *bench)
{
	pipeline_free(bench->pipeline);
	block_free(bench->block);
}

static inline double cycles_of(const char *core, struct code code)
{
	struct bench bench;
	double cycles;

	bench_begin(&bench, core, code);
	cycles = bench_rounds(&bench);
	bench_end(&bench);
	return cycles;
}

static inline void assert_near(double value, double expected, double tolerance)
{
	if (value < expected - tolerance || value > expected + tolerance)
		fail_msg("%.3f is not %.3f +- %.3f", value, expected, tolerance);
}

#endif
