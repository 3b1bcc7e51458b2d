/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a program's run, inline where programs are attached; interpret() has its end. */
#ifndef BPF_RUN_H
#define BPF_RUN_H

#include "bpf/bpf.h"
#include "bpf/cpu.h"
#include "bpf/ops.h"

/* run.c: initialises the constant part of a run. Context: task. */
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
	run->left = RUN_MAX;
	run->reg[1] = run_pointer(REGION_CONTEXT, 0);
	return true;
}

/* Runs it to its end: returns its result, or 0 if it did something invalid. Context: any. */
static inline uint64_t run_go(struct run *run)
{
	return interpret(run, run->program->entry, run->reg);
}

#endif
