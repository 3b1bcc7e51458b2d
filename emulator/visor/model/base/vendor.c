/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions that the vendor's tables answer. */
#include "emulator/visor/model/base/tables.h"
#include "emulator/visor/model/base/vendor.h"

#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"

bool model_is_intel(const struct model *model)
{
	return model->personality->vendor == &vendor_intel;
}
