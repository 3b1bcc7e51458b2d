/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes of each register. Source: Intel SDM vol. 3, "Performance Monitoring"; AMD APM
 * vol. 2, "Performance Monitoring Counters". */
#include "emulator/visor/model/core/access.h"
#include "emulator/visor/model/intel/pebs_build.h"

#include "emulator/visor/model/amd/ibs_registers.h"
#include "emulator/visor/model/base/counter.h"
#include "emulator/visor/model/base/lbr/lbr.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/intel/pt_registers.h"

/* IA32_PERF_GLOBAL_INUSE: the counters with a selected event or an enable bit, and whether any can
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
	const struct personality *p = model->personality;

	return model->misc_enable |
	       (p->features & FEATURE_PEBS ? 0 : MISC_ENABLE_NO_BTS | MISC_ENABLE_NO_PEBS) |
	       (p->version ? MISC_ENABLE_PERFMON : 0);
}

static uint64_t capabilities(const struct model *model)
{
	const struct lbr_layout *lbr = lbr_layout(model->personality);

	return model->personality->capabilities | (lbr ? lbr->capabilities : 0);
}

/* The highest ratio of the core's clock to the bus without turbo is the TSC's. */
static uint64_t platform_info(const struct model *model)
{
	return (uint64_t)(model->tsc_khz / BUS_KHZ & PLATFORM_RATIO_MAX) << PLATFORM_RATIO_SHIFT;
}

uint64_t access_read(const struct model *model, enum reg reg, unsigned index)
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
		return capabilities(model);
	case REG_DEBUGCTL:
		return model->debug_control;
	case REG_MISC_ENABLE:
		return misc_enable(model);
	case REG_PREFETCH:
		return model->prefetch_off;
	case REG_OFFCORE:
		return model->offcore[index];
	case REG_HWCR:
		return model->hwcr | HWCR_TSC_FREQ_SEL;
	case REG_PERF_METRICS:
		return model->metrics;
	case REG_PEBS_ENABLE:
		return model->pebs.enable;
	case REG_PEBS_CONFIG:
		return model->pebs.config;
	case REG_PEBS_LD_LAT:
		return model->pebs.load_limit;
	case REG_PEBS_FRONTEND:
		return model->pebs.frontend;
	case REG_DS_AREA:
		return model->pebs.ds_area;
	case REG_ENERGY_UNIT:
		return energy_unit(model);
	case REG_ENERGY_CORES:
		return energy_read(model, ENERGY_CORES);
	case REG_ENERGY_PACKAGE:
		return energy_read(model, ENERGY_PACKAGE);
	case REG_ENERGY_MEMORY:
		return energy_read(model, ENERGY_MEMORY);
	case REG_CORE_C1:
		return energy_c1(model);
	case REG_IMMUNITIES:
		return ARCH_CAP_RDCL_NO | ARCH_CAP_SKIP_L1DFL | ARCH_CAP_MDS_NO |
		       ARCH_CAP_IF_PSCHANGE_NO | ARCH_CAP_TAA_NO;
	case REG_PLATFORM_INFO:
		return platform_info(model);
	case REG_IBS_FETCH_CTL ... REG_IBS_FETCH_EXTENDED:
		return ibs_read(model, reg, index);
	case REG_RTIT_CTL ... REG_RTIT_RANGE:
		return pt_read(model, reg, index);
	default:
		return lbr_read(model, reg, index);
	}
}

/* A fixed counter's selection is its field: rewriting it unchanged does not disturb the count. */
static void write_fixed_control(struct model *model, uint64_t value)
{
	uint64_t changed = model->fixed_control ^ value;

	model->fixed_control = value;
	for (unsigned i = 0; i < model->personality->fixed; i++)
		if (changed >> (i * FIXED_FIELD_BITS) & REG_BITS(0, FIXED_FIELD_BITS - 1))
			counter_select(model, MODEL_MAX_GENERAL + i);
}

void access_write(struct model *model, enum reg reg, unsigned index, uint64_t value)
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
		pebs_choose(model);
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
	case REG_PREFETCH: /* without a core there are none */
		model->prefetch_off = model->core ? (uint8_t)value : 0;
		break;
	case REG_OFFCORE:
		model->offcore[index] = value;
		counters_decode(model);
		break;
	case REG_PERF_METRICS:
		model->metrics = value;
		for (unsigned i = 0; i < MODEL_METRICS; i++)
			model->metric_slots[i] = 0;
		break;
	case REG_PEBS_ENABLE:
		model->pebs.enable = value;
		pebs_choose(model);
		break;
	case REG_PEBS_CONFIG:
		model->pebs.config = value;
		break;
	case REG_PEBS_LD_LAT:
		model->pebs.load_limit = value;
		break;
	case REG_PEBS_FRONTEND:
		model->pebs.frontend = value;
		break;
	case REG_DS_AREA:
		model->pebs.ds_area = value;
		break;
	case REG_HWCR:
		model->hwcr = value;
		break;
	case REG_IBS_FETCH_CTL ... REG_IBS_FETCH_EXTENDED:
		ibs_write(model, reg, index, value);
		break;
	case REG_RTIT_CTL ... REG_RTIT_RANGE:
		pt_write(model, reg, index, value);
		break;
	case REG_STATUS: /* read-only: register_writable() keeps them from here */
	case REG_ENERGY_UNIT ... REG_PLATFORM_INFO:
	case REG_INUSE:
	case REG_CAPABILITIES:
		break;
	default:
		lbr_write(model, reg, index, value);
	}
}
