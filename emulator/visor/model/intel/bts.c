/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the records of the branch trace store: three words each, of which the third has a flag for
 * a predicted branch. Intel SDM vol. 3, "Branch Trace Store (BTS)", "DS Save Area". */
#include "emulator/visor/model/intel/bts.h"

#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/registers.h"

#define RECORD_WORDS 3
#define RECORD_BYTES (RECORD_WORDS * 8)
#define PREDICTED    REG_BIT(4)

/* The part of the debug store that the branch trace store uses. */
struct bts_buffer {
	uint64_t base, index, maximum, threshold;
};
#define DS_INDEX 8

unsigned model_store_rings(const struct model *model)
{
	uint64_t control = model->debug_control;

	if ((control & (DEBUGCTL_TR | DEBUGCTL_BTS)) != (DEBUGCTL_TR | DEBUGCTL_BTS))
		return 0;
	return (control & DEBUGCTL_BTS_OFF_OS ? 0 : MODEL_KERNEL) |
	       (control & DEBUGCTL_BTS_OFF_USR ? 0 : MODEL_USER);
}

static bool read_buffer(const struct model *model, struct bts_buffer *buffer,
			const struct model_pebs_source *source)
{
	return source->read(source->context, model->pebs.ds_area, buffer, sizeof(*buffer));
}

unsigned model_store_room(const struct model *model, const struct model_pebs_source *source,
			  unsigned max)
{
	struct bts_buffer buffer;
	uint64_t end, room;

	if (!read_buffer(model, &buffer, source))
		return max;
	end = model->debug_control & DEBUGCTL_BTINT && buffer.threshold < buffer.maximum
		  ? buffer.threshold
		  : buffer.maximum;
	room = buffer.index < end ? (end - buffer.index + RECORD_BYTES - 1) / RECORD_BYTES : max;
	return room < max ? (unsigned)room : max;
}

static bool append(struct bts_buffer *buffer, const struct core_stored *branch, bool is_ring,
		   const struct model_pebs_source *source)
{
	const uint64_t words[RECORD_WORDS] = {branch->from, branch->to,
					      branch->predicted ? PREDICTED : 0};

	if (is_ring && buffer->index + RECORD_BYTES > buffer->maximum)
		buffer->index = buffer->base;
	if (buffer->index > buffer->maximum || buffer->maximum - buffer->index < RECORD_BYTES)
		return false;
	if (!source->write(source->context, buffer->index, words, RECORD_BYTES))
		return false;
	buffer->index += RECORD_BYTES;
	return true;
}

void model_store_branches(struct model *model, const struct core_stored *branches, unsigned nr,
			  const struct model_pebs_source *source)
{
	bool interrupts = model->debug_control & DEBUGCTL_BTINT;
	struct bts_buffer buffer;

	if (!nr || !read_buffer(model, &buffer, source))
		return;
	for (unsigned i = 0; i < nr; i++)
		if (!append(&buffer, &branches[i], !interrupts, source))
			break;
	source->write(source->context, model->pebs.ds_area + DS_INDEX, &buffer.index,
		      sizeof(buffer.index));
	if (interrupts && buffer.index >= buffer.threshold) {
		model->status |= STATUS_DS_BUFFER;
		model->pmi_pending = true;
	}
}
