/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of an operating system in a guest's memory, which is a few regions here: a program, a
 * library, its loader, a module; and the same with damaged bytes. */
#define _GNU_SOURCE
#include <elf.h>
#include <unistd.h>

#include "emulator/sim/profile/profile.h"
#include "emulator/sim/profile/profile_state.h"
#include "tests/sim/core_test.h"

#define PROGRAM 0x400000ull
#define LIBRARY 0x7f0000000000ull
#define LOADER  0x7f1000000000ull
#define STACK   0x7ffff0000000ull
#define LIST    0xffffffff82000000ull
#define MODULE  0xffffffffc0100000ull
#define SYSTEM  0xffffffffc0200000ull /* the kernel's record of the module */
#define PAGE    0x1000u
#define ROUNDS  2000
#define SPACE   0x1234000
#define STRINGS 0x800
#define DYNAMIC 0x600

static struct region {
	uint64_t base;
	uint8_t bytes[2 * PAGE];
} regions[] = {{.base = PROGRAM}, {.base = LIBRARY}, {.base = LOADER}, {.base = STACK},
	       {.base = LIST},    {.base = MODULE},  {.base = SYSTEM}};

enum { AT_PROGRAM, AT_LIBRARY, AT_LOADER, AT_STACK, AT_LIST, AT_MODULE, AT_SYSTEM };

static uint64_t stack;

static bool fake_read(uint64_t address, void *to, size_t bytes)
{
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		uint64_t at = address - regions[i].base;

		if (at >= sizeof(regions[i].bytes) || sizeof(regions[i].bytes) - at < bytes)
			continue;
		memcpy(to, regions[i].bytes + at, bytes);
		return true;
	}
	return false;
}

static bool fake_registers(struct profile_registers *to)
{
	*to = (struct profile_registers){.stack = stack, .cr3 = SPACE, .ring = 3};
	return true;
}

static uint64_t no_clock(void)
{
	return 0;
}

static void put(unsigned region, size_t at, uint64_t value)
{
	memcpy(regions[region].bytes + at, &value, sizeof(value));
}

/* An ELF file of two pages. */
static void make_elf(unsigned region, uint16_t type, bool interpreted, bool dynamic)
{
	uint64_t linked = type == ET_EXEC ? regions[region].base : 0;
	const Elf64_Ehdr elf = {
	    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = type,
	    .e_machine = EM_X86_64,
	    .e_phoff = sizeof(elf),
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = 3};
	const Elf64_Phdr rows[3] = {
	    {.p_type = PT_LOAD, .p_vaddr = linked, .p_memsz = 2 * PAGE},
	    {.p_type = interpreted ? PT_INTERP : PT_NULL},
	    {.p_type = dynamic ? PT_DYNAMIC : PT_NULL, .p_vaddr = linked + DYNAMIC}};

	memcpy(regions[region].bytes, &elf, sizeof(elf));
	memcpy(regions[region].bytes + sizeof(elf), rows, sizeof(rows));
}

/* strings: the address of the string table as it is in memory. */
static void make_dynamic(unsigned region, uint64_t strings)
{
	put(region, DYNAMIC, DT_STRTAB);
	put(region, DYNAMIC + 8, strings);
	put(region, DYNAMIC + 16, DT_SONAME);
	put(region, DYNAMIC + 24, 1);
	strcpy((char *)regions[region].bytes + STRINGS + 1, "libname.so.6");
}

static void make_stack(void)
{
	uint8_t *bytes = regions[AT_STACK].bytes;

	stack = STACK + 0x100;
	put(AT_STACK, 0x100, 1); /* argc, argv, environment, auxiliary vector */
	put(AT_STACK, 0x108, STACK);
	put(AT_STACK, 0x110, 0);
	put(AT_STACK, 0x118, STACK);
	put(AT_STACK, 0x120, 0);
	put(AT_STACK, 0x128, AT_BASE);
	put(AT_STACK, 0x130, LOADER);
	put(AT_STACK, 0x138, 0);
	strcpy((char *)bytes + 2 * PAGE - 8 - sizeof("/usr/bin/name"), "/usr/bin/name");
}

/* The list's head, and one module whose code is a page. */
static void make_module(void)
{
	put(AT_LIST, 0, SYSTEM + 8);
	put(AT_SYSTEM, 8, LIST);
	strcpy((char *)regions[AT_SYSTEM].bytes + 24, "some_module");
	put(AT_SYSTEM, 0x140, MODULE);
	put(AT_SYSTEM, 0x148, 0xf00);
}

static void make_all(void)
{
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++)
		memset(regions[i].bytes, 0, sizeof(regions[i].bytes));
	make_elf(AT_PROGRAM, ET_EXEC, true, false);
	make_elf(AT_LIBRARY, ET_DYN, false, true);
	make_elf(AT_LOADER, ET_DYN, false, false);
	make_dynamic(AT_LIBRARY, STRINGS);
	make_stack();
	make_module();
}

static int setup(void **state)
{
	static char path[] = "/tmp/profile-XXXXXX";
	const struct profile_machine machine = {
	    .registers = fake_registers, .clock = no_clock, .read = fake_read};

	(void)state;
	assert_true(mkstemp(path) >= 0);
	profile_options.path = path;
	profile_options.modules = LIST;
	assert_true(profile_start(&machine));
	profile.upper = true;
	make_all();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(profile_options.path);
}

/* Reads the stream's images: name and base of the one with that number. */
static struct profile_image image(uint32_t id)
{
	struct profile_image found = {.base = 0};
	struct profile_record record;
	FILE *file;

	profile_slice(SLICE_TIME, 0); /* which writes what is buffered */
	file = fopen(profile_options.path, "r");
	while (fread(&record, sizeof(record), 1, file) == 1) {
		long next = ftell(file) + record.bytes;
		struct profile_image one;

		if (record.type == PROFILE_IMAGE && fread(&one, sizeof(one), 1, file) == 1 &&
		    one.id == id)
			found = one;
		fseek(file, next, SEEK_SET);
	}
	fclose(file);
	return found;
}

static void check(uint64_t address, const char *name, uint64_t base, unsigned kind)
{
	uint32_t id = profile_linux_image(address);
	struct profile_image found;

	assert_int_not_equal(id, PROFILE_NONE);
	found = image(id);
	assert_string_equal(found.name, name);
	assert_int_equal(found.base, base);
	assert_int_equal(found.kind, kind);
	assert_int_equal(profile_linux_image(address + 4), id); /* it is known now */
}

static void test_names(void **state)
{
	(void)state;
	check(PROGRAM + 0x1100, "/usr/bin/name", PROGRAM, IMAGE_ELF);
	check(LIBRARY + 0x1100, "libname.so.6", LIBRARY, IMAGE_ELF);
	check(LOADER + 0x1100, "ld.so", LOADER, IMAGE_ELF);
	check(MODULE + 0x100, "some_module", MODULE, IMAGE_MODULE);
	assert_int_equal(profile_linux_image(LIBRARY + 0x10000), PROFILE_NONE);
	assert_int_equal(profile_linux_image(MODULE + 0x1000), PROFILE_NONE); /* behind its end */
	assert_int_equal(profile_linux_image(0xffffffff81000000), PROFILE_NONE);
}

/* A library's loader has made the address of its strings final. Another file at an old one's place,
 * with another entry, is another image. */
static void test_changed(void **state)
{
	Elf64_Ehdr elf;

	(void)state;
	make_dynamic(AT_LIBRARY, LIBRARY + STRINGS);
	memcpy(&elf, regions[AT_LIBRARY].bytes, sizeof(elf));
	elf.e_entry = 0x1234;
	memcpy(regions[AT_LIBRARY].bytes, &elf, sizeof(elf));
	check(LIBRARY + 0x1100, "libname.so.6", LIBRARY, IMAGE_ELF);
}

/* Whatever the guest wrote, reads stay within its memory and come to an end. */
static void test_damaged(void **state)
{
	static const uint64_t places[] = {PROGRAM, LIBRARY, LOADER, MODULE};
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		make_all();
		for (unsigned n = 0; n < 8; n++) {
			uint64_t random = test_random(&seed);
			struct region *region = &regions[random % 7];

			region->bytes[random >> 8 & 0x1fff & (random & 0x80 ? 0x1ff : 0x1fff)] =
			    (uint8_t)(random >> 32);
		}
		profile.instructions += 20000; /* nothing is remembered as empty */
		profile_linux_image(places[i % 4] + 0x1000 + i % 0x1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_changed),
	    cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
