/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbol files: ELF files, which name code that is equal to theirs, and lists of a kernel's symbols
 * as nm prints them (System.map, kallsyms), which must have the functions that were called.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "abi/page.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/profile/names/elf_symbols.h"
#include "host/profile/names/kernel_list.h"
#include "host/profile/names/names.h"

#define SLIDE_ALIGN  0x1fffff /* of Linux's KASLR, less 1 */
#define FITS_PERCENT 75       /* of blocks: kernels patch their code, loaders relocate it */
#define FITS_MIN     2        /* blocks */

struct fit {
	uint64_t same, all;
};

static bool fits(struct fit fit)
{
	return fit.same >= FITS_MIN && fit.same * 100 >= fit.all * FITS_PERCENT;
}

/* ---- ELF files ---- */

/* Counts blocks of addresses [low, high) whose code is the file's, `bias` above its addresses.
 * image: only blocks of it, unless it is PROFILE_NONE. */
static struct fit compare_code(const struct profile *profile, const struct elf *elf, uint64_t bias,
			       uint32_t image)
{
	struct fit fit = {0, 0};

	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		const struct block *block = &profile->blocks[i];
		const unsigned char *code;
		uint64_t bytes;

		if (!block->record || (image != PROFILE_NONE && block->record->image != image) ||
		    block->record->start - bias - elf->low >= elf->high - elf->low)
			continue;
		code = elf_code(elf, block->record->start - bias, &bytes);
		fit.all++;
		fit.same += code && bytes >= block->record->bytes &&
			    !memcmp(code, block->code, block->record->bytes);
	}
	return fit;
}

struct taker {
	struct unit *unit;
	uint64_t bias;
};

static void take_function(void *context, uint64_t address, uint64_t size, const char *name)
{
	struct taker *taker = context;

	if (address + taker->bias - taker->unit->base < taker->unit->size)
		unit_symbol(taker->unit, address + taker->bias, size, name);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_functions(struct unit *unit, const struct elf *elf, uint64_t bias, const char *path)
{
	struct taker taker = {unit, bias};

	elf_functions(elf, take_function, &taker);
	unit_sort(unit);
	unit->named = unit->nr_symbols;
	unit->file = format_text("%s", path);
	unit->bias = bias;
}

/* The file's unit in memory. */
static void make_unit(struct profile *profile, const struct elf *elf, uint64_t bias,
		      const char *path)
{
	struct unit *unit =
	    unit_new(profile, base_name(path), elf->low + bias, elf->high - elf->low);

	add_functions(unit, elf, bias, path);
	if (!unit->named) /* it is stripped: kallsyms may be in it */
		profile->nr_units--;
}

/* The file's unit is an image in memory. Returns how many there are. */
static unsigned find_images(struct profile *profile, const struct elf *elf, const char *path)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < profile->nr_images; i++) {
		const struct profile_image *record = profile->images[i].record;

		if (!record || profile->images[i].unit ||
		    !fits(compare_code(profile, elf,
				       record->base - (elf->low & ~(uint64_t)(PAGE - 1)), i)))
			continue;
		profile->images[i].unit = unit_new(
		    profile, *profile->images[i].name ? profile->images[i].name : base_name(path),
		    record->base, record->size);
		profile->images[i].unit->image = i;
		add_functions(profile->images[i].unit, elf,
			      record->base - (elf->low & ~(uint64_t)(PAGE - 1)), path);
		found++;
	}
	return found;
}

/* Returns the first address of a kernel in the upper half, or 0. */
static uint64_t upper_start(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nr_slices; i++)
		if (profile->slices[i].record->reason == SLICE_UPPER)
			return profile->slices[i].record->value;
	return 0;
}

static uint64_t slide_of(const struct profile *profile, uint64_t linked)
{
	uint64_t start = upper_start(profile);

	return start && linked >> 63
		   ? (start & ~(uint64_t)SLIDE_ALIGN) - (linked & ~(uint64_t)SLIDE_ALIGN)
		   : 0;
}

static void refuse(const char *path, struct fit fit, const char *what)
{
	fprintf(stderr,
		"barepmu: --symbols '%s' is of another build, and not used: %llu of %llu %s\n",
		path, (unsigned long long)fit.same, (unsigned long long)fit.all, what);
}

/* Functions that were called must have symbols. */
static struct fit compare_calls(const struct profile *profile, const struct unit *unit)
{
	struct fit fit = {0, 0};

	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		const struct block *block = &profile->blocks[i];
		const struct symbol *symbol;

		if (!block->record || !block->called ||
		    block->record->start - unit->base >= unit->size)
			continue;
		symbol = unit_find(unit, block->record->start);
		fit.all++;
		fit.same += symbol && symbol->address == block->record->start;
	}
	return fit;
}

/* True if the file's name is the module's, in which Linux has underscores for hyphens. */
static bool is_module(const struct image *image, const char *path)
{
	const char *file = base_name(path);
	size_t i;

	if (!image->record || image->record->kind != IMAGE_MODULE || image->unit)
		return false;
	for (i = 0; image->name[i]; i++)
		if (image->name[i] != (file[i] == '-' ? '_' : file[i]))
			return false;
	return !strncmp(file + i, ".ko", 3);
}

/* A module's code has been relocated: its functions must be what was called. */
static void take_module(struct profile *profile, const struct elf *elf, const char *path,
			bool quiet)
{
	for (uint32_t i = 0; i < profile->nr_images; i++) {
		struct image *image = &profile->images[i];
		struct unit *unit;
		struct fit fit;

		if (!is_module(image, path))
			continue;
		unit = unit_new(profile, image->name, image->record->base, image->record->size);
		add_functions(unit, elf, image->record->base, path);
		unit->file = NULL; /* its lines are relative to sections */
		fit = compare_calls(profile, unit);
		if (fit.all && !fits((struct fit){fit.same + 1, fit.all + 1})) {
			if (!quiet)
				refuse(path, fit, "functions that were called are in it");
			profile->nr_units--;
			continue;
		}
		unit->image = i;
		image->unit = unit;
	}
}

static void take_elf(struct profile *profile, const struct elf *elf, const char *path,
		     const uint64_t *address, bool quiet)
{
	uint64_t bias =
	    address ? *address - (elf->low & ~(uint64_t)(PAGE - 1)) : slide_of(profile, elf->low);
	struct fit fit;

	if (elf->text) {
		take_module(profile, elf, path, quiet);
		return;
	}
	if (!address && find_images(profile, elf, path))
		return;
	fit = compare_code(profile, elf, bias, PROFILE_NONE);
	if (!fits(fit) && !address) {
		bias = 0; /* under the visor the first code in the upper half is not the kernel's */
		fit = compare_code(profile, elf, bias, PROFILE_NONE);
	}
	if (fits(fit))
		make_unit(profile, elf, bias, path);
	else if (!quiet)
		refuse(path, fit, "blocks that ran at its addresses are equal");
}

/* ---- lists of a kernel's symbols ---- */

/* Makes a unit of the code from `text` to `end`, linked addresses, moved by `slide`. */
static struct unit *list_unit(struct profile *profile, const struct kernel_list *list,
			      uint64_t text, uint64_t end, uint64_t slide)
{
	struct unit *unit = unit_new(profile, "vmlinux", text + slide, end - text);

	for (size_t i = 0; i < list->nr; i++)
		if (strchr("tTwW", list->symbols[i].type) &&
		    list->symbols[i].address - text < end - text)
			unit_symbol(unit, list->symbols[i].address + slide, 0,
				    list->symbols[i].name);
	unit_sort(unit);
	unit->named = true;
	return unit;
}

static void take_list(struct profile *profile, const struct kernel_list *list, const char *path,
		      bool quiet)
{
	uint64_t text = kernel_list_find(list, "_text"), end = kernel_list_find(list, "_etext"),
		 init = kernel_list_find(list, "_einittext"), slide = slide_of(profile, text);
	struct unit *unit;
	struct fit fit;

	if (init > end)
		end = init;
	if (!text || end <= text || end - text > UINT32_MAX) {
		if (!quiet)
			fprintf(stderr,
				"barepmu: --symbols '%s' has no _text and _etext: not used\n",
				path);
		return;
	}
	unit = list_unit(profile, list, text, end, slide);
	fit = compare_calls(profile, unit);
	if (!fits(fit) && slide) {
		profile->nr_units--;
		unit = list_unit(profile, list, text, end, 0);
		fit = compare_calls(profile, unit);
	}
	if (fits(fit))
		return;
	if (!quiet)
		refuse(path, fit, "functions that were called are in it");
	profile->nr_units--;
}

/* ---- files ---- */

/* Reads a file, with a NUL after it that is not counted. */
static struct buffer read_text(const char *path)
{
	struct buffer file = read_file(path);

	buffer_append(&file, "", 1);
	file.size--;
	return file;
}

static void take_file(struct profile *profile, const char *path, const uint64_t *address,
		      bool quiet)
{
	struct buffer file = read_text(path);
	size_t before = profile->nr_units;
	struct kernel_list list;
	struct elf elf;

	if (elf_open(&elf, file)) {
		take_elf(profile, &elf, path, address, quiet);
		elf_close(&elf);
	}
	if (profile->nr_units > before && profile->units[before]->named)
		; /* done */
	else if (!address && kernel_list_read(&list, &file, path))
		take_list(profile, &list, path, quiet);
	else if (!quiet && !elf.high)
		fprintf(stderr,
			"barepmu: --symbols '%s' is no ELF file and no list of nm's: not used\n",
			path);
	free(file.bytes);
}

static void take_directory(struct profile *profile, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		die(STATUS_OURS, "cannot read '%s': %s", path, strerror(errno));
	while ((entry = readdir(directory))) {
		char *file = format_text("%s/%s", path, entry->d_name);
		struct stat info;

		if (!stat(file, &info) && S_ISREG(info.st_mode))
			take_file(profile, file, NULL, true);
		free(file);
	}
	closedir(directory);
}

/* Splits FILE@ADDRESS; returns the file's name, allocated. */
static char *split(const char *word, uint64_t *address, bool *has_address)
{
	const char *at = strrchr(word, '@');
	char *end;

	*has_address = at && at[1];
	if (*has_address) {
		*address = strtoull(at + 1, &end, 0);
		*has_address = !*end;
	}
	return *has_address ? format_text("%.*s", (int)(at - word), word) : format_text("%s", word);
}

void names_of_symbols(struct profile *profile, const struct words *files, bool quiet)
{
	for (int i = 0; i < files->nr; i++) {
		uint64_t address;
		bool has_address;
		char *path = split(files->word[i], &address, &has_address);
		struct stat info;

		if (!stat(path, &info) && S_ISDIR(info.st_mode))
			take_directory(profile, path);
		else
			take_file(profile, path, has_address ? &address : NULL, quiet);
		free(path);
	}
}

uint64_t names_kernel(const struct words *files)
{
	bool slides;

	return names_function(files, "_text", &slides);
}

struct search {
	const char *name;
	uint64_t address;
};

static void compare_name(void *context, uint64_t address, uint64_t size, const char *name)
{
	struct search *search = context;

	(void)size;
	if (!search->address && !strcmp(name, search->name))
		search->address = address;
}

static void search_file(struct search *search, const char *path, const uint64_t *address)
{
	struct buffer file = read_text(path);
	struct kernel_list list;
	struct elf elf;

	if (elf_open(&elf, file)) {
		elf_functions(&elf, compare_name, search);
		if (search->address && address)
			search->address += *address - (elf.low & ~(uint64_t)(PAGE - 1));
		elf_close(&elf);
	}
	if (!search->address && kernel_list_read(&list, &file, path)) {
		search->address = kernel_list_find(&list, search->name);
		kernel_list_free(&list);
	}
	free(file.bytes);
}

uint64_t names_function(const struct words *files, const char *name, bool *slides)
{
	struct search search = {name, 0};

	for (int i = 0; i < files->nr && !search.address; i++) {
		uint64_t address = 0;
		bool has_address;
		char *path = split(files->word[i], &address, &has_address);
		struct stat info;

		if (!stat(path, &info) && S_ISREG(info.st_mode))
			search_file(&search, path, has_address ? &address : NULL);
		free(path);
		*slides = search.address >> 63 && !has_address;
	}
	return search.address;
}
