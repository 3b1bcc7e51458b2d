/* SPDX-License-Identifier: BSD-2-Clause */
/* Branches, as the caller of the model sees them and as its last branch records keep them
 * (docs/emulated-pmu.md). */
#ifndef VISOR_MODEL_BRANCH_H
#define VISOR_MODEL_BRANCH_H

#include "emulator/visor/model/insn/decode.h"
#include "abi/core_page.h"
#include "emulator/visor/model/core/model.h"

/* A branch that was taken, an interrupt or an exception. */
struct model_branch {
	struct insn insn;          /* INSN_FAR, length 0: an interrupt or exception */
	uint64_t from, to;         /* addresses */
	enum model_ring from_ring; /* where it started */
	enum model_ring ring;      /* where it ended */
	bool mispredicted;
	uint16_t cycles; /* since the record before; model_branch() fills it in */
};

/* Records are on and not frozen. */
bool model_records_branches(const struct model *model);
/* Rings in which recorded branches end, and whether the records are a stack of calls. Only for
 * personalities with records. */
unsigned model_recorded_rings(const struct model *model);
bool model_stacks_calls(const struct model *model);
/* A branch was taken: records it if the filters let it through. */
void model_branch(struct model *model, const struct model_branch *branch);
/* What a simulated core is to record for these registers; enabled or not. */
void model_branch_filter(const struct model *model, struct core_filter *filter);
/* The records that there are, the oldest first, for a core to go on from; gives their number. */
unsigned model_give_branches(struct model *model, struct core_branch *branches, uint32_t *position);
/* These branches become the records, the oldest first, as the core has filtered them. */
void model_take_branches(struct model *model, const struct core_branch *branches, unsigned nr,
			 uint32_t position);
/* Branches were missed: drops the records before them, so that a stack never has a gap. */
void model_forget_branches(struct model *model);
/* Whether every record was made since then. */
bool model_branches_filled(const struct model *model);

#endif
