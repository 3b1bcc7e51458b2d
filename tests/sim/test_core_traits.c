/* SPDX-License-Identifier: BSD-2-Clause */
/* Traits of cores beyond the timings of their instructions: false dependencies,
 * parts of registers, upper halves of vector registers, microcode. */
#include "tests/sim/pipe_bench.h"

struct row {
	const char *core, *name;
	struct code code;
	double cycles;
};

static double cycles_after(const char *core, struct code first, struct code code)
{
	struct bench bench;
	struct block *block;
	double cycles;
	unsigned count;

	bench_begin(&bench, core, code);
	if (first.begin) {
		block = block_of(bench.pipeline ? core_config_find(core) : NULL, first, &count);
		pipeline_block(bench.pipeline, block, &(struct block_events){.executed = count});
		cycles = bench_rounds(&bench);
		pipeline_forget_blocks(bench.pipeline);
		block_free(block);
	} else {
		cycles = bench_rounds(&bench);
	}
	bench_end(&bench);
	return cycles;
}

/* Runs the rows, each after `first`, and compares. */
static void run_rows(const struct row *rows, unsigned count, struct code first)
{
	for (unsigned i = 0; i < count; i++) {
		double cycles = cycles_after(rows[i].core, first, rows[i].code);

		print_message("# %-12s %-34s %6.2f (%5.2f)\n", rows[i].core, rows[i].name, cycles,
			      rows[i].cycles);
		assert_near(cycles, rows[i].cycles, 0.12 + 0.03 * rows[i].cycles);
	}
}

#define RUN(rows) run_rows(rows, sizeof(rows) / sizeof(*(rows)), (struct code){NULL, NULL})

CODE(popcnt, "popcntq %rbx, %rax");
CODE(popcnt_free, "xorl %eax, %eax; popcntq %rbx, %rax");
CODE(lzcnt, "lzcntq %rbx, %rax");
CODE(tzcnt, "tzcntq %rbx, %rax");
CODE(bsf, "bsfq %rbx, %rax");
CODE(cvt, "cvtsi2sdl %ebx, %xmm0");
CODE(vcvt, "vcvtsi2sdl %ebx, %xmm1, %xmm0");
CODE(sqrtss, "sqrtss %xmm1, %xmm0");
CODE(vperm, "vpermd %ymm1, %ymm2, %ymm0");
CODE(vpermilps, "vpermilps $1, %ymm1, %ymm0");

/*
 * One instruction again and again, with the same destination: 1 cycle or less where only the unit
 * limits it, its latency where it waits for its result. uops.info, latency from operand 1 to 1 (SKL
 * POPCNT 3, LZCNT, TZCNT 0; ADL-P and Zen 0); LLVM 19, X86.td, false-deps-popcnt and
 * false-deps-perm. Nehalem: as Sandy Bridge.
 */
static void false_dependencies(void **state)
{
	static const struct row rows[] = {
	    {"nehalem", "POPCNT", CODE_OF(popcnt), 3},
	    {"skylake", "POPCNT", CODE_OF(popcnt), 3},
	    {"golden-cove", "POPCNT", CODE_OF(popcnt), 1},
	    {"gracemont", "POPCNT", CODE_OF(popcnt), 1},
	    {"zen2", "POPCNT", CODE_OF(popcnt), 0.25},
	    {"zen4", "POPCNT", CODE_OF(popcnt), 0.25},
	    {"skylake", "XOR; POPCNT", CODE_OF(popcnt_free), 1},
	    {"skylake", "LZCNT", CODE_OF(lzcnt), 1},
	    {"skylake", "TZCNT", CODE_OF(tzcnt), 1},
	    {"golden-cove", "LZCNT", CODE_OF(lzcnt), 1},
	    {"zen2", "TZCNT", CODE_OF(tzcnt), 0.5},
	    {"skylake", "BSF", CODE_OF(bsf), 3},
	    {"skylake", "CVTSI2SD x, r", CODE_OF(cvt), 4},
	    {"skylake", "VCVTSI2SD x, x1, r", CODE_OF(vcvt), 1},
	    {"skylake", "SQRTSS x, x1", CODE_OF(sqrtss), 12},
	    {"skylake", "VPERMD", CODE_OF(vperm), 1},
	    {"golden-cove", "VPERMD", CODE_OF(vperm), 3},
	    {"golden-cove", "VPERMILPS", CODE_OF(vpermilps), 0.5},
	};

	(void)state;
	RUN(rows);
}

CODE(same_move, "movl %eax, %eax");
CODE(same_move_64, "movq %rax, %rax");
CODE(other_move, "movl %eax, %ebx; movl %ebx, %eax");

/* Moves to the same register are executed on Intel's. uops.info, MOV r32, r32, same register. */
static void moves_to_themselves(void **state)
{
	static const struct row rows[] = {
	    {"skylake", "MOV eax, eax", CODE_OF(same_move), 1},
	    {"skylake", "MOV rax, rax", CODE_OF(same_move_64), 1},
	    {"golden-cove", "MOV eax, eax", CODE_OF(same_move), 1},
	    {"nehalem", "MOV eax, eax", CODE_OF(same_move), 1},
	    {"zen2", "MOV eax, eax", CODE_OF(same_move), 0.17},
	    {"skylake", "MOV ebx, eax; MOV eax, ebx", CODE_OF(other_move), 0.5},
	};

	(void)state;
	RUN(rows);
}

CODE(imul_setnz, "1: imull %eax, %eax; imull %eax, %eax; imull %eax, %eax; decl %ecx; setnz %al; "
		 "movzbl %al, %eax; jnz 1b");
CODE(low_then_whole, "imull %eax, %eax; movb %cl, %al; addl %eax, %ebx");
CODE(high_then_whole, "imull %eax, %eax; movb %cl, %ah; addl %eax, %ebx");
CODE(word_then_whole, "imull %eax, %eax; movw %cx, %ax; addl %eax, %ebx");
CODE(low_chain, "addb $1, %al; addb $1, %al");
CODE(high_read, "movzbl %ah, %eax");
CODE(low_read, "movzbl %al, %eax");

/*
 * The loop of P. Cordes (stackoverflow.com/questions/45660139): 3 cycles on Conroe and Merom, 11 on
 * Haswell and Skylake. Parts written after a long chain: the chain continues through the merge if
 * the part is read with the rest (3 and the merge), and ends otherwise. Yonah has two ports
 * for seven operations.
 */
static void parts_of_registers(void **state)
{
	static const struct row rows[] = {
	    {"core2", "3 IMUL; DEC; SETNZ; MOVZX", CODE_OF(imul_setnz), 3},
	    {"nehalem", "3 IMUL; DEC; SETNZ; MOVZX", CODE_OF(imul_setnz), 3},
	    {"yonah", "3 IMUL; DEC; SETNZ; MOVZX", CODE_OF(imul_setnz), 3.5},
	    {"skylake", "3 IMUL; DEC; SETNZ; MOVZX", CODE_OF(imul_setnz), 11},
	    {"golden-cove", "3 IMUL; DEC; SETNZ; MOVZX", CODE_OF(imul_setnz), 11},
	    {"zen2", "3 IMUL; DEC; SETNZ; MOVZX", CODE_OF(imul_setnz), 11},
	    {"core2", "write AL, read EAX", CODE_OF(low_then_whole), 6},
	    {"core2", "write AH, read EAX", CODE_OF(high_then_whole), 6},
	    {"core2", "write AX, read EAX", CODE_OF(word_then_whole), 6},
	    {"skylake", "write AL, read EAX", CODE_OF(low_then_whole), 4},
	    {"skylake", "write AH, read EAX", CODE_OF(high_then_whole), 4},
	    {"skylake", "write AX, read EAX", CODE_OF(word_then_whole), 4},
	    {"zen2", "write AH, read EAX", CODE_OF(high_then_whole), 4},
	    {"skylake", "MOVZX eax, ah", CODE_OF(high_read), 2},
	    {"skylake", "MOVZX eax, al", CODE_OF(low_read), 1},
	    {"zen2", "MOVZX eax, ah", CODE_OF(high_read), 1},
	    {"skylake", "ADD al, 1; ADD al, 1", CODE_OF(low_chain), 2},
	    {"core2", "ADD al, 1; ADD al, 1", CODE_OF(low_chain), 2},
	};

	(void)state;
	RUN(rows);
}

CODE(sse_copies, "movaps %xmm1, %xmm0; addps %xmm2, %xmm0");
CODE(sse_zero, "pxor %xmm0, %xmm0; paddd %xmm1, %xmm0");
CODE(sse_load, "movups (%rdi), %xmm0");
CODE(vex_copies, "vmovaps %xmm1, %xmm0; vaddps %xmm2, %xmm0, %xmm0");
CODE(avx, "vaddps %ymm1, %ymm2, %ymm3");
CODE(avx_128, "vaddps %xmm1, %xmm2, %xmm3");
CODE(avx_clean, "vaddps %ymm1, %ymm2, %ymm3; vzeroupper");

/*
 * After an AVX instruction of 256 bits legacy SSE instructions blend and wait for their result's
 * register (Intel 248966, 'Mixing AVX code with SSE code', Skylake): two blends and an addition of
 * 4 cycles in a chain. VZEROUPPER ends it; VEX instructions and other cores do not care.
 */
static void upper_halves(void **state)
{
	static const struct row dirty[] = {
	    {"skylake", "MOVAPS; ADDPS, uppers in use", CODE_OF(sse_copies), 6},
	    {"skylake", "PXOR; PADDD, uppers in use", CODE_OF(sse_zero), 3},
	    {"skylake", "MOVUPS x, [m], uppers in use", CODE_OF(sse_load), 1},
	    {"golden-cove", "MOVAPS; ADDPS, uppers in use", CODE_OF(sse_copies), 5},
	    {"zen2", "MOVAPS; ADDPS, uppers in use", CODE_OF(sse_copies), 0.5},
	    {"skylake", "VMOVAPS; VADDPS", CODE_OF(vex_copies), 0.5},
	};
	static const struct row clean[] = {
	    {"skylake", "MOVAPS; ADDPS", CODE_OF(sse_copies), 0.5},
	    {"skylake", "PXOR; PADDD", CODE_OF(sse_zero), 0.5},
	    {"skylake", "MOVUPS x, [m]", CODE_OF(sse_load), 0.5},
	};

	(void)state;
	run_rows(dirty, sizeof(dirty) / sizeof(*dirty), CODE_OF(avx));
	run_rows(clean, sizeof(clean) / sizeof(*clean), CODE_OF(avx_clean));
	run_rows(clean, sizeof(clean) / sizeof(*clean), CODE_OF(avx_128));
}

CODE(loop, "1: loop 1b");
CODE(loope, "1: loope 1b");
CODE(jrcxz, "1: jrcxz 1b");

/* Agner Fog, instruction tables (LOOP: 7 micro-operations on Skylake, 6 on Nehalem, 11 on Merom);
 * uops.info, LOOPNE (6.00 on ADL-P). */
static void loops_by_counter(void **state)
{
	static const struct row rows[] = {
	    {"skylake", "LOOP", CODE_OF(loop), 5},   {"nehalem", "LOOP", CODE_OF(loop), 4},
	    {"core2", "LOOP", CODE_OF(loop), 5},     {"k10", "LOOP", CODE_OF(loop), 4},
	    {"zen2", "LOOP", CODE_OF(loop), 1},      {"zen4", "LOOP", CODE_OF(loop), 1},
	    {"skylake", "LOOPE", CODE_OF(loope), 6}, {"golden-cove", "LOOPE", CODE_OF(loope), 6},
	    {"skylake", "JRCXZ", CODE_OF(jrcxz), 1},
	};

	(void)state;
	RUN(rows);
}

#define MASK "vpcmpeqd %ymm1, %ymm1, %ymm1; vpxor %xmm0, %xmm0, %xmm0; "
CODE(gather_dd_y, MASK "vpgatherdd %ymm1, (%rdi,%ymm2,4), %ymm0");
CODE(gather_dd_x, MASK "vpgatherdd %xmm1, (%rdi,%xmm2,4), %xmm0");
CODE(gather_dq_y, MASK "vpgatherdq %ymm1, (%rdi,%xmm2,8), %ymm0");
CODE(gather_dq_x, MASK "vpgatherdq %xmm1, (%rdi,%xmm2,8), %xmm0");
CODE(gather_qd_y, MASK "vpgatherqd %xmm1, (%rdi,%ymm2,4), %xmm0");
CODE(gather_qd_x, MASK "vpgatherqd %xmm1, (%rdi,%xmm2,4), %xmm0");
CODE(gather_qq_y, MASK "vpgatherqq %ymm1, (%rdi,%ymm2,8), %ymm0");
CODE(gather_qq_x, MASK "vpgatherqq %xmm1, (%rdi,%xmm2,8), %xmm0");
CODE(gather_ps_y, MASK "vgatherdps %ymm1, (%rdi,%ymm2,4), %ymm0");
CODE(gather_pd_y, MASK "vgatherdpd %ymm1, (%rdi,%xmm2,8), %ymm0");
CODE(gather_qps_y, MASK "vgatherqps %xmm1, (%rdi,%ymm2,4), %xmm0");
CODE(gather_qpd_x, MASK "vgatherqpd %xmm1, (%rdi,%xmm2,8), %xmm0");

/* All gathers: loads, one an element (SDM vol. 2, VPGATHERDD and its kind), and cycles: uops.info,
 * VPGATHERDD ymm 5.00 on SKL, 8.00 on ZEN3; Agner Fog, 4 for four elements. */
static void gathers(void **state)
{
	static const struct {
		struct row row;
		unsigned loads;
	} rows[] = {
	    {{"skylake", "VPGATHERDD y", CODE_OF(gather_dd_y), 5}, 8},
	    {{"skylake", "VPGATHERDD x", CODE_OF(gather_dd_x), 4}, 4},
	    {{"skylake", "VPGATHERDQ y", CODE_OF(gather_dq_y), 4}, 4},
	    {{"skylake", "VPGATHERDQ x", CODE_OF(gather_dq_x), 4}, 2},
	    {{"skylake", "VPGATHERQD y", CODE_OF(gather_qd_y), 4}, 4},
	    {{"skylake", "VPGATHERQD x", CODE_OF(gather_qd_x), 4}, 2},
	    {{"skylake", "VPGATHERQQ y", CODE_OF(gather_qq_y), 4}, 4},
	    {{"skylake", "VPGATHERQQ x", CODE_OF(gather_qq_x), 4}, 2},
	    {{"skylake", "VGATHERDPS y", CODE_OF(gather_ps_y), 5}, 8},
	    {{"skylake", "VGATHERDPD y", CODE_OF(gather_pd_y), 4}, 4},
	    {{"skylake", "VGATHERQPS y", CODE_OF(gather_qps_y), 4}, 4},
	    {{"skylake", "VGATHERQPD x", CODE_OF(gather_qpd_x), 4}, 2},
	    {{"zen4", "VPGATHERDD y", CODE_OF(gather_dd_y), 8}, 8},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bench bench;

		run_rows(&rows[i].row, 1, (struct code){NULL, NULL});
		bench_begin(&bench, rows[i].row.core, rows[i].row.code);
		assert_int_equal(bench.block->adds.each[PIPE_LOADS], rows[i].loads);
		bench_end(&bench);
	}
}

CODE(down, "std");
CODE(up, "std; cld");
CODE(movsb, "rep movsb");
CODE(movsq, "rep movsq");
CODE(stosb, "rep stosb");
CODE(stosd, "rep stosl");
CODE(lodsb, "rep lodsb");
CODE(cmpsb, "repe cmpsb");
CODE(scasb, "repne scasb");

#define ITERATIONS 4096

/* Cycles of a string instruction of ITERATIONS iterations, in the direction that `first` sets. */
static double string_cycles(struct code first, struct code code)
{
	const struct core_config *config = core_config_find("skylake");
	struct bench bench;
	struct block *direction;
	uint64_t before;
	unsigned count;

	bench_begin(&bench, "skylake", code);
	direction = block_of(config, first, &count);
	pipeline_block(bench.pipeline, direction, &(struct block_events){.executed = count});
	pipeline_drain(bench.pipeline);
	before = pipeline_cycles(bench.pipeline);
	for (unsigned i = 0; i < ITERATIONS; i++)
		pipeline_block(bench.pipeline, bench.block, &bench.events);
	pipeline_drain(bench.pipeline);
	before = pipeline_cycles(bench.pipeline) - before;
	pipeline_forget_blocks(bench.pipeline);
	block_free(direction);
	bench_end(&bench);
	return (double)before;
}

/*
 * All string instructions, up and down: MOVS and STOS go by 32 bytes a cycle upwards, by elements
 * downwards; what compares or loads takes two cycles an element both ways. Intel 248966, 'REP
 * prefix and data movement'; Agner Fog, instruction tables.
 */
static void string_instructions(void **state)
{
	static const struct {
		const char *name;
		struct code code;
		double up, down;
	} rows[] = {
	    {"REP MOVSB", CODE_OF(movsb), ITERATIONS / 32, ITERATIONS},
	    {"REP MOVSQ", CODE_OF(movsq), ITERATIONS / 4, ITERATIONS},
	    {"REP STOSB", CODE_OF(stosb), ITERATIONS / 32, ITERATIONS},
	    {"REP STOSD", CODE_OF(stosd), ITERATIONS / 8, ITERATIONS},
	    {"REP LODSB", CODE_OF(lodsb), 2 * ITERATIONS, 2 * ITERATIONS},
	    {"REPE CMPSB", CODE_OF(cmpsb), 2 * ITERATIONS, 2 * ITERATIONS},
	    {"REPNE SCASB", CODE_OF(scasb), 2 * ITERATIONS, 2 * ITERATIONS},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double upwards = string_cycles(CODE_OF(up), rows[i].code),
		       downwards = string_cycles(CODE_OF(down), rows[i].code);

		print_message("# %-12s of %u, up: %6.0f (%6.0f), down: %6.0f (%6.0f)\n",
			      rows[i].name, ITERATIONS, upwards, rows[i].up, downwards,
			      rows[i].down);
		assert_near(upwards, rows[i].up + 30, 30);
		assert_near(downwards, rows[i].down + 30, 30);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(false_dependencies),  cmocka_unit_test(moves_to_themselves),
	    cmocka_unit_test(parts_of_registers),  cmocka_unit_test(upper_halves),
	    cmocka_unit_test(loops_by_counter),    cmocka_unit_test(gathers),
	    cmocka_unit_test(string_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
