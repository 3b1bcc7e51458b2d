/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Awkward behaviour of real parts, on request: a layer between the model and the processor that it
 * interrupts. Without a request it changes nothing. As for the model: no global state, no
 * allocation, any context, one caller at a time.
 *
 * A caller with quirks uses these in place of the model's functions:
 *         quirks_reset() after model_reset(); quirks_wrmsr() for model_wrmsr();
 *         before running: quirks_until() bounds the run as model_until_overflow() does
 *         after running:  quirks_retire(), even if nothing is counted
 *         then:           while (quirks_take_pmi()) through LVTPC; an NMI that LVTPC sends is
 *                         delivered at once unless quirks_delay_nmi(); if (quirks_take_nmi()) an
 * NMI
 */
#ifndef VISOR_MODEL_QUIRKS_H
#define VISOR_MODEL_QUIRKS_H

#include "emulator/visor/model/base/model_state.h"

#define QUIRK_EVERY_MSR UINT64_MAX

/* The requested quirks; 0: normal behaviour. */
struct quirks {
	uint64_t skid;        /* instructions from a wrap to its PMI */
	uint64_t late_nmi;    /* instructions from a PMI, which freezes and masks, to its NMI */
	uint64_t foreign_nmi; /* an NMI that is not the PMU's every so many instructions, from the
				 first write to a PMU register on */
	uint64_t hold_read;   /* a PMI is held for n reads of PMU registers, or a limited time */
	uint64_t hold_write;  /* as hold_read, for writes */
	uint64_t running;     /* firmware left counters running */
	uint64_t swallow;     /* this register, or every one, ignores what is written */
	/* A PMI after each instruction, or each n-th one, between these addresses: every
	 * interrupting counter reports an overflow. One at a time: none while an NMI is handled. */
	uint64_t pmi_from, pmi_to, pmi_every;
	uint64_t mask_always, mask_never; /* delivery sets LVTPC's mask bit, whatever the part */
	uint64_t transactions; /* every so many'th record, of PEBS and of branches, is of a
				  transaction that was aborted */
};

struct quirk_state {
	struct quirks wanted;
	uint64_t pmi_in, accesses_left; /* of a PMI under way: instructions, accesses */
	uint64_t nmi_in;                /* of an NMI under way */
	uint64_t foreign_in;
	uint64_t foreign_nmis; /* how many there were */
	uint64_t forced_at;    /* where the last PMI of pmi_from was, 0: elsewhere since */
	uint64_t forced_in;    /* instructions until the next */
	bool forces;           /* some counter interrupts, no NMI is handled, and now is the half of
				  addresses that pmi_from is in: steps are slow */
	bool pmi_coming, nmi_coming, foreign_coming;
};

/* Adds the quirks in `text` ("skid:7,foreign-nmi:1000") to `quirks`. False: an unknown word. */
bool quirks_parse(struct quirks *quirks, const char *text);
/* Returns the names in order: number `index` from 0, NULL after the last. */
const char *quirks_name(unsigned index);

/* Sets the power-on state; the model was reset. */
void quirks_reset(struct quirk_state *state, struct model *model, const struct quirks *wanted);

/* As model_wrmsr(). Reads, by RDPMC or RDMSR, are reported with quirks_read(). */
enum model_result quirks_wrmsr(struct quirk_state *state, struct model *model, uint32_t msr,
			       uint64_t value);
void quirks_read(struct quirk_state *state);

/* Reports `instructions` retired instructions, counted or not. */
void quirks_retire(struct quirk_state *state, uint64_t instructions);
/* Returns the instructions until an event that the model does not know of, or MODEL_NEVER. */
uint64_t quirks_until(const struct quirk_state *state);
/* The processor is about to execute the instruction at `rip`; `blocked`: it handles an NMI. */
void quirks_at(struct quirk_state *state, struct model *model, uint64_t rip, bool blocked);
/* The processor halts: pending PMIs and NMIs arrive. */
void quirks_halt(struct quirk_state *state);

/* As model_take_pmi(). */
bool quirks_take_pmi(struct quirk_state *state, struct model *model);
/* True: LVTPC's NMI is delayed; quirks_take_nmi() returns it later. */
bool quirks_delay_nmi(struct quirk_state *state);
/* True once for each NMI that is due. */
bool quirks_take_nmi(struct quirk_state *state);
/* As model_masks_lvtpc(). */
bool quirks_mask_lvtpc(const struct quirk_state *state, const struct model *model);

#endif
