/* SPDX-License-Identifier: BSD-2-Clause */
/* RDMSR, WRMSR and RDPMC on the modelled registers. Source: Intel SDM vol. 3, "Performance
 * Monitoring"; vol. 2, RDPMC. */
#include "visor/model/counter.h"
#include "visor/model/model_state.h"
#include "visor/model/personality.h"
#include "visor/model/registers.h"

/* IA32_PERF_GLOBAL_INUSE: which counters have an event selected or are enabled, and whether any may
 * interrupt. */
static uint64_t in_use(const struct model *model)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < model->personality->general; i++) {
		value |= (model->select[i] & EVTSEL_EVENT) ? REG_BIT(i) : 0;
		value |= (model->select[i] & EVTSEL_INT) ? INUSE_PMI : 0;
	}
	for (unsigned i = 0; i < model->personality->fixed; i++) {
		uint64_t field = model->fixed_control >> (i * FIXED_FIELD_BITS);

		value |= (field & (FIXED_OS | FIXED_USR)) ? REG_BIT(GLOBAL_FIXED_SHIFT + i) : 0;
		value |= (field & FIXED_PMI) ? INUSE_PMI : 0;
	}
	return value;
}

static uint64_t misc_enable(const struct model *model)
{
	return model->misc_enable | MISC_ENABLE_NO_BTS | MISC_ENABLE_NO_PEBS |
	       (model->personality->version ? MISC_ENABLE_PERFMON : 0);
}

static uint64_t register_value(const struct model *model, enum reg reg, unsigned index)
{
	switch (reg) {
	case REG_PMC:
	case REG_PMC_WIDE:
		return model->counters[index].value;
	case REG_FIXED:
		return model->counters[MODEL_MAX_GENERAL + index].value;
	case REG_EVTSEL:
		return model->select[index];
	case REG_FIXED_CTRL:
		return model->fixed_control;
	case REG_STATUS:
		return model->status;
	case REG_GLOBAL_CTRL:
		return model->global_control;
	case REG_OVF_CTRL:
	case REG_STATUS_SET:
		return 0;
	case REG_INUSE:
		return in_use(model);
	case REG_CAPABILITIES:
		return model->personality->capabilities;
	case REG_DEBUGCTL:
		return model->debug_control;
	case REG_MISC_ENABLE:
		return misc_enable(model);
	case REG_OFFCORE:
		return model->offcore[index];
	}
	return 0;
}

enum model_result model_rdmsr(const struct model *model, uint32_t msr, uint64_t *value)
{
	enum reg reg;
	unsigned index;
	enum model_result result = register_find(model->personality, msr, &reg, &index);

	if (result == MODEL_OK)
		*value = register_value(model, reg, index);
	return result;
}

/* A fixed counter's selection is its field: one that is written as it was counts on. */
static void write_fixed_control(struct model *model, uint64_t value)
{
	uint64_t changed = model->fixed_control ^ value;

	model->fixed_control = value;
	for (unsigned i = 0; i < model->personality->fixed; i++)
		if (changed >> (i * FIXED_FIELD_BITS) & REG_BITS(0, FIXED_FIELD_BITS - 1))
			counter_select(model, MODEL_MAX_GENERAL + i);
}

static void register_write(struct model *model, enum reg reg, unsigned index, uint64_t value)
{
	switch (reg) {
	case REG_PMC: /* sign-extends from bit 31 */
		model->counters[index].value =
		    (uint64_t)(int64_t)(int32_t)value & counter_mask(model, index);
		break;
	case REG_PMC_WIDE:
		model->counters[index].value = value;
		break;
	case REG_FIXED:
		model->counters[MODEL_MAX_GENERAL + index].value = value;
		break;
	case REG_EVTSEL:
		model->select[index] = value;
		counter_select(model, index);
		break;
	case REG_FIXED_CTRL:
		write_fixed_control(model, value);
		break;
	case REG_GLOBAL_CTRL:
		model->global_control = value;
		break;
	case REG_OVF_CTRL:
		model->status &= ~value;
		break;
	case REG_STATUS_SET:
		model->status |= value;
		break;
	case REG_DEBUGCTL:
		model->debug_control = value;
		break;
	case REG_MISC_ENABLE:
		model->misc_enable = value;
		break;
	case REG_OFFCORE:
		model->offcore[index] = value;
		counters_decode(model);
		break;
	case REG_STATUS: /* read-only: register_writable() keeps them from here */
	case REG_INUSE:
	case REG_CAPABILITIES:
		break;
	}
}

/* Finds the register of a write that is allowed, and the bits of it that it changes. */
static enum model_result find_write(const struct model *model, uint32_t msr, uint64_t value,
				    enum reg *reg, unsigned *index, uint64_t *writable)
{
	enum model_result result = register_find(model->personality, msr, reg, index);

	if (result != MODEL_OK)
		return result;
	*writable = register_writable(model->personality, *reg);
	if (!*writable || (value & ~(*writable | register_ignored(model->personality, *reg))))
		return MODEL_GP;
	return MODEL_OK;
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
		register_write(model, reg, index, value & writable);
	return result;
}

#define RDPMC_INDEX      REG_BITS(0, 15)
#define RDPMC_KIND_SHIFT 16
#define RDPMC_GENERAL    0
#define RDPMC_FIXED      0x4000

enum model_result model_rdpmc(const struct model *model, uint32_t index, uint64_t *value)
{
	uint32_t number = index & RDPMC_INDEX, kind = index >> RDPMC_KIND_SHIFT;

	if (kind == RDPMC_GENERAL && number < model->personality->general)
		*value = model->counters[number].value;
	else if (kind == RDPMC_FIXED && number < model->personality->fixed)
		*value = model->counters[MODEL_MAX_GENERAL + number].value;
	else
		return MODEL_GP;
	return MODEL_OK;
}
