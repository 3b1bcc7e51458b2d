/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipeline's state packed into words: pipelines with equal words behave alike from then on. */
#ifndef CORE_PIPE_MEMO_STATE_H
#define CORE_PIPE_MEMO_STATE_H

#include "emulator/sim/pipeline/pipeline_state.h"

#define PACKED_MAX 2048

struct packed {
	unsigned nr;
	bool too_far; /* some time is too far from the present for a word */
	uint16_t words[PACKED_MAX];
};

/* Returns when the word (enum time_word: a register or TIME_FENCE) is ready, as of the last
 * block. */
uint64_t state_word(const struct pipeline *pipeline, unsigned word);
/* Returns an upper bound of the fill buffers in use, as of the last block. */
unsigned state_filled(const struct pipeline *pipeline);
/* Returns when each fill buffer becomes free, as of the last block, unordered; fills in all of
 * them. */
void state_fills(const struct pipeline *pipeline, uint64_t fill[FILL_BUFFERS_MAX]);
/* Returns false if the state cannot be packed. */
bool state_pack(const struct pipeline *pipeline, struct packed *packed);
/* Unpacks the words to the pipeline's state, relative to its `cycles`. */
void state_unpack(struct pipeline *pipeline, const uint16_t *words);
/* Also zero-fills the words up to a multiple of four. */
uint64_t packed_hash(struct packed *packed);

#endif
