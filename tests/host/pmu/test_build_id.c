/* SPDX-License-Identifier: BSD-2-Clause */
/* Build ids in well formed and in broken files, and in records of mappings. */
#include <linux/elf.h>
#include <sys/mman.h>
#include "kernel/base/hooks.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/vm/vm.h"
#include "pmu/record/build_id.h"
#include "tests/host/fake/fake_files.h"
#include "tests/host/kernel/ring_reader.h"
#include "tests/host/pmu/intel_test.h"

#define NOTES 0x200 /* where a program's notes are */

/* The first page of a program: two segments, the second of which has another vendor's note and
 * then the id's. */
static struct program {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[2];
	uint8_t between[NOTES - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr)];
	struct {
		Elf64_Nhdr head;
		char owner[4];
		uint8_t data[8];
	} other;
	struct {
		Elf64_Nhdr head;
		char owner[4];
		uint8_t id[BUILD_ID_MAX];
	} note;
	uint8_t rest[PAGE_SIZE - NOTES - 24 - 36];
} program;

static struct inode inode;

static void make_program(void)
{
	memset(&program, 0, sizeof(program));
	memcpy(program.ehdr.e_ident, ELFMAG, SELFMAG);
	program.ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	program.ehdr.e_phnum = 2;
	program.phdr[0].p_type = PT_LOAD;
	program.phdr[1].p_type = PT_NOTE;
	program.phdr[1].p_offset = NOTES;
	program.phdr[1].p_filesz = sizeof(program.other) + sizeof(program.note);
	program.other.head = (Elf64_Nhdr){4, 5, 1}; /* padded to 8 */
	memcpy(program.other.owner, "GNU", 4);
	program.note.head = (Elf64_Nhdr){4, BUILD_ID_MAX, 3};
	memcpy(program.note.owner, "GNU", 4);
	for (uint8_t i = 0; i < BUILD_ID_MAX; i++)
		program.note.id[i] = 0xa0 + i;
	fake_file.data = &program;
	fake_file.bytes = sizeof(program);
}

/* How many bytes the program's id has; they are its own, with zeroes after. */
static uint32_t bytes_found(void)
{
	static const uint8_t zeroes[BUILD_ID_MAX];
	struct build_id id;

	memset(&id, 0xff, sizeof(id));
	build_id_read(&inode, &id);
	assert_in_range(id.bytes, 0, BUILD_ID_MAX);
	assert_memory_equal(id.id, program.note.id, id.bytes);
	assert_memory_equal(id.id + id.bytes, zeroes, BUILD_ID_MAX - id.bytes);
	return id.bytes;
}

static void whole_and_short(void **state)
{
	(void)state;
	make_program();
	assert_int_equal(bytes_found(), BUILD_ID_MAX);
	program.note.head.n_descsz = 8; /* as of some linkers */
	assert_int_equal(bytes_found(), 8);
	make_program();
	program.ehdr.e_phnum = 1;
	assert_int_equal(bytes_found(), 0);
	make_program();
	program.ehdr.e_phnum = 0xffff; /* the table ends with the page */
	program.phdr[1].p_type = PT_LOAD;
	assert_int_equal(bytes_found(), 0);
}

/* Each breaks one thing. */
#define BREAK(what)                                                \
	do {                                                       \
		make_program();                                    \
		what;                                              \
		if (bytes_found())                                 \
			fail_msg("an id was found though " #what); \
	} while (0)

static void broken(void **state)
{
	(void)state;
	BREAK(program.ehdr.e_ident[1] = 'L');
	BREAK(program.ehdr.e_ident[EI_CLASS] = ELFCLASS32);
	BREAK(program.phdr[1].p_offset = PAGE_SIZE);
	BREAK(program.phdr[1].p_offset = UINT64_MAX);
	BREAK(program.phdr[1].p_offset = PAGE_SIZE - 40); /* goes beyond the page */
	BREAK(program.phdr[1].p_filesz = PAGE_SIZE);
	BREAK(program.phdr[1].p_filesz = UINT64_MAX);
	BREAK(program.phdr[1].p_filesz = sizeof(program.other));
	BREAK(program.note.head.n_type = 4);
	BREAK(program.note.head.n_namesz = 5);
	BREAK(program.note.head.n_namesz = UINT32_MAX);
	BREAK(program.note.head.n_descsz = 0);
	BREAK(program.note.head.n_descsz = BUILD_ID_MAX + 1);
	BREAK(program.note.head.n_descsz = UINT32_MAX);
	BREAK(program.note.owner[3] = 'X');
	BREAK(program.other.head.n_descsz = UINT32_MAX);
	BREAK(program.other.head.n_namesz = PAGE_SIZE);
}

/* A file may end anywhere. */
static void cut_off(void **state)
{
	size_t end = NOTES + sizeof(program.other) + sizeof(program.note);

	(void)state;
	make_program();
	for (size_t bytes = 0; bytes < end; bytes++) {
		fake_file.bytes = bytes;
		assert_int_equal(bytes_found(), 0);
	}
	fake_file.bytes = end;
	assert_int_equal(bytes_found(), BUILD_ID_MAX);
}

/* Notes at the page's end: bytes behind it are not read. */
static void last_bytes(void **state)
{
	uint8_t *end = (uint8_t *)&program + PAGE_SIZE;

	(void)state;
	for (size_t bytes = sizeof(program.note) - 4; bytes <= sizeof(program.note); bytes += 4) {
		make_program();
		memcpy(end - bytes, &program.note, bytes);
		program.phdr[1].p_offset = PAGE_SIZE - bytes;
		program.phdr[1].p_filesz = bytes;
		assert_int_equal(bytes_found(), bytes == sizeof(program.note) ? BUILD_ID_MAX : 0);
	}
	make_program();
	memcpy(end - 14, &program.note, 14); /* the owner's name ends outside */
	program.phdr[1].p_offset = PAGE_SIZE - 14;
	program.phdr[1].p_filesz = 14;
	assert_int_equal(bytes_found(), 0);
}

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, bytes, offset;
	uint8_t id_bytes, reserved[3], id[BUILD_ID_MAX];
	uint32_t protection, flags;
};

/* The record of it, until the next call. */
static const struct mmap2_record *map_program(void *ring)
{
	static struct ring_reader reader;
	const struct ring_record *record;
	struct file file = {.inode = &inode};
	struct vma vma = {.start = 0x400000, .end = 0x402000, .prot = PROT_READ | PROT_EXEC};

	vma.file = &file;
	vma.mm = current_task()->mm;
	perf_hooks.mmap(&vma);
	reader = ring_reader(ring, 1);
	record = ring_next(&reader);
	ring_done(&reader);
	assert_non_null(record);
	return (const struct mmap2_record *)record;
}

/* A record has the id in place of the inode, and a flag that says so; for a file without an id
 * it has the inode. */
static void in_records(void **state)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	const struct mmap2_record *record;
	int fd, error;
	void *ring;

	(void)state;
	fake_boot("none");
	attr.mmap = attr.mmap2 = attr.build_id = 1;
	fd = open_ok(&attr, -1);
	ring = fake_mmap(fd, 2, true, &error);
	assert_non_null(ring);
	make_program();
	record = map_program(ring);
	assert_int_equal(record->header.type, PERF_RECORD_MMAP2);
	assert_true(record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	assert_int_equal(record->id_bytes, BUILD_ID_MAX);
	assert_memory_equal(record->id, program.note.id, BUILD_ID_MAX);
	program.note.head.n_type = 4;
	record = map_program(ring);
	assert_false(record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	assert_int_equal(record->id_bytes, 0); /* the major number */
	fake_munmap(fd, ring);
	fake_close(fd);
	end();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(whole_and_short), cmocka_unit_test(broken),     cmocka_unit_test(cut_off),
    cmocka_unit_test(last_bytes),      cmocka_unit_test(in_records),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
