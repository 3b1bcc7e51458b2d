/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace of the program's instructions, from its blocks and accesses: ChampSim's format, a line
 * for each branch, or a line for each instruction and access. Portable; knows no QEMU.
 */
#ifndef SIM_EXPERIMENT_TRACE_H
#define SIM_EXPERIMENT_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "emulator/sim/cpu/code.h"
#include "emulator/sim/experiment/options.h"

struct trace;

/* Writes to `file`, which the caller keeps. Returns NULL if there is no memory. */
struct trace *trace_new(FILE *file, enum trace_format format);

/* Writes what is left, as if the program continued after its last block. */
void trace_free(struct trace *trace);

/* A block of the program is about to run. */
void trace_block(struct trace *trace, const struct code_block *block);

/* An instruction of it has accessed memory. */
void trace_access(struct trace *trace, const struct code_insn *insn, uint64_t vaddr, unsigned size,
		  bool store);

/* The program's next block is not traced: writes the last one. to: where the program continues. */
void trace_break(struct trace *trace, uint64_t to);

#endif
