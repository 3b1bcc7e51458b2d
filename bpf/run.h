/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a program, in line where programs are attached: from its begin to its end. */
#ifndef BPF_RUN_H
#define BPF_RUN_H

#include "bpf/bpf.h"
#include "bpf/cpu.h"
#include "bpf/ops.h"

/* run.c: what is so when a run begins. Context: task. */
void run_prepare(struct run *run);
/* The end of a run that failed or has records: what it returns. Context: any. */
uint64_t run_clean(struct run *run, uint64_t result);

static inline uint64_t run_here(struct run *run, struct bpf_program *program,
				const struct bpf_context *context)
{
	uint64_t result;

	run->program = program;
	run->context = context;
	run->left = RUN_MOST;
	run->begun = 0;
	run->reg[1] = run_pointer(REGION_CONTEXT, 0);
	result = interpret(run, program->entry, run->reg);
	return (run->failed | run->has_records) ? run_clean(run, result) : result;
}

/* Runs the program: what it returns, 0 when it did something that it must not, or one is already
 * running on this processor, as on Linux. An NMI in between finds a run or leaves none. Context:
 * any. */
static inline uint64_t program_run(struct bpf_program *program, const struct bpf_context *context)
{
	struct bpf_cpu *cpu = bpf_this_cpu();
	uint64_t result;

	if (__atomic_load_n(&cpu->running, __ATOMIC_RELAXED)) {
		__atomic_add_fetch(&program->misses, 1, __ATOMIC_RELAXED);
		return 0;
	}
	__atomic_store_n(&cpu->running, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	result = run_here(&cpu->run, program, context);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&cpu->running, false, __ATOMIC_RELAXED);
	return result;
}

#endif
