/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS: selects the counters that make records, and writes records to the debug store. Intel SDM
 * vol. 3, "Processor Event Based Sampling (PEBS) Facility", "DS Save Area"; vol. 4 for the
 * registers. */
#include "emulator/visor/model/intel/pebs.h"
#include "emulator/visor/model/intel/pebs_build.h"

#include <stddef.h>

#include "abi/core_page.h"
#include "emulator/visor/model/base/counter.h"

#define FORMAT_ADAPTIVE 4

/* The part of the debug store that PEBS uses. */
#define DS_BUFFER       0x20
#define DS_INDEX        0x28
#define DS_RESETS       0x40
#define DS_RESETS_FIXED 0x80

struct ds_buffer {
	uint64_t base, index, maximum, threshold;
};

void pebs_choose(struct model *model)
{
	struct pebs *pebs = &model->pebs;

	pebs->counters = pebs->enable;
	if (pebs_format(model) < FORMAT_ADAPTIVE) {
		pebs->counters &= REG_BITS(0, MODEL_MAX_GENERAL - 1);
		for (unsigned i = 0; i < model->personality->general; i++)
			if (!pebs_is_precise(model->personality, model->select[i]))
				pebs->counters &= ~REG_BIT(i);
	}
	pebs->armed &= pebs->counters;
	pebs->ready &= pebs->counters;
}

/* Adds the reset value to the counter, which keeps the events counted since it wrapped. */
static void reload(struct model *model, unsigned slot, const struct model_pebs_source *source)
{
	uint64_t at = slot < MODEL_MAX_GENERAL ? DS_RESETS + 8 * slot
					       : DS_RESETS_FIXED + 8 * (slot - MODEL_MAX_GENERAL);
	struct model_counter *counter = &model->counters[slot];
	uint64_t reset;

	if (source->read(source->context, model->pebs.ds_area + at, &reset, sizeof(reset)))
		counter->value = (counter->value + reset) & counter_mask(model, slot);
}

static void reload_all(struct model *model, const struct model_pebs_source *source)
{
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if (model->pebs.ready & counter_bit(slot))
			reload(model, slot, source);
}

/* False: the record does not fit, or its place is not there. */
static bool append(const struct model *model, struct ds_buffer *buffer,
		   const struct pebs_record *record, const struct model_pebs_source *source)
{
	unsigned bytes = record->count * (unsigned)sizeof(uint64_t);

	if (buffer->index > buffer->maximum || buffer->maximum - buffer->index < bytes)
		return false;
	if (!source->write(source->context, buffer->index, record->words, bytes))
		return false;
	buffer->index += bytes;
	return source->write(source->context, model->pebs.ds_area + DS_INDEX, &buffer->index,
			     sizeof(buffer->index));
}

void model_pebs_record(struct model *model, const struct model_pebs_source *source)
{
	struct pebs_record record = {.count = 0};
	struct ds_buffer buffer;

	if (pebs_format(model) < FORMAT_ADAPTIVE)
		pebs_build_fixed(model, &record, source);
	else
		pebs_build_adaptive(model, &record, source);
	model->pebs.records++;
	if (source->read(source->context, model->pebs.ds_area + DS_BUFFER, &buffer,
			 sizeof(buffer))) {
		append(model, &buffer, &record, source);
		reload_all(model, source);
		if (buffer.index >= buffer.threshold) {
			model->status |= STATUS_DS_BUFFER;
			model->pmi_pending = true;
		}
	}
	model->pebs.armed &= ~model->pebs.ready;
	model->pebs.ready = 0;
}

bool model_pebs_waits(const struct model *model)
{
	return model->pebs.armed;
}

bool model_pebs_ready(const struct model *model)
{
	return model->pebs.ready;
}
