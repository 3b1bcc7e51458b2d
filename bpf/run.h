/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a program, in line where programs are attached: its begin; interpret() has its end. */
#ifndef BPF_RUN_H
#define BPF_RUN_H

#include "bpf/bpf.h"
#include "bpf/cpu.h"
#include "bpf/ops.h"

/* run.c: what is so when a run begins. Context: task. */
void run_prepare(struct run *run);

/* This processor's run. */
static inline struct run *run_here(void)
{
	return &bpf_this_cpu()->run;
}

/* Begins a run of the program, with its context not yet filled in; false: a program is already
 * running on this processor, as on Linux. A nested NMI sees a complete run or none. Context:
 * any. */
static inline bool run_begin(struct run *run, struct bpf_program *program)
{
	if (run->running) {
		__atomic_add_fetch(&program->misses, 1, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_store_n(&run->running, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	run->program = program;
	run->left = RUN_MOST;
	run->reg[1] = run_pointer(REGION_CONTEXT, 0);
	return true;
}

/* Runs it to its end: what it returns, 0 when it did something that it must not. Context: any. */
static inline uint64_t run_go(struct run *run)
{
	return interpret(run, run->program->entry, run->reg);
}

#endif
