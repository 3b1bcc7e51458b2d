/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder of Intel Processor Trace: turns a processor's control flow into packets in its
 * memory. Portable C without global state; used by the visor, which steps, and by the simulated
 * core. Source: Intel SDM vol. 3, "Intel Processor Trace". Any context; one caller at a time for
 * one state.
 */
#ifndef PT_PT_H
#define PT_PT_H

#include <stdbool.h>

#include "abi/pt_state.h"

/* A writer of packets: its state and its access to the guest's memory. */
struct pt {
	struct pt_state *state;
	void *context; /* for at() */
	/* Memory at a physical address, to the end of its page of 4 KiB; NULL: none that may be
	 * written. */
	uint8_t *(*at)(void *context, uint64_t physical);
	uint64_t tsc; /* now: the caller sets it before each call */
	/* The current region, as it was in `generation` and at `position` (state->mask): the visor
	 * and the core write in turn. */
	uint32_t generation;
	uint64_t position;
	uint32_t size_shift;
	uint64_t region, flags; /* address; flags of its ToPA entry */
	uint8_t *page;          /* where the next byte goes, in its page; NULL: not known */
	uint64_t page_left;     /* bytes to the end of that page */
};

struct pt_place {
	uint64_t ip, cr3;
	bool user;    /* CPL 1 to 3 */
	uint8_t mode; /* enum pt_mode */
};

/* Kinds of moves. Near branches are in the order of enum core_branch_kind. */
enum pt_kind {
	PT_CONDITIONAL,
	PT_JUMP,
	PT_JUMP_INDIRECT,
	PT_CALL,
	PT_CALL_INDIRECT,
	PT_RETURN,
	PT_FAR,
	PT_EVENT, /* an interrupt or an exception */
};

/*
 * A move of the guest to a place. from: for PT_EVENT the address of the instruction before which it
 * came. next: the address after a call or a conditional branch.
 */
struct pt_move {
	enum pt_kind kind;
	bool taken; /* of PT_CONDITIONAL */
	uint64_t from, next;
	struct pt_place to;
};

/* True if TraceEn is set and neither Error nor Stopped. */
static inline bool pt_traces(const struct pt_state *state)
{
	return (state->ctl & PT_CTL_TRACE) && !(state->status & PT_STATUS_HALTED);
}

/* TraceEn was set; the guest is at the place. Emits PSB+. */
void pt_start(struct pt *pt, const struct pt_place *place);
/* The instruction at `ip` cleared TraceEn: emits pending packets. */
void pt_stop(struct pt *pt, uint64_t ip);
void pt_move(struct pt *pt, const struct pt_move *move);
/* pt_load_cr3(): CR3 was loaded. pt_check(): re-evaluates the enables at a place; a traced stretch
 * that has ended unseen is reported by OVF. */
void pt_load_cr3(struct pt *pt, const struct pt_place *place);
void pt_check(struct pt *pt, const struct pt_place *place);
/* PTWRITE at `ip` has written the low `bytes` (4 or 8) of `value`. */
void pt_write_value(struct pt *pt, uint64_t ip, uint64_t value, unsigned bytes);
/* The guest has reached the place by unknown ways: emits OVF. */
void pt_lose(struct pt *pt, const struct pt_place *place);

#endif
