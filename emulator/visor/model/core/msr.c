/* SPDX-License-Identifier: BSD-2-Clause */
/* RDMSR, WRMSR and RDPMC on the modelled registers: finds them and checks. */
#include "abi/visor_cpuid.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"
#include "emulator/visor/model/core/access.h"
#include "emulator/visor/model/core/msr.h"
#include "emulator/visor/model/intel/pt_registers.h"

enum model_result model_rdmsr(const struct model *model, uint32_t msr, uint64_t *value)
{
	enum reg reg;
	unsigned index;
	enum model_result result = register_find(model->personality, msr, &reg, &index);

	if (result == MODEL_OK)
		*value = access_read(model, reg, index);
	return result;
}

/* Finds the register of a permitted write, and the bits that it changes. */
static enum model_result find_write(const struct model *model, uint32_t msr, uint64_t value,
				    enum reg *reg, unsigned *index, uint64_t *writable)
{
	enum model_result result = register_find(model->personality, msr, reg, index);
	uint64_t accepted;

	if (result != MODEL_OK)
		return result;
	*writable = model->masks[*reg].writable;
	accepted = model->masks[*reg].accepted;
	return accepted && !(value & ~accepted) &&
		       register_accepts(model->personality, *reg, value) &&
		       pt_accepts(model, *reg, value)
		   ? MODEL_OK
		   : MODEL_GP;
}

enum model_result model_wrmsr_check(const struct model *model, uint32_t msr, uint64_t value)
{
	enum reg reg;
	unsigned index;
	uint64_t writable;

	return find_write(model, msr, value, &reg, &index, &writable);
}

enum model_result model_wrmsr(struct model *model, uint32_t msr, uint64_t value)
{
	enum reg reg;
	unsigned index;
	uint64_t writable;
	enum model_result result = find_write(model, msr, value, &reg, &index, &writable);

	if (result == MODEL_OK)
		access_write(model, reg, index, value & writable);
	return result;
}

enum model_result model_rdpmc(const struct model *model, uint32_t index, uint64_t *value)
{
	int slot = model->personality->vendor->rdpmc(model->personality, index);

	if (slot == VENDOR_NO_SLOT)
		return MODEL_GP;
	*value = slot == VENDOR_METRICS ? model->metrics : model->counters[slot].value;
	return MODEL_OK;
}

unsigned model_counter_source(const struct model *model, uint32_t index, bool stepped)
{
	int slot = model->personality->vendor->rdpmc(model->personality, index);
	const struct model_counter *counter;

	if (slot == VENDOR_NO_SLOT)
		return VISOR_COUNTS_UNKNOWN;
	if (slot == VENDOR_METRICS)
		return model->core ? VISOR_COUNTS_SIMULATED : VISOR_COUNTS_SHARE;
	counter = &model->counters[slot];
	return stepped && counter->rate.basis == BASIS_BRANCHES ? VISOR_COUNTS_EXACT
								: counter->source;
}
