/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes each counter's control registers. Source: Intel SDM vol. 3, figure of IA32_PERFEVTSELx,
 * whose bits AMD's PERF_CTL shares. */
#include "emulator/visor/model/base/counter.h"

#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"

uint64_t counter_mask(const struct model *model, unsigned slot)
{
	const struct personality *p = model->personality;

	return REG_BITS(0, (slot < MODEL_MAX_GENERAL ? p->general_width : p->fixed_width) - 1);
}

uint64_t counter_bit(unsigned slot)
{
	return slot < MODEL_MAX_GENERAL ? REG_BIT(slot)
					: REG_BIT(GLOBAL_FIXED_SHIFT + slot - MODEL_MAX_GENERAL);
}

void counter_decode_general(struct model *model, unsigned index)
{
	struct model_counter *counter = &model->counters[index];
	uint64_t select = model->select[index];

	counter->interrupts = select & EVTSEL_INT;
	counter->rings = 0;
	if (!(select & EVTSEL_EN))
		return;
	counter->rings |= (select & EVTSEL_USR) ? MODEL_USER : 0;
	counter->rings |= (select & EVTSEL_OS) ? MODEL_KERNEL : 0;
}

static struct event_meaning meaning_of_general(const struct model *model, uint64_t select)
{
	int component = event_component(model->personality, select);

	if (component >= 0 && component < model->component_events)
		return event_meaning_component((unsigned)component, select);
	return event_meaning(model->personality, select, model->offcore, model->core);
}

static void decode(struct model *model, unsigned slot)
{
	struct model_counter *counter = &model->counters[slot];
	struct event_meaning meaning =
	    slot < MODEL_MAX_GENERAL ? meaning_of_general(model, model->select[slot])
				     : event_meaning_fixed(slot - MODEL_MAX_GENERAL, model->core);

	counter->rate = meaning.rate;
	counter->sum = meaning.sum;
	counter->source = meaning.source;
	model->personality->vendor->decode(model, slot);
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
