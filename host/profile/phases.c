/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Phases begin with the first code of an image or a mode. UEFI Platform Initialization
 * Specification, volume 1, section 2 and volume 2, section 2: SEC, PEI, DXE, BDS; a BIOS loads a
 * boot sector to 7C00H.
 */
#include "host/profile/phases.h"

#include <stdlib.h>
#include <string.h>

#include "host/lib/text.h"

#define PE_POINTER   0x3c
#define PE_SUBSYSTEM 92
#define TE_SUBSYSTEM 5
#define APPLICATION  10
#define FIRMWARE     0xff000000 /* its ROM, up to 4 GiB */
#define PHASES_MAX   512

/* The order: a phase never begins after a later one has. */
enum step { STEP_RESET, STEP_PEI, STEP_DXE, STEP_BDS, STEP_LOADER, STEP_KERNEL, STEP_INIT };

struct finder {
	struct profile *profile;
	enum step step;
	bool bds_loaded;       /* its driver was started, */
	bool others_after_bds; /* and another one after it */
};

/* Begins a phase at a slice's start; an empty one before it vanishes. */
static void begin(struct profile *profile, const char *name, size_t slice)
{
	struct phase *phase;

	if (profile->nr_phases == PHASES_MAX)
		return;
	if (!profile->phases)
		profile->phases = allocate(PHASES_MAX * sizeof(*profile->phases));
	phase = &profile->phases[profile->nr_phases++];
	phase->name = format_text("%s", name);
	phase->start = slice < profile->nr_slices ? profile->slices[slice].start
						  : profile->slices[slice - 1].record->when;
}

static unsigned subsystem(const struct image *image)
{
	uint32_t pe = 0;
	uint16_t value = 0;

	if (image->record->kind > IMAGE_TE64)
		return 0;
	if (image->record->kind == IMAGE_TE32 || image->record->kind == IMAGE_TE64)
		return image->record->header_bytes > TE_SUBSYSTEM ? image->header[TE_SUBSYSTEM] : 0;
	if (image->record->header_bytes < PE_POINTER + sizeof(pe))
		return 0;
	memcpy(&pe, image->header + PE_POINTER, sizeof(pe));
	if (pe > image->record->header_bytes ||
	    image->record->header_bytes - pe < PE_SUBSYSTEM + sizeof(value))
		return 0;
	memcpy(&value, image->header + pe + PE_SUBSYSTEM, sizeof(value));
	return value;
}

static void image_starts(struct finder *finder, const struct image *image, size_t slice)
{
	static const struct {
		const char *image, *phase;
		enum step step;
	} firmware[] = {
	    {"PeiCore", "PEI", STEP_PEI},
	    {"DxeCore", "DXE", STEP_DXE},
	};

	for (size_t i = 0; i < sizeof(firmware) / sizeof(firmware[0]); i++)
		if (!strcmp(image->unit->name, firmware[i].image) &&
		    finder->step < firmware[i].step) {
			finder->step = firmware[i].step;
			begin(finder->profile, firmware[i].phase, slice);
		}
	finder->others_after_bds |= finder->bds_loaded;
	finder->bds_loaded |= !strcmp(image->unit->name, "BdsDxe");
	if (subsystem(image) == APPLICATION && finder->step < STEP_KERNEL) {
		finder->step = STEP_LOADER;
		begin(finder->profile, image->unit->name, slice);
	}
}

/* BdsDxe runs code of its own after all drivers were dispatched: its entry is called. */
static void image_continues(struct finder *finder, const struct image *image, size_t slice)
{
	if (finder->others_after_bds && finder->step < STEP_BDS &&
	    !strcmp(image->unit->name, "BdsDxe")) {
		finder->step = STEP_BDS;
		begin(finder->profile, "BDS", slice);
	}
}

static void step_to(struct finder *finder, enum step step, const char *name, size_t slice)
{
	if (finder->step >= step)
		return;
	finder->step = step;
	begin(finder->profile, name, slice);
}

static const struct image *image_of(const struct profile *profile, uint64_t id)
{
	return id < profile->nr_images && profile->images[id].record && profile->images[id].unit
		   ? &profile->images[id]
		   : NULL;
}

/* A slice ended for a reason: the next one is `slice`. */
static void take_reason(struct finder *finder, const struct profile_slice *ended, size_t slice,
			const char *const *marks, unsigned nr)
{
	const struct image *image = image_of(finder->profile, ended->value);
	char *name;

	switch (ended->reason) {
	case SLICE_IMAGE:
		if (image)
			image_starts(finder, image, slice);
		break;
	case SLICE_AGAIN:
		if (image)
			image_continues(finder, image, slice);
		break;
	case SLICE_SECTOR:
		step_to(finder, STEP_LOADER, "boot loader", slice);
		break;
	case SLICE_UPPER:
		step_to(finder, STEP_KERNEL, "kernel", slice);
		break;
	case SLICE_RING3:
		step_to(finder, STEP_INIT, "init", slice);
		break;
	case SLICE_MARK:
		if (ended->value < nr && marks[ended->value])
			begin(finder->profile, marks[ended->value], slice);
		break;
	case SLICE_GUEST:
		name = format_text("mark %u", (unsigned)ended->value);
		begin(finder->profile, name, slice);
		free(name);
		break;
	default:
		break;
	}
}

static void amount_add(struct amount *amount, const struct profile_row *row,
		       const struct block *block)
{
	for (unsigned w = 0; w < 2; w++) {
		amount->instructions[w] += row->runs[w] * block_length(block);
		amount->cycles[w] += row->cycles[w];
	}
}

static void add_row(struct profile *profile, const struct profile_row *row, size_t phase)
{
	const struct block *block = &profile->blocks[row->block];

	amount_add(&profile->phases[phase].amount, row, block);
	amount_add(&profile->total, row, block);
	if (!block->unit)
		return;
	amount_add(&block->unit->total, row, block);
	if (!block->unit->phases)
		block->unit->phases = allocate(profile->nr_phases * sizeof(struct amount));
	amount_add(&block->unit->phases[phase], row, block);
}

static void add_slice(struct profile *profile, const struct slice *slice)
{
	struct phase *phase = &profile->phases[slice->phase];

	for (uint32_t i = 0; i < slice->record->nr; i++)
		if (slice->rows[i].block < profile->nr_blocks)
			add_row(profile, &slice->rows[i], slice->phase);
	for (unsigned i = 0; i < PROFILE_COUNTS; i++)
		phase->counts[i] += slice->record->counts[i];
}

/* Each phase ends where the next one begins; slices belong to the last phase that has begun. */
static void finish(struct profile *profile)
{
	size_t phase = 0;

	for (size_t i = 0; i < profile->nr_phases; i++)
		profile->phases[i].end = i + 1 < profile->nr_phases
					     ? profile->phases[i + 1].start
					     : profile->slices[profile->nr_slices - 1].record->when;
	for (size_t i = 0; i < profile->nr_slices; i++) {
		struct slice *slice = &profile->slices[i];

		while (phase + 1 < profile->nr_phases &&
		       profile->phases[phase + 1].start.instructions <= slice->start.instructions)
			phase++;
		slice->phase = (unsigned)phase;
		add_slice(profile, slice);
	}
}

/* True if the firmware is UEFI's: its first image is in ROM. */
static bool starts_in_image(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nr_slices; i++) {
		if (profile->slices[i].record->reason == SLICE_SECTOR ||
		    profile->slices[i].record->reason == SLICE_UPPER)
			return false;
		if (profile->slices[i].record->reason == SLICE_IMAGE) {
			const struct image *image =
			    image_of(profile, profile->slices[i].record->value);

			return image && image->record->base >= FIRMWARE;
		}
	}
	return false;
}

void phases_find(struct profile *profile, const char *const *marks, unsigned nr)
{
	struct finder finder = {.profile = profile};

	if (!profile->nr_slices)
		return;
	begin(profile, starts_in_image(profile) ? "SEC" : "BIOS", 0);
	for (size_t i = 0; i < profile->nr_slices; i++)
		take_reason(&finder, profile->slices[i].record, i + 1, marks, nr);
	finish(profile);
}
