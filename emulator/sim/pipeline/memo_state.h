/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipeline's state as words: two pipelines of the same words behave alike from then on. */
#ifndef CORE_PIPE_MEMO_STATE_H
#define CORE_PIPE_MEMO_STATE_H

#include "emulator/sim/pipeline/pipeline_state.h"

#define PACKED_MAX 2048

struct packed {
	unsigned nr;
	bool too_far; /* some time is too far from the present for a word */
	uint16_t words[PACKED_MAX];
};

/* When the word (enum time_word, of a register or TIME_FENCE) is there, as of the last block. */
uint64_t state_word(const struct pipeline *pipeline, unsigned word);
/* How many fill buffers are in use, as of the last block, or more. */
unsigned state_filled(const struct pipeline *pipeline);
/* When each fill buffer is free, as of the last block, in no order; fills in all of them. */
void state_fills(const struct pipeline *pipeline, uint64_t fill[FILL_BUFFERS_MAX]);
/* Returns false when words cannot say it. */
bool state_pack(const struct pipeline *pipeline, struct packed *packed);
/* Makes the words the pipeline's state, as seen from its `cycles`. */
void state_unpack(struct pipeline *pipeline, const uint16_t *words);
/* Fills the words up to a multiple of four, too. */
uint64_t packed_hash(struct packed *packed);

#endif
