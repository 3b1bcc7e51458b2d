/* SPDX-License-Identifier: BSD-2-Clause */
/* Freezes at a PMI. */
#include "visor/model/core/freeze.h"

#include "visor/model/core/model_state.h"
#include "visor/model/core/registers.h"

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
