/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Late PMIs, and freezing on a PMI. On AMD's processors an NMI takes so long that its counter may
 * have been stopped in the meantime, or handled together with another one: then it finds nothing to
 * do. Here each takes a constant number of instructions. Source: Linux, arch/x86/events/amd/core.c.
 */
#include "emulator/visor/model/core/pmi.h"

#include "emulator/visor/model/base/registers.h"

void pmi_send(struct model *model, unsigned slot, uint64_t ago)
{
	struct model_counter *counter = &model->counters[slot];

	if (ago >= model->pmi_delay)
		model->pmi_pending = true;
	else if (!counter->pmi_in)
		counter->pmi_in = model->pmi_delay - (uint32_t)ago;
}

void pmi_advance(struct model *model, uint64_t instructions)
{
	for (unsigned slot = 0; model->pmi_delay && slot < MODEL_MAX_COUNTER; slot++) {
		uint32_t *left = &model->counters[slot].pmi_in;

		if (*left > instructions) {
			*left -= (uint32_t)instructions;
		} else if (*left) {
			*left = 0;
			model->pmi_pending = true;
		}
	}
}

uint64_t pmi_until_next(const struct model *model)
{
	uint64_t first = MODEL_NEVER;

	for (unsigned slot = 0; model->pmi_delay && slot < MODEL_MAX_COUNTER; slot++) {
		uint32_t left = model->counters[slot].pmi_in;

		if (left && left < first)
			first = left;
	}
	return first;
}

void freeze_by_enables(struct model *model)
{
	if (model->debug_control & DEBUGCTL_FREEZE_LBRS_ON_PMI)
		model->debug_control &= ~DEBUGCTL_LBR;
	if (model->debug_control & DEBUGCTL_FREEZE_PERFMON_ON_PMI)
		model->global_control = 0;
}

void freeze_by_status(struct model *model)
{
	if (model->debug_control & DEBUGCTL_FREEZE_LBRS_ON_PMI)
		model->status |= STATUS_LBR_FRZ;
	if (model->debug_control & DEBUGCTL_FREEZE_PERFMON_ON_PMI)
		model->status |= STATUS_CTR_FRZ;
}
