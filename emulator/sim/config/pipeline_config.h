/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of a core's pipeline: widths, buffers, penalties, execution ports, instruction
 * timings. */
#ifndef CORE_PIPE_CONFIG_H
#define CORE_PIPE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/insn_class.h"

#define PIPE_PORTS_MAX 16

/* Kinds of execution units: each core maps them to ports. */
enum pipe_unit {
	UNIT_NONE,
	UNIT_ALU,
	UNIT_SHIFT, /* also conditional moves, SETcc, ADC, BT where they share ports */
	UNIT_LEA,
	UNIT_MUL,  /* multiplications, bit counts, CRC32, the slow LEA */
	UNIT_DIV,  /* the divider of integers */
	UNIT_JCC,  /* conditional branches */
	UNIT_JUMP, /* branches that are always taken */
	UNIT_LOAD,
	UNIT_STORE_ADDRESS,
	UNIT_STORE_DATA,
	UNIT_STORE_VECTOR, /* for a vector register; without ports: as UNIT_STORE_DATA */
	UNIT_VLOGIC,
	UNIT_VINT,
	UNIT_VSAT, /* vector compares, minima, averages */
	UNIT_VSHIFT,
	UNIT_VMUL,
	UNIT_SHUFFLE,
	UNIT_FADD,
	UNIT_FMUL,
	UNIT_FDIV,
	UNIT_FCVT,
	UNIT_TO_VECTOR,
	UNIT_FROM_VECTOR, /* also MOVMSK, PTEST, COMIS */
	UNIT_X87,
	UNIT_CRYPT,
	UNIT_CLMUL,
	UNITS,
};

#define NO_SLOT 0xff /* takes no slot: in no core here, but in other simulators' models */

/* Micro-operations of one kind. */
struct timing_uops {
	uint8_t unit; /* enum pipe_unit */
	uint8_t count;
};

/*
 * The timing of one class of instructions on one core. The first kind of micro-operations computes
 * the result, latency cycles after its sources; the others only use ports. All zero: as for the
 * base core.
 */
struct timing {
	uint16_t latency;
	uint8_t slots; /* of the front end. 0: as many as micro-operations, at least one; NO_SLOT */
	struct timing_uops uops[3];
	uint8_t busy; /* cycles that the first one's divider, of an ALU's the sequencer of
			 microcode, takes nothing else; 0 and 1: pipelined */
};

/* A core's timings: rows that differ from its base's, and the base, NULL at the end. */
struct timings {
	const struct timings *base;
	struct timing rows[CLASSES];
};

/* Macro-fusion in the front end: a compare or other ALU instruction and the next conditional
 * branch. */
enum macro_fusion {
	FUSE_NONE,
	FUSE_TEST,   /* CMP and TEST */
	FUSE_SIMPLE, /* CMP, TEST, ADD, SUB, AND, INC, DEC, with the flags that each may */
};

/* Instructions that some cores let wait for the register that they write, without need. */
enum false_dependency {
	FALSE_POPCNT = 1 << 0,
	FALSE_COUNT = 1 << 1, /* LZCNT, TZCNT */
	FALSE_LANES = 1 << 2, /* VPERMD, VPERMQ, VPERMPS, VPERMPD */
};

/* Parts of general registers that are renamed apart from the rest: writes to others wait for it. */
enum partial_registers { PARTIAL_NONE, PARTIAL_HIGH, PARTIAL_ALL };

/* Which loads take their bytes from one store before them; of all others they must be in L1D. */
enum forwarding {
	FORWARD_CONTAINED, /* any whose bytes are all the store's */
	FORWARD_START,     /* only from the store's first byte on */
	FORWARD_NATURAL,   /* also aligned ones of 4 and 8 bytes, of 2 from a store of 4 */
	FORWARD_EIGHTS,    /* of a vector store: within 8 bytes of it, or aligned in it */
};

struct pipe_config {
	uint8_t width;      /* slots a cycle from the front end into the window, 1 to 8 */
	uint16_t rob;       /* slots in flight, 16 to 1024 */
	uint16_t scheduler; /* micro-operations that wait for their sources */
	uint16_t load_buffer, store_buffer;
	uint8_t stores_a_cycle;  /* that L1D takes from the store buffer, 1 to 3 */
	uint8_t uop_cache_width; /* slots a cycle from the cache of decoded ones; 0: none */
	uint8_t decode_width;    /* instructions a cycle through the decoders */
	uint8_t fetch_bytes;     /* a cycle into the decoders */
	uint8_t taken_bubble;    /* cycles without instructions after a taken branch */
	uint8_t mispredict; /* cycles from a branch's execution until the right path has issued */
	uint8_t resteer;    /* cycles lost when the decoder corrects a target */
	uint8_t forward_latency; /* from a store's data to a load of them */
	uint8_t forward_blocked; /* cycles more when a load's bytes cannot be forwarded */
	uint8_t forwarding;      /* enum forwarding */
	uint8_t alias_penalty; /* cycles more when a store to the same offset of another page is in
				  the buffer; 0: none */
	uint8_t long_latency;  /* cycles more of a load but where a load gave its base, with a small
				  displacement */
	uint8_t sign_latency;  /* cycles more of a load that extends the sign */
	uint8_t vector_latency;  /* cycles more of a load into a vector register */
	uint8_t wide_latency;    /* cycles more of one of 32 bytes */
	uint8_t complex_latency; /* cycles more of a load whose address is not simple to add up */
	uint8_t vector_bytes;    /* of the vector units: wider operations take several */
	uint8_t add_chain;       /* cycles less of an FP addition whose source is one's result */
	uint8_t lock_latency;    /* of a locked instruction, from its load to the next load */
	uint16_t interrupt_latency; /* from an interrupt or fault until its handler's first
				       instruction issues */
	uint16_t machine_clear;     /* cycles lost when code that is executed was written */
	uint16_t fp_assist;         /* cycles lost to a denormal number; 0: none needs an assist */
	uint8_t fp_assists;         /* bit n: of operation n of enum fp_operation */
	uint8_t fusion;             /* enum macro_fusion */
	bool micro_fusion;    /* a load and its operation, a store's address and data: one slot */
	bool split_stores;    /* else: a store's address and its data are two slots */
	bool memory_fusion;   /* an operation and its store are also one slot */
	bool zero_idioms;     /* XOR and its kind with one register take no unit */
	bool zeros_wait;      /* where they take one, they wait for the register besides */
	bool eliminate_moves; /* register moves take no unit */
	bool eliminate_extensions; /* with them MOVZX of a byte */
	bool eliminate_vector_moves;
	bool eliminate_same_moves;  /* also moves of a register to itself */
	uint8_t false_dependencies; /* enum false_dependency */
	uint8_t partial_registers;  /* enum partial_registers */
	uint8_t partial_latency;    /* cycles until a part and the rest are one register again */
	uint8_t partial_slots;      /* slots that this takes in the front end */
	bool upper_blends; /* SSE instructions blend with upper halves that may not be zero, and
			      wait for their result's register */
	bool eliminate_additions; /* of small constants take no unit and no time */
	bool memory_renaming;     /* loads take the data of a store to the same base and
				     displacement in no time */
	bool one_line;            /* several stores leave in a cycle to one line only */
	uint16_t ports[UNITS];    /* bit n: port n has this unit */
	const struct timings *timings;
	uint16_t latencies[CLASSES]; /* in place of the timings' ones, + 1; 0: the timings' */
};

/* Operations with denormal numbers that need an assist: all up to Nehalem, later additions need
 * none (enum fp_operation: 1 to 4). */
#define ASSIST_ALL      0x1e
#define ASSIST_PRODUCTS 0x1c

/* The tables of timings, each with its sources. */
extern const struct timings timings_yonah, timings_core2, timings_nehalem, timings_skylake,
    timings_golden_cove;
extern const struct timings timings_gracemont, timings_k10, timings_zen2, timings_zen4;

#endif
