/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction of a ChampSim trace: 64 bytes, little-endian. Source: ChampSim,
 * inc/trace_instruction.h; registers have its tracer's numbers.
 */
#ifndef SIM_EXPERIMENT_CHAMPSIM_H
#define SIM_EXPERIMENT_CHAMPSIM_H

#include <stdint.h>

enum { CHAMPSIM_DESTINATIONS = 2, CHAMPSIM_SOURCES = 4 };

/* Registers by which ChampSim knows the kinds of branches. */
enum { CHAMPSIM_STACK_POINTER = 6, CHAMPSIM_FLAGS = 25, CHAMPSIM_INSTRUCTION_POINTER = 26 };

struct champsim_insn {
	uint64_t ip;
	uint8_t is_branch, taken;
	uint8_t destinations[CHAMPSIM_DESTINATIONS],
	    sources[CHAMPSIM_SOURCES];                                   /* registers; 0: none */
	uint64_t stores[CHAMPSIM_DESTINATIONS], loads[CHAMPSIM_SOURCES]; /* addresses; 0: none */
};

_Static_assert(sizeof(struct champsim_insn) == 64, "ChampSim's format");

#endif
