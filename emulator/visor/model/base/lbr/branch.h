/* SPDX-License-Identifier: BSD-2-Clause */
/* Branches, as the model's caller reports them and as its last branch records store them
 * (docs/emulated-pmu.md). */
#ifndef VISOR_MODEL_BRANCH_H
#define VISOR_MODEL_BRANCH_H

#include "abi/core_page.h"
#include "emulator/visor/model/base/types.h"
#include "emulator/visor/model/insn/decode.h"

/* A taken branch, an interrupt or an exception. */
struct model_branch {
	struct insn insn;          /* INSN_FAR, length 0: an interrupt or exception */
	uint64_t from, to;         /* addresses */
	enum model_ring from_ring; /* where it started */
	enum model_ring ring;      /* where it ended */
	bool mispredicted;
	uint16_t cycles; /* since the record before; model_branch() fills it in */
};

/* True if records are enabled and not frozen. */
bool model_records_branches(const struct model *model);
/* Returns the target rings of recorded branches, and whether the records are a call stack. Only for
 * personalities with records. */
unsigned model_recorded_rings(const struct model *model);
bool model_stacks_calls(const struct model *model);
/* A branch was taken: records it if the filters pass it. */
void model_branch(struct model *model, const struct model_branch *branch);
/* Sets the branches that a simulated core must record for these registers, enabled or not. */
void model_branch_filter(const struct model *model, struct core_filter *filter);
/* Copies the existing records, oldest first, for a core to continue from; returns their number. */
unsigned model_give_branches(struct model *model, struct core_branch *branches, uint32_t *position);
/* Replaces the records by these branches, oldest first, which the core has filtered. */
void model_take_branches(struct model *model, const struct core_branch *branches, unsigned nr,
			 uint32_t position);
/* Branches were missed: drops the older records, so that the stack has no gap. */
void model_forget_branches(struct model *model);
/* True if every record was made since then. */
bool model_branches_filled(const struct model *model);

#endif
