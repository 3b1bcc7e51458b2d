/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's performance counters: their numbers and selections. Source: AMD APM vol. 2, "Performance
 * Monitoring Counters"; vol. 3, RDPMC. */
#include "emulator/visor/model/amd/amd.h"

#include "emulator/visor/model/base/counter.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"

/* Only core counters: the following indices, of north bridge and cache counters, are not
 * implemented. */
static int rdpmc_slot(const struct personality *personality, uint32_t index)
{
	return index < personality->general ? (int)index : VENDOR_NO_SLOT;
}

/* A counter restricted to guests, or to the host, does not count while EFER.SVME is clear, which it
 * always is here; both bits together mean no restriction. */
static void decode(struct model *model, unsigned slot)
{
	uint64_t only;

	if (slot >= MODEL_MAX_GENERAL)
		return;
	counter_decode_general(model, slot);
	only = model->select[slot] & (EVTSEL_GUEST_ONLY | EVTSEL_HOST_ONLY);
	if (only == EVTSEL_GUEST_ONLY || only == EVTSEL_HOST_ONLY)
		model->counters[slot].rings = 0;
}

const struct vendor vendor_amd = {
    .name = "AuthenticAMD",
    .registers = &amd_registers,
    .events = &amd_events,
    .rdpmc = rdpmc_slot,
    .decode = decode,
    .cpuid = amd_cpuid,
};
