/* SPDX-License-Identifier: BSD-2-Clause */
/* The readers of a recorded boot, whose input the guest or a damaged file chose: exact results of
 * good input, and no read outside of bad input. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "emulator/sim/profile/image.h"
#include "host/profile/names/elf_symbols.h"
#include "host/profile/names/kallsyms.h"
#include "host/profile/names/lzma.h"
#include "host/machine/link/results.h"
#include "host/profile/output.h"
#include "host/profile/phases.h"
#include "host/profile/profile.h"
#include "host/profile/summary.h"
#include "host/profile/table.h"
#include "host/profile/names/volume.h"

#define ROUNDS 2000

/* Profiles live as long as the command. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* They belong to the link to the machine, which is not part of this test. */
FILE *results_open(const char *path)
{
	return fopen(path, "wbe");
}

bool results_close(FILE *file)
{
	return !fclose(file);
}

static uint32_t seed = 1;

static uint32_t chance(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Returns a copy whose end is that of its memory, with a few bytes changed, perhaps cut off. */
static unsigned char *damage(const unsigned char *bytes, size_t *size)
{
	size_t whole = chance(4) ? *size : chance((uint32_t)*size) + 1;
	unsigned char *copy = malloc(whole);

	memcpy(copy, bytes, whole);
	for (unsigned i = chance(6); i; i--)
		copy[chance((uint32_t)whole)] = chance(3) ? (unsigned char)chance(256) : 0xff;
	*size = whole;
	return copy;
}

/* ---- images in memory ---- */

static void set(unsigned char *bytes, size_t at, uint64_t value, unsigned size)
{
	memcpy(bytes + at, &value, size);
}

static void make_pe(unsigned char pe[1024])
{
	memset(pe, 0, 1024);
	memcpy(pe, "MZ", 2);
	set(pe, 0x3c, 0x80, 4);
	memcpy(pe + 0x80, "PE\0", 4);
	set(pe, 0x80 + 24, 0x20b, 2);
	set(pe, 0x80 + 24 + 56, 0x400, 4);       /* size of the image */
	set(pe, 0x80 + 24 + 112 + 48, 0x200, 4); /* debug directory */
	set(pe, 0x80 + 24 + 112 + 52, 28, 4);
	set(pe, 0x200 + 12, 2, 4);
	set(pe, 0x200 + 20, 0x240, 4);
	memcpy(pe + 0x240, "NB10", 4);
	strcpy((char *)pe + 0x250, "/build/FooDxe.dll");
	memset(pe + 0x300, 0x90, 0x100); /* code */
}

static void test_image_headers(void **state)
{
	unsigned char pe[1024];
	struct image_header image;

	(void)state;
	make_pe(pe);
	assert_true(image_parse(pe, sizeof(pe), &image));
	assert_int_equal(image.size, 0x400);
	assert_int_equal(image.kind, IMAGE_PE64);
	assert_string_equal(image.name, "/build/FooDxe.dll");
	assert_ptr_equal(image_search(pe, pe + 0x300, pe + sizeof(pe), &image), pe);
	set(pe, 0x80 + 24 + 56, 0x200, 4);
	assert_null(image_search(pe, pe + 0x300, pe + sizeof(pe), &image));
}

static void test_te_header(void **state)
{
	unsigned char te[512] = "VZ";
	struct image_header image;

	(void)state;
	set(te, 2, 0x14c, 2);
	te[4] = 1;
	set(te, 6, 40 + 0x100, 2); /* stripped */
	set(te, 40 + 8, 0x80, 4);
	set(te, 40 + 12, 0x140, 4);
	assert_true(image_parse(te, sizeof(te), &image));
	assert_int_equal(image.kind, IMAGE_TE32);
	assert_int_equal(image.size, 0x140 + 0x80 - 0x100);
}

static void test_damaged_images(void **state)
{
	unsigned char pe[1024];
	struct image_header image;

	(void)state;
	make_pe(pe);
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t size = sizeof(pe);
		unsigned char *copy = damage(pe, &size);

		if (image_parse(copy, size, &image))
			assert_in_range(image.size, 1, 64u << 20);
		image_search(copy, copy + chance((uint32_t)size), copy + size, &image);
		free(copy);
	}
}

/* ---- LZMA ---- */

/* "boot firmware boot firmware boot firmware" by xz --format=alone, with its size in the header. */
static const unsigned char packed[] = {
    0x5d, 0x00, 0x00, 0x80, 0x00, 0x29, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x31, 0x1b, 0xec, 0xe8, 0x20, 0x2b, 0x0e, 0x1c, 0x73, 0xbf, 0xcf, 0x59, 0xb8, 0xf1,
    0x73, 0xd9, 0xc4, 0x8c, 0x97, 0x33, 0xff, 0xff, 0xe8, 0x7c, 0x80, 0x00,
};

static void test_lzma(void **state)
{
	struct buffer out = {NULL, 0, 0};

	(void)state;
	assert_true(lzma_decompress(packed, sizeof(packed), 1000, &out));
	assert_int_equal(out.size, 41);
	assert_memory_equal(out.bytes, "boot firmware boot firmware boot firmware", 41);
	free(out.bytes);
	out = (struct buffer){NULL, 0, 0};
	assert_false(lzma_decompress(packed, sizeof(packed), 40, &out));
}

static void test_damaged_lzma(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct buffer out = {NULL, 0, 0};
		size_t size = sizeof(packed);
		unsigned char *copy = damage(packed, &size);

		lzma_decompress(copy, size, 1 << 16, &out);
		free(out.bytes);
		free(copy);
	}
}

/* ---- the kernel's tables ---- */

#define SYMBOLS 2300 /* nine groups */

static unsigned nr_taken;

static void take_symbol(void *context, uint64_t address, char type, const char *name)
{
	char want[16];

	(void)context;
	snprintf(want, sizeof(want), "f%u", nr_taken);
	assert_int_equal(address, 0xffffffff81000000 + 16ul * nr_taken);
	assert_int_equal(type, 't');
	assert_string_equal(name, want);
	nr_taken++;
}

static void ignore_symbol(void *context, uint64_t address, char type, const char *name)
{
	(void)context, (void)address, (void)type, (void)name;
}

/* Lays the tables out as Linux 6.1 does. */
static size_t make_tables(unsigned char *to)
{
	size_t at = 64, names, n = 0;
	uint32_t markers[16] = {0};

	memset(to, 0xcc, 64);
	for (uint32_t i = 0; i < SYMBOLS; i++, at += 4) {
		int32_t offset = -1 - (int32_t)(16 * i);

		set(to, at, (uint32_t)offset, 4);
	}
	at = (at + 7) & ~7ul;
	set(to, at, 0xffffffff81000000, 8);
	set(to, at + 8, SYMBOLS, 8);
	names = at += 16;
	for (uint32_t i = 0; i < SYMBOLS; i++) {
		char name[16];

		if (i % 256 == 0)
			markers[n++] = (uint32_t)(at - names);
		to[at] = (unsigned char)snprintf(name, sizeof(name), "tf%u", i);
		memcpy(to + at + 1, name, to[at]);
		at += 1u + to[at];
	}
	for (; at % 8; at++)
		to[at] = 0;
	memcpy(to + at, markers, 4 * n);
	at += 4 * n;
	return at;
}

/* Appends 256 tokens, each a character or two, and their index. */
static size_t make_tokens(unsigned char *to, size_t at)
{
	size_t start, index;
	uint16_t offsets[256];

	for (; at % 8; at++)
		to[at] = 0;
	start = at;
	for (unsigned i = 0; i < 256; i++) {
		offsets[i] = (uint16_t)(at - start);
		if (i > ' ' && i < 0x7f) {
			to[at++] = (unsigned char)i;
		} else {
			to[at++] = 'x';
			to[at++] = 'y';
		}
		to[at++] = 0;
	}
	for (; at % 8; at++)
		to[at] = 0;
	index = at;
	memcpy(to + index, offsets, sizeof(offsets));
	return index + sizeof(offsets);
}

static void test_kallsyms(void **state)
{
	static unsigned char kernel[1 << 17];
	size_t size = make_tokens(kernel, make_tables(kernel));

	(void)state;
	assert_true(kallsyms_read(kernel, size, take_symbol, NULL));
	assert_int_equal(nr_taken, SYMBOLS);
	for (unsigned i = 0; i < ROUNDS / 20; i++) {
		size_t whole = size;
		unsigned char *copy = damage(kernel, &whole);

		kallsyms_read(copy, whole, ignore_symbol, NULL);
		free(copy);
	}
}

/* ---- the stream ---- */

static size_t put(unsigned char *to, size_t at, uint32_t type, const void *bytes, size_t size)
{
	struct profile_record record = {type, (uint32_t)((size + 7) & ~7ul)};

	memcpy(to + at, &record, sizeof(record));
	memset(to + at + sizeof(record), 0, record.bytes);
	memcpy(to + at + sizeof(record), bytes, size);
	return at + sizeof(record) + record.bytes;
}

/* A machine that ran two blocks of an image, one of them in ring 3. */
static size_t make_stream(unsigned char *to)
{
	const struct profile_head head = {.magic = PROFILE_MAGIC,
					  .version = PROFILE_VERSION,
					  .timed = 1,
					  .nr_events = 1,
					  .periods = {100}};
	struct {
		struct profile_image image;
		unsigned char header[1024];
	} image = {
	    .image = {.base = 0xfff00000, .size = 0x400, .kind = IMAGE_PE64, .header_bytes = 1024}};
	struct {
		struct profile_block block;
		unsigned char code[8];
	} block = {{.start = 0xfff00010, .bytes = 3, .instructions = 2, .bits = 64},
		   {0x90, 0xeb, 0xfd, 1, 2}};
	struct {
		struct profile_slice slice;
		struct profile_row rows[2];
	} slice = {{.when = {40, 80, 40}, .reason = SLICE_IMAGE, .nr = 2},
		   {{.block = 0, .runs = {10, 0}, .cycles = {50, 0}},
		    {.block = 1, .runs = {0, 10}, .cycles = {0, 30}}}};
	struct {
		struct profile_sample sample;
		uint64_t chain[2];
	} sample = {{.when = {20, 30, 20}, .ip = 0xfff00011, .periods = 1, .nr = 2},
		    {0xfff00010, 0xfff00110}};
	const struct profile_line line = {.port = 0x3f8, .bytes = 5, .text = "hello"};
	const uint32_t called[] = {1, 0, 1, 0};
	const struct profile_end end = {.samples = 1};
	size_t at = put(to, 0, PROFILE_HEAD, &head, sizeof(head));

	make_pe(image.header);
	strcpy(image.image.name, "/build/FooDxe.dll");
	at = put(to, at, PROFILE_IMAGE, &image, sizeof(image));
	at = put(to, at, PROFILE_BLOCK, &block, sizeof(block));
	block.block.id = 1;
	block.block.start = 0xfff00110;
	at = put(to, at, PROFILE_BLOCK, &block, sizeof(block));
	at = put(to, at, PROFILE_SAMPLE, &sample, sizeof(sample));
	at = put(to, at, PROFILE_LINE, &line, sizeof(line));
	at = put(to, at, PROFILE_SLICE, &slice, sizeof(slice));
	slice.slice.reason = SLICE_END;
	slice.slice.when = (struct profile_when){80, 160, 80};
	at = put(to, at, PROFILE_SLICE, &slice, sizeof(slice));
	at = put(to, at, PROFILE_CALLED, called, sizeof(called));
	return put(to, at, PROFILE_END, &end, sizeof(end));
}

static struct profile profile;

static bool resolve(const unsigned char *bytes, size_t size)
{
	const char *why;
	struct buffer file = {malloc(size), size, size};

	memcpy(file.bytes, bytes, size);
	if (!profile_read(&profile, file, &why))
		return false;
	units_resolve(&profile);
	phases_find(&profile, NULL, 0);
	return true;
}

static void test_stream(void **state)
{
	static unsigned char stream[8192];
	size_t size = make_stream(stream);
	struct summary summary;

	(void)state;
	assert_true(resolve(stream, size));
	assert_non_null(profile.end);
	assert_int_equal(profile.nr_samples, 1);
	assert_int_equal(profile.total.instructions[0], 40);
	assert_int_equal(profile.total.instructions[1], 40);
	assert_int_equal(profile.total.cycles[0], 100);
	summary_make(&summary, &profile, SUMMARY_FUNCTIONS, false);
	assert_int_equal(summary.nr, 2);
	assert_int_equal(summary_value(&summary, &summary.rows[0].amount), 100);
	assert_int_equal(summary_value(&summary, &summary.rows[1].amount), 0);
	stream[0] ^= 1;
	assert_false(resolve(stream, size));
}

static void test_damaged_stream(void **state)
{
	static const struct boot_event event = {.name = "cycles"};
	const struct output_event events[] = {{&event, 100}};
	const struct output_origin origin = {.events = events, .nr_events = 1, .waits = true};
	static unsigned char stream[8192];
	size_t size = make_stream(stream);
	FILE *nowhere = fopen("/dev/null", "w");

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t whole = size;
		unsigned char *copy = damage(stream, &whole);

		if (resolve(copy, whole)) {
			table_print(nowhere, &profile, true);
			if (i % 50 == 0)
				write_perf_file(&profile, "/dev/null", &origin);
		}
		free(copy);
	}
	fclose(nowhere);
}

/* ---- firmware's file ---- */

static void test_volume(void **state)
{
	static unsigned char stream[8192], volume[2048];
	size_t size = make_stream(stream), section = 0x48 + 24;

	(void)state;
	assert_true(resolve(stream, size));
	set(volume, 32, sizeof(volume), 8);
	memcpy(volume + 40, "_FVH", 4);
	set(volume, 48, 0x48, 2);
	volume[0x48 + 18] = 7; /* a driver's file */
	set(volume, 0x48 + 20, 24 + 4 + 1024 + 4 + 14, 3);
	set(volume, section, 4 + 1024, 3);
	volume[section + 3] = 0x10; /* PE32 */
	make_pe(volume + section + 4);
	set(volume, section + 4 + 1024, 4 + 14, 3);
	volume[section + 4 + 1024 + 3] = 0x15; /* its name */
	for (unsigned i = 0; i < 6; i++)
		volume[section + 4 + 1024 + 4 + 2 * i] = (unsigned char)"BarDxe"[i];
	profile.images[0].name[0] = '\0';
	assert_int_equal(volume_name_images(&profile, volume, sizeof(volume)), 1);
	assert_string_equal(profile.images[0].name, "BarDxe");
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t whole = sizeof(volume);
		unsigned char *copy = damage(volume, &whole);

		profile.images[0].of_firmware = false;
		volume_name_images(&profile, copy, whole);
		free(copy);
	}
}

/* ---- ELF files ---- */

static void ignore_function(void *context, uint64_t address, uint64_t size, const char *name)
{
	(void)address, (void)size;
	*(size_t *)context += strlen(name);
}

/* The files that stand for units are read back. */
static void test_elf(void **state)
{
	static unsigned char stream[8192];
	char directory[] = "/tmp/barepmu-test-XXXXXX";
	size_t size = make_stream(stream), letters = 0;
	struct buffer file;
	struct elf elf;

	(void)state;
	assert_true(resolve(stream, size));
	assert_non_null(mkdtemp(directory));
	assert_true(write_unit_files(&profile, directory));
	file = read_file(profile.units[0]->path);
	assert_true(elf_open(&elf, file));
	assert_int_equal(elf.high - elf.low, 0x400);
	elf_functions(&elf, ignore_function, &letters);
	elf_close(&elf);
	assert_true(letters > 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t whole = file.size;
		unsigned char *copy = damage(file.bytes, &whole);

		if (elf_open(&elf, (struct buffer){copy, whole, whole})) {
			elf_functions(&elf, ignore_function, &letters);
			elf_close(&elf);
		}
		free(copy);
	}
	unlink(profile.units[0]->path);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_image_headers),  cmocka_unit_test(test_te_header),
	    cmocka_unit_test(test_damaged_images), cmocka_unit_test(test_lzma),
	    cmocka_unit_test(test_damaged_lzma),   cmocka_unit_test(test_kallsyms),
	    cmocka_unit_test(test_stream),         cmocka_unit_test(test_damaged_stream),
	    cmocka_unit_test(test_volume),         cmocka_unit_test(test_elf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
