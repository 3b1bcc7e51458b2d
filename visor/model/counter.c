/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes what the control registers say about each counter. Source: Intel SDM vol. 3, figures of
 * IA32_PERFEVTSELx and IA32_FIXED_CTR_CTRL. */
#include "visor/model/counter.h"

#include "visor/model/personality.h"
#include "visor/model/registers.h"

uint64_t counter_mask(const struct model *model, unsigned slot)
{
	const struct personality *p = model->personality;

	return REG_BITS(0, (slot < MODEL_MAX_GENERAL ? p->general_width : p->fixed_width) - 1);
}

static void decode_general(struct model *model, unsigned index)
{
	struct model_counter *counter = &model->counters[index];
	uint64_t select = model->select[index];

	counter->rate = event_rate(model->personality, select, model->offcore, model->clock_shift);
	counter->interrupts = select & EVTSEL_INT;
	counter->rings = 0;
	if (!(select & EVTSEL_EN))
		return;
	counter->rings |= (select & EVTSEL_USR) ? MODEL_USER : 0;
	counter->rings |= (select & EVTSEL_OS) ? MODEL_KERNEL : 0;
}

static void decode_fixed(struct model *model, unsigned index)
{
	struct model_counter *counter = &model->counters[MODEL_MAX_GENERAL + index];
	uint64_t field = model->fixed_control >> (index * FIXED_FIELD_BITS);

	counter->rate = event_rate_fixed(index, model->clock_shift);
	counter->interrupts = field & FIXED_PMI;
	counter->rings = 0;
	counter->rings |= (field & FIXED_USR) ? MODEL_USER : 0;
	counter->rings |= (field & FIXED_OS) ? MODEL_KERNEL : 0;
}

static void decode(struct model *model, unsigned slot)
{
	if (slot < MODEL_MAX_GENERAL)
		decode_general(model, slot);
	else
		decode_fixed(model, slot - MODEL_MAX_GENERAL);
}

void counter_select(struct model *model, unsigned slot)
{
	decode(model, slot);
	model->counters[slot].fraction = 0;
}

void counters_decode(struct model *model)
{
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		decode(model, slot);
}
