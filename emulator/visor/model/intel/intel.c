/* SPDX-License-Identifier: BSD-2-Clause */
/* Intel's architectural performance monitoring: its counters' numbers and control fields. Source:
 * Intel SDM vol. 3, "Performance Monitoring"; vol. 2, RDPMC. */
#include "emulator/visor/model/base/counter.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"
#include "emulator/visor/model/intel/intel.h"

#define RDPMC_INDEX      REG_BITS(0, 15)
#define RDPMC_KIND_SHIFT 16
#define RDPMC_GENERAL    0
#define RDPMC_FIXED      0x4000
#define RDPMC_METRICS    0x2000

static int rdpmc_slot(const struct personality *personality, uint32_t index)
{
	uint32_t number = index & RDPMC_INDEX, kind = index >> RDPMC_KIND_SHIFT;

	if (kind == RDPMC_GENERAL && number < personality->general)
		return (int)number;
	if (kind == RDPMC_FIXED && number < personality->fixed)
		return (int)(MODEL_MAX_GENERAL + number);
	if (kind == RDPMC_METRICS && !number && (personality->features & FEATURE_METRICS))
		return VENDOR_METRICS;
	return VENDOR_NO_SLOT;
}

static void decode_fixed(struct model *model, unsigned index)
{
	struct model_counter *counter = &model->counters[MODEL_MAX_GENERAL + index];
	uint64_t field = model->fixed_control >> (index * FIXED_FIELD_BITS);

	counter->interrupts = field & FIXED_PMI;
	counter->rings = 0;
	counter->rings |= (field & FIXED_USR) ? MODEL_USER : 0;
	counter->rings |= (field & FIXED_OS) ? MODEL_KERNEL : 0;
}

static void decode(struct model *model, unsigned slot)
{
	if (slot < MODEL_MAX_GENERAL)
		counter_decode_general(model, slot);
	else
		decode_fixed(model, slot - MODEL_MAX_GENERAL);
}

const struct vendor vendor_intel = {
    .name = "GenuineIntel",
    .registers = &intel_registers,
    .events = &intel_events,
    .rdpmc = rdpmc_slot,
    .decode = decode,
    .cpuid = intel_cpuid,
};
