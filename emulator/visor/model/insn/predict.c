/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The branch predictor: two-bit saturating counters (J. E. Smith, "A Study of Branch Prediction
 * Strategies", 1981), the last target of each indirect branch, a return stack.
 */
#include "emulator/visor/model/insn/predict.h"

#define STRONGLY_TAKEN 3
#define WEAKLY_TAKEN   2

/* Returns an entry; neighbouring branches get different ones. entries is a power of two. */
static unsigned slot(uint64_t address, unsigned entries)
{
	return (address ^ address >> 10 ^ address >> 20) & (entries - 1);
}

static bool mispredicts_condition(struct predictor *p, uint64_t from, bool taken)
{
	uint8_t *counter = &p->conditions[slot(from, PREDICT_CONDITIONS)];
	bool expected = *counter >= WEAKLY_TAKEN;

	if (taken && *counter < STRONGLY_TAKEN)
		++*counter;
	if (!taken && *counter > 0)
		--*counter;
	return expected != taken;
}

static bool mispredicts_target(struct predictor *p, uint64_t from, uint64_t to)
{
	uint64_t *target = &p->targets[slot(from, PREDICT_TARGETS)];
	bool expected = *target == to;

	*target = to;
	return !expected;
}

static void push_return(struct predictor *p, uint64_t address)
{
	p->returns[p->top] = address;
	p->top = (p->top + 1) % PREDICT_RETURNS;
}

static bool mispredicts_return(struct predictor *p, uint64_t to)
{
	p->top = (p->top + PREDICT_RETURNS - 1) % PREDICT_RETURNS;
	return p->returns[p->top] != to;
}

bool predict_branch(struct predictor *predictor, struct insn insn, uint64_t from, uint64_t to)
{
	uint64_t next = from + insn.length;

	switch (insn.kind) {
	case INSN_JCC:
		return mispredicts_condition(predictor, from, to != next);
	case INSN_JMP_INDIRECT:
		return mispredicts_target(predictor, from, to);
	case INSN_CALL_INDIRECT:
		push_return(predictor, next);
		return mispredicts_target(predictor, from, to);
	case INSN_CALL:
		push_return(predictor, next);
		return false;
	case INSN_RET:
		return mispredicts_return(predictor, to);
	default:
		return false;
	}
}
