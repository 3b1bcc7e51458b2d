/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the plugin's stream. The guest chose most of its contents, so each size and number is
 * checked before it is used. */
#include <stdlib.h>
#include <string.h>

#include "host/lib/array.h"
#include "host/lib/text.h"
#include "host/profile/profile.h"

#define BLOCKS_MAX (1u << 20)
#define IMAGE_MAX  (64u << 20) /* bytes */

static struct block *block_at(struct profile *profile, uint32_t id)
{
	while (profile->nr_blocks <= id) {
		profile->blocks =
		    array_grow(profile->blocks, profile->nr_blocks, sizeof(*profile->blocks));
		profile->nr_blocks++;
	}
	return &profile->blocks[id];
}

static bool take_head(struct profile *profile, const void *data, size_t bytes)
{
	const struct profile_head *head = data;

	if (bytes < sizeof(*head) || head->magic != PROFILE_MAGIC ||
	    head->version != PROFILE_VERSION || head->nr_events > PROFILE_EVENTS)
		return false;
	profile->head = head;
	return true;
}

static bool take_image(struct profile *profile, const void *data, size_t bytes)
{
	const struct profile_image *record = data;
	struct image *image;

	if (bytes < sizeof(*record) || record->id >= PROFILE_IMAGES ||
	    record->header_bytes > bytes - sizeof(*record) || !record->size ||
	    record->size > IMAGE_MAX || record->base + record->size < record->base)
		return false;
	image = &profile->images[record->id];
	image->record = record;
	image->header = (const uint8_t *)(record + 1);
	memcpy(image->name, record->name, PROFILE_NAME - 1);
	if (record->id >= profile->nr_images)
		profile->nr_images = record->id + 1;
	return true;
}

static bool lengths_fit(const struct profile_block *record, const uint8_t *lengths)
{
	size_t sum = 0;

	for (unsigned i = 0; i < record->instructions; i++)
		sum += lengths[i];
	return sum == record->bytes;
}

static bool take_block(struct profile *profile, const void *data, size_t bytes)
{
	const struct profile_block *record = data;
	const uint8_t *code = (const uint8_t *)(record + 1);
	struct block *block;

	if (bytes < sizeof(*record) || record->id >= BLOCKS_MAX || !record->instructions ||
	    (size_t)record->bytes + record->instructions > bytes - sizeof(*record) ||
	    !lengths_fit(record, code + record->bytes))
		return false;
	block = block_at(profile, record->id);
	block->record = record;
	block->code = code;
	block->lengths = code + record->bytes;
	return true;
}

static void add_rows(struct profile *profile, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->record->nr; i++) {
		const struct profile_row *row = &slice->rows[i];

		for (unsigned w = 0; w < 2 && row->block < profile->nr_blocks; w++) {
			profile->blocks[row->block].runs[w] += row->runs[w];
			profile->blocks[row->block].cycles[w] += row->cycles[w];
		}
	}
}

static bool take_slice(struct profile *profile, const void *data, size_t bytes)
{
	const struct profile_slice *record = data;
	struct slice *slice;

	if (bytes < sizeof(*record) || record->reason >= SLICE_REASONS ||
	    record->nr > (bytes - sizeof(*record)) / sizeof(struct profile_row))
		return false;
	profile->slices = array_grow(profile->slices, profile->nr_slices, sizeof(*profile->slices));
	slice = &profile->slices[profile->nr_slices++];
	slice->record = record;
	slice->rows = (const struct profile_row *)(record + 1);
	if (profile->nr_slices > 1)
		slice->start = slice[-1].record->when;
	add_rows(profile, slice);
	return true;
}

static bool take_sample(struct profile *profile, const void *data, size_t bytes)
{
	const struct profile_sample *record = data;
	struct sample *sample;

	if (bytes < sizeof(*record) || record->nr > PROFILE_CHAIN ||
	    record->nr > (bytes - sizeof(*record)) / sizeof(uint64_t) ||
	    record->event >= PROFILE_EVENTS || !profile->head->periods[record->event])
		return false;
	profile->samples =
	    array_grow(profile->samples, profile->nr_samples, sizeof(*profile->samples));
	sample = &profile->samples[profile->nr_samples++];
	sample->record = record;
	sample->chain = (const uint64_t *)(record + 1);
	return true;
}

static bool take_line(struct profile *profile, const void *data, size_t bytes)
{
	const struct profile_line *record = data;

	if (bytes < sizeof(*record) || record->bytes > PROFILE_TEXT)
		return false;
	profile->lines = array_grow(profile->lines, profile->nr_lines, sizeof(*profile->lines));
	profile->lines[profile->nr_lines++] = record;
	return true;
}

static bool take_called(struct profile *profile, const void *data, size_t bytes)
{
	const uint32_t *ids = data;

	if (bytes < 8 || ids[0] > (bytes - 8) / sizeof(*ids))
		return false;
	for (uint32_t i = 0; i < ids[0]; i++)
		if (ids[2 + i] < profile->nr_blocks)
			profile->blocks[ids[2 + i]].called = true;
	return true;
}

static bool take_end(struct profile *profile, const void *data, size_t bytes)
{
	profile->end = data;
	return bytes >= sizeof(*profile->end);
}

static bool (*const takes[])(struct profile *profile, const void *data, size_t bytes) = {
    [PROFILE_HEAD] = take_head,     [PROFILE_IMAGE] = take_image,   [PROFILE_BLOCK] = take_block,
    [PROFILE_SLICE] = take_slice,   [PROFILE_SAMPLE] = take_sample, [PROFILE_LINE] = take_line,
    [PROFILE_CALLED] = take_called, [PROFILE_END] = take_end,
};

bool profile_read(struct profile *profile, struct buffer file, const char **why)
{
	size_t at = 0;

	*profile = (struct profile){.file = file};
	*why = "it is no profile of this version";
	while (!profile->end && file.size - at >= sizeof(struct profile_record)) {
		const struct profile_record *record = (const void *)(file.bytes + at);

		at += sizeof(*record);
		if (record->bytes % 8 || record->bytes > file.size - at)
			break;
		if (!record->type || record->type > PROFILE_END ||
		    (record->type == PROFILE_HEAD) != !profile->head ||
		    !takes[record->type](profile, file.bytes + at, record->bytes))
			break;
		at += record->bytes;
	}
	return profile->head;
}

const struct image *block_image(const struct profile *profile, const struct block *block)
{
	if (!block->record || block->record->image >= profile->nr_images ||
	    !profile->images[block->record->image].record)
		return NULL;
	return &profile->images[block->record->image];
}
