/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine's profile as the host command has it in memory: the stream's records
 * (abi/boot_profile.h), checked, and their names. Blocks belong to units, which have
 * a name: an image, a kernel, a page of unnamed code.
 */
#ifndef HOST_PROFILE_PROFILE_H
#define HOST_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/boot_profile.h"
#include "host/lib/buffer.h"

struct symbol {
	uint64_t address, size; /* as executed; size 0: up to the next one */
	char *name;
};

/* Executed instructions, runs and cycles: [1] in loops that wait. */
struct amount {
	uint64_t instructions[2], cycles[2];
};

struct unit {
	char *name;
	uint64_t base, size;
	uint32_t image; /* PROFILE_NONE: none */
	bool named;     /* its symbols are a file's */
	char *file;     /* that ELF file, with lines perhaps; NULL: none */
	uint64_t bias;  /* addresses less the file's */
	struct symbol *symbols;
	size_t nr_symbols;
	struct amount total, *phases; /* phases: of each; NULL: it did not run */
	char *path;                   /* of its file beside perf.data; NULL: not written */
};

struct block {
	const struct profile_block *record; /* NULL: the stream has none of this number */
	const uint8_t *code, *lengths;
	bool called;
	uint64_t runs[2], cycles[2];
	struct unit *unit;
};

struct image {
	const struct profile_image *record;
	const uint8_t *header;
	char name[PROFILE_NAME]; /* printable */
	bool of_firmware;        /* found in the firmware's volumes */
	struct unit *unit;
};

struct slice {
	const struct profile_slice *record;
	const struct profile_row *rows;
	struct profile_when start;
	unsigned phase;
};

struct sample {
	const struct profile_sample *record;
	const uint64_t *chain;
};

struct phase {
	char *name;
	struct profile_when start, end;
	uint64_t counts[PROFILE_COUNTS];
	struct amount amount;
};

struct profile {
	struct buffer file;
	const struct profile_head *head;
	struct image images[PROFILE_IMAGES];
	uint32_t nr_images;
	struct block *blocks;
	uint32_t nr_blocks;
	struct slice *slices;
	size_t nr_slices;
	struct sample *samples;
	size_t nr_samples;
	const struct profile_line **lines;
	size_t nr_lines;
	const struct profile_end *end; /* NULL: the stream is cut off */
	struct unit **units;
	size_t nr_units;
	struct phase *phases;
	size_t nr_phases;
	struct amount total;
};

/* read.c: reads a stream; keeps what comes before a record that is cut off or contradicts itself.
 * Returns false with a line in *why if it is none. */
bool profile_read(struct profile *profile, struct buffer file, const char **why);
/* Whether anything ran in a phase. */
static inline bool phase_ran(const struct phase *phase)
{
	return phase->amount.instructions[0] || phase->amount.instructions[1];
}

/* Instructions in one run of a block. */
static inline uint64_t block_length(const struct block *block)
{
	return block->record ? block->record->instructions : 0;
}
/* The block's row is in `image`, or NULL. */
const struct image *block_image(const struct profile *profile, const struct block *block);

/* units.c */
/* Returns the new unit; ends the command without memory. */
struct unit *unit_new(struct profile *profile, const char *name, uint64_t base, uint64_t size);
void unit_symbol(struct unit *unit, uint64_t address, uint64_t size, const char *name);
/* Sorts the symbols; after the last one. */
void unit_sort(struct unit *unit);
/* Returns the function at an address, or NULL. */
const struct symbol *unit_find(const struct unit *unit, uint64_t address);
/* Gives each block its unit: images, the units that there are (of symbol files), else pages. */
void units_resolve(struct profile *profile);

#endif
