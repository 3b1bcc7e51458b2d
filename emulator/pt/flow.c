/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the guest's moves into packets: a move is encoded by the enables before and after it, as
 * far as a decoder cannot derive it from the code. SDM vol. 3, "Trace Filtering" and "Change of
 * Flow Instruction (COFI) Tracing". */
#include <stddef.h>

#include "emulator/pt/packets.h"

#define FIELD     15
#define PSB_LEAST 2048 /* bytes between two PSB, shifted by RTIT_CTL's field */
#define CR3_MATCH (~0x1full)

static bool in_context(const struct pt_state *state, const struct pt_place *place)
{
	if (!(state->ctl & (place->user ? PT_CTL_USR : PT_CTL_OS)))
		return false;
	return !(state->ctl & PT_CTL_CR3_FILTER) ||
	       (place->cr3 & CR3_MATCH) == (state->cr3_match & CR3_MATCH);
}

static bool in_range(const struct pt_state *state, unsigned i, uint64_t ip)
{
	return ip >= state->range[i][0] && ip <= state->range[i][1];
}

static unsigned range_cfg(const struct pt_state *state, unsigned i)
{
	return state->ctl >> PT_CTL_RANGE_CFG(i) & FIELD;
}

/* True if the address passes the filter ranges, or none is configured. */
static bool passes_filter(const struct pt_state *state, uint64_t ip)
{
	bool filters = false;

	for (unsigned i = 0; i < PT_RANGES; i++) {
		if (range_cfg(state, i) != PT_RANGE_FILTER)
			continue;
		if (in_range(state, i, ip))
			return true;
		filters = true;
	}
	return !filters;
}

static bool in_stop_range(const struct pt_state *state, uint64_t ip)
{
	for (unsigned i = 0; i < PT_RANGES; i++)
		if (range_cfg(state, i) == PT_RANGE_STOP && in_range(state, i, ip))
			return true;
	return false;
}

/* Computes the enable bits of RTIT_STATUS for a place. */
static uint64_t enables(const struct pt_state *state, const struct pt_place *place)
{
	return (passes_filter(state, place->ip) ? PT_STATUS_FILTER : 0) |
	       (in_context(state, place) ? PT_STATUS_CONTEXT : 0) |
	       (state->status & PT_STATUS_HALTED ? 0 : PT_STATUS_TRIGGER);
}

static bool branches(const struct pt *pt)
{
	return pt->state->ctl & PT_CTL_BRANCH;
}

static void tip(struct pt *pt, uint64_t ip)
{
	pt_flush_tnt(pt);
	pt_packet_ip(pt, PT_TIP, ip);
}

/* Remembers a call's return address. A call to the next instruction only reads RIP and is not
 * remembered. */
static void push_call(struct pt_state *state, const struct pt_move *move)
{
	if (move->to.ip == move->next)
		return;
	state->calls[state->next_call++ % PT_CALLS] = move->next;
	if (state->nr_calls < PT_CALLS)
		state->nr_calls++;
}

/* Compresses a return to the instruction after the last call into a taken branch. False: it needs a
 * TIP. */
static bool compress_return(struct pt_state *state, const struct pt_move *move)
{
	if ((state->ctl & PT_CTL_NO_RETC) || !state->nr_calls ||
	    state->calls[(state->next_call - 1) % PT_CALLS] != move->to.ip) {
		state->nr_calls = 0;
		return false;
	}
	state->nr_calls--;
	state->next_call--;
	return true;
}

/* Encodes a move that begins and ends in traced code. */
static void go_on(struct pt *pt, const struct pt_move *move)
{
	switch (move->kind) {
	case PT_CONDITIONAL:
		pt_packet_tnt(pt, move->taken);
		break;
	case PT_JUMP:
		break;
	case PT_CALL:
		push_call(pt->state, move);
		break;
	case PT_CALL_INDIRECT:
		tip(pt, move->to.ip);
		push_call(pt->state, move);
		break;
	case PT_RETURN:
		if (compress_return(pt->state, move))
			pt_packet_tnt(pt, true);
		else
			tip(pt, move->to.ip);
		break;
	case PT_EVENT:
		pt_flush_tnt(pt);
		pt_packet_ip(pt, PT_FUP, move->from);
		pt_packet_mode(pt, move->to.mode);
		pt_packet_ip(pt, PT_TIP, move->to.ip);
		break;
	case PT_FAR:
		pt_flush_tnt(pt);
		pt_time_again(pt);
		pt_packet_mode(pt, move->to.mode);
		pt_packet_ip(pt, PT_TIP, move->to.ip);
		break;
	case PT_JUMP_INDIRECT:
		pt_flush_tnt(pt);
		pt_packet_mode(pt, move->to.mode);
		pt_packet_ip(pt, PT_TIP, move->to.ip);
		break;
	}
}

/* Ends a traced stretch. The packet has an address only if an address filter ended it. */
static void leave(struct pt *pt, const struct pt_move *move)
{
	uint64_t status = pt->state->status;

	pt->state->nr_calls = 0;
	pt_flush_tnt(pt);
	if (!branches(pt))
		return;
	if (move->kind == PT_EVENT)
		pt_packet_ip(pt, PT_FUP, move->from);
	if ((status & PT_STATUS_CONTEXT) && !(status & PT_STATUS_FILTER))
		pt_packet_ip(pt, PT_TIP_PGD, move->to.ip);
	else
		pt_packet_no_ip(pt, PT_TIP_PGD);
}

static void arrive(struct pt *pt, const struct pt_place *place)
{
	pt_time_again(pt);
	if (!branches(pt))
		return;
	pt_packet_mode(pt, place->mode);
	pt_packet_ip(pt, PT_TIP_PGE, place->ip);
}

/* Updates the enables for the guest's new place. Returns PacketEn. */
static bool settle(struct pt_state *state, const struct pt_place *place)
{
	uint64_t found = enables(state, place);

	state->status = (state->status & ~PT_STATUS_ENABLES) | found;
	state->on = found == PT_STATUS_ENABLES;
	return state->on;
}

/* Stops the trace if the guest has entered a TraceStop range. */
static void stop_in_range(struct pt *pt, const struct pt_place *place)
{
	struct pt_state *state = pt->state;

	if (!(state->status & PT_STATUS_CONTEXT) || !in_stop_range(state, place->ip))
		return;
	pt_flush_tnt(pt);
	if (state->on)
		pt_packet_no_ip(pt, PT_TIP_PGD);
	pt_packet_stop(pt);
	state->on = false;
	state->status |= PT_STATUS_STOPPED;
	state->status &= ~PT_STATUS_TRIGGER;
}

/* True if the move emitted a packet: a decoder is then at the address that a PSB now repeats. */
static bool psb_may_follow(const struct pt *pt, enum pt_kind kind)
{
	return !branches(pt) || !pt->state->on || (kind != PT_JUMP && kind != PT_CALL);
}

static void psb_when_due(struct pt *pt, const struct pt_move *move)
{
	const struct pt_state *state = pt->state;
	uint64_t bytes = state->status >> PT_STATUS_BYTES & PT_STATUS_BYTES_MASK;

	if (bytes < (uint64_t)PSB_LEAST << (state->ctl >> PT_CTL_PSB_FREQ & FIELD) ||
	    !psb_may_follow(pt, move->kind))
		return;
	pt_flush_tnt(pt);
	pt_packet_psb(pt, &move->to);
}

void pt_move(struct pt *pt, const struct pt_move *move)
{
	bool was = pt->state->on, is;

	if (!pt_traces(pt->state))
		return;
	pt_time(pt);
	is = settle(pt->state, &move->to);
	if (was && is && branches(pt))
		go_on(pt, move);
	else if (was && !is)
		leave(pt, move);
	else if (!was && is)
		arrive(pt, &move->to);
	stop_in_range(pt, &move->to);
	psb_when_due(pt, move);
}

void pt_start(struct pt *pt, const struct pt_place *place)
{
	struct pt_state *state = pt->state;

	state->on = false;
	state->nr_tnt = 0;
	state->nr_calls = 0;
	state->last_cyc = pt->tsc;
	if (state->status & PT_STATUS_HALTED)
		return;
	pt_output_start(pt);
	pt_packet_psb(pt, place);
	pt_check(pt, place);
}

void pt_stop(struct pt *pt, uint64_t ip)
{
	struct pt_state *state = pt->state;

	pt_flush_tnt(pt);
	if (state->on && branches(pt)) {
		pt_packet_ip(pt, PT_FUP, ip);
		pt_packet_no_ip(pt, PT_TIP_PGD);
	}
	state->on = false;
	state->status &= ~PT_STATUS_ENABLES;
}

void pt_load_cr3(struct pt *pt, const struct pt_place *place)
{
	if (pt->state->on && branches(pt)) {
		pt_flush_tnt(pt);
		pt_packet_pip(pt, place->cr3);
	}
	pt_move(pt, &(struct pt_move){.kind = PT_JUMP, .to = *place});
}

void pt_write_value(struct pt *pt, uint64_t ip, uint64_t value, unsigned bytes)
{
	const struct pt_state *state = pt->state;
	bool with_ip = state->ctl & PT_CTL_FUP_ON_PTW;

	if (!pt_traces(state) || !state->on || !(state->ctl & PT_CTL_PTW))
		return;
	pt_time(pt);
	pt_flush_tnt(pt);
	pt_packet_ptw(pt, value, bytes, with_ip);
	if (with_ip)
		pt_packet_ip(pt, PT_FUP, ip);
}

void pt_lose(struct pt *pt, const struct pt_place *place)
{
	if (!pt_traces(pt->state))
		return;
	pt->state->lost++;
	pt_packet_overflow(pt);
	pt_packet_tsc(pt);
	if (settle(pt->state, place) && branches(pt))
		pt_packet_ip(pt, PT_FUP, place->ip);
}

void pt_check(struct pt *pt, const struct pt_place *place)
{
	struct pt_state *state = pt->state;
	bool was = state->on;

	if (!pt_traces(state) || settle(state, place) == was)
		return;
	if (was)
		pt_lose(pt, place);
	else {
		pt_time(pt);
		arrive(pt, place);
	}
}
