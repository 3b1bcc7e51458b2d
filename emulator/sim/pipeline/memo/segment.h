/* SPDX-License-Identifier: BSD-2-Clause */
/* Micro-operations, and the segments of blocks that the pipeline schedules as one unit. Private to
 * it. */
#ifndef CORE_PIPE_SEGMENT_H
#define CORE_PIPE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/decode/decode.h"
#include "emulator/sim/pipeline/block.h"

/* Values with a ready time in the pipeline, besides enum pipe_register. */
enum time_word {
	TIME_FENCE = REG_MISC + 1,   /* loads and stores begin no earlier */
	TIME_RETIRED,                /* all so far have retired */
	TIME_BRANCH,                 /* the last branch has been executed */
	TIME_STORED,                 /* by store of the segment: its data can be forwarded */
	REG_ZERO = TIME_STORED + 16, /* always there */
	REG_LOADED,                  /* results of this instruction's loads, first and second */
	REG_LOADED_2,
	REG_RESULT, /* the value that it stores */
	REG_SINK,   /* never read */
	REG_BLEND,  /* a result before its register's upper half is added */
	REG_PART,   /* by general register: a part that is renamed apart, within a segment */
	TIME_WORDS = REG_PART + 16,
};

#define UOP_SOURCES 4
#define UOP_RESULTS 4
#define PORT_PARTS  12 /* of a micro-operation: 1, 2, 3, 4 and 6 ports can share it evenly */
#define NO_PORT     0xff

/* Resources that are busy for many cycles (dividers, microcode sequencer) are ports besides the
 * issue ports. */
enum { PORT_DIV = PIPE_PORTS_MAX, PORT_FDIV, PORT_SEQUENCER, ALL_PORTS };

enum uop_kind {
	UOP_NONE, /* takes no port; its results are there with its sources */
	UOP_EXECUTE,
	UOP_LOAD,
	UOP_STORE_ADDRESS,
	UOP_STORE_DATA,
	UOP_SERIALISE, /* waits until all before have retired; what is after issues afterwards */
};

struct uop {
	uint16_t latency;
	uint16_t slot;   /* slots of the segment before it */
	uint16_t cycle;  /* cycles from the segment's begin until it issues */
	uint16_t ports;  /* bit n: port n can do it */
	uint8_t choices; /* how many can */
	uint8_t kind;
	uint8_t port;   /* the one that most likely does it, or NO_PORT */
	uint8_t queue;  /* cycles that this port has then taken for the segment's earlier ones */
	uint8_t memory; /* of loads and stores: which of the segment's */
	uint8_t unit;   /* PORT_DIV, PORT_FDIV, PORT_SEQUENCER or NO_PORT */
	uint8_t busy;   /* cycles that it keeps the unit */
	uint16_t
	    unit_queue; /* cycles that the unit has then taken for the segment's earlier ones */
	bool branch;    /* the block's branch is decided by it */
	bool fence;     /* later memory accesses wait for it */
	uint8_t source[UOP_SOURCES], result[UOP_RESULTS];
};

#define SEGMENT_UOPS_MAX   48 /* the last instruction may go beyond SEGMENT_UOPS */
#define SEGMENT_UOPS       20
#define SEGMENT_MEMORY_MAX 16
#define SEGMENT_MEMORY     12
#define SEGMENTS_IN_BUFFER 4 /* at least, of a core's ROB, load buffer and store buffer */
#define INSN_UOPS_MAX      (SEGMENT_UOPS_MAX - SEGMENT_UOPS)

struct segment_memory {
	uint16_t insn; /* of the block's */
	bool store;
	uint8_t number; /* of the segment's stores */
};

#define SUMMARY_INPUTS  12
#define SUMMARY_OUTPUTS 16
#define SUMMARY_NEVER   INT16_MIN

typedef int16_t summary_lanes __attribute__((vector_size(16)));

/*
 * The summary of a segment without surprises, in max-plus form: output o is ready base[o] cycles
 * after the segment's start, and delta[i][o] cycles after input i.
 */
struct summary {
	summary_lanes base[SUMMARY_OUTPUTS / 8];
	summary_lanes delta[SUMMARY_INPUTS][SUMMARY_OUTPUTS / 8];
	uint8_t input[SUMMARY_INPUTS], output[SUMMARY_OUTPUTS];
	uint8_t inputs, outputs; /* outputs 0: there is no summary */
};

/* A segment's use of a port: micro-operations, or fractions if several ports share them. */
struct segment_port {
	uint8_t port;
	uint16_t parts; /* of PORT_PARTS */
};

struct segment {
	struct uop *uops;
	uint16_t uop_count;
	uint16_t slots;
	uint16_t first_insn, insns;
	uint16_t loads, stores; /* entries of the buffers */
	uint16_t drain;         /* time for its stores in L1D, in DRAIN_PARTS */
	uint16_t memory_count;
	uint16_t first_memory, first_store; /* of the block's before them */
	uint8_t port_count;
	bool serialising;      /* is one instruction that is alone in the pipeline */
	union block_adds adds; /* its part of the block's */
	struct segment_port ports[ALL_PORTS];
	struct segment_memory memory[SEGMENT_MEMORY_MAX];
	struct summary summary;
};

/* Returns true if the segment has its share of a buffer: it keeps all entries until its last
 * micro-operation is done, so a few segments must fit. */
static inline bool segment_has_share(const struct segment *segment, const struct pipe_config *pipe)
{
	return segment->slots * SEGMENTS_IN_BUFFER >= pipe->rob ||
	       segment->loads * SEGMENTS_IN_BUFFER >= pipe->load_buffer ||
	       segment->stores * SEGMENTS_IN_BUFFER >= pipe->store_buffer;
}

/* Drops unused results and computes the sums, once micro-operations and ports are known. */
void summarise(struct segment *segment);

#endif
