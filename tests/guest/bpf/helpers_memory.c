/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that read memory of programs and of the kernel, and stacks: present, missing and
 * foreign memory. */
#define _GNU_SOURCE
#include "tests/guest/bpf/helpers.h"
#include <sys/mman.h>

#define PAGE    4096ul
#define NOWHERE 0xfffffffffffff000ul /* of the kernel's, never mapped */
#define ODD     0x0800000000000000ul /* no address at all */

static const uint64_t here = 0x1122334455667788;

/* ---- memory ---- */

static const struct reader {
	int function;
	const char *name;
	bool is_string, of_user, of_kernel;
} readers[] = {
    {BPF_FUNC_probe_read, "probe_read", false, true, true},
    {BPF_FUNC_probe_read_user, "probe_read_user", false, true, false},
    {BPF_FUNC_probe_read_kernel, "probe_read_kernel", false, false, true},
    {BPF_FUNC_probe_read_str, "probe_read_str", true, true, true},
    {BPF_FUNC_probe_read_user_str, "probe_read_user_str", true, true, false},
    {BPF_FUNC_probe_read_kernel_str, "probe_read_kernel_str", true, false, true},
};

#define NR_READERS (sizeof(readers) / sizeof(readers[0]))
#define FULL       0x5a5a5a5a5a5a5a5aul

/* Reads from the address to eight bytes of the stack that were FULL. */
static long read_at(const struct reader *reader, uint64_t address, int32_t bytes)
{
	return RESULT_AND(-24, WIDE(R6, FULL), STORE(BPF_DW, R10, -24, R6), AT(R1, -24),
			  MOVI(R2, bytes), WIDE(R3, address), CALL(reader->function));
}

/* The reader's error for forbidden memory: Linux's EFAULT, or ERANGE for the other kind of
 * memory. */
static void test_bad(const struct reader *reader, uint64_t address, long wanted, const char *what)
{
	is_of(reader->name, read_at(reader, address, 8), wanted, what);
	is((long)map_value(told, 1), 0, "a failed read leaves zeros");
}

static void test_reader(const struct reader *reader, const char *gone)
{
	long of_other = reader->of_user ? -EFAULT : -ERANGE;

	if (!reader->is_string && reader->of_user) {
		is_of(reader->name, read_at(reader, (uint64_t)&here, 8), 0, "eight bytes");
		is((long)map_value(told, 1), (long)here, "are what is there");
		is(read_at(reader, (uint64_t)&here, 3), 0, "three of them");
		is((long)map_value(told, 1), 0x5a5a5a5a5a667788,
		   "a read leaves the bytes behind it");
		is(read_at(reader, (uint64_t)gone + PAGE - 4, 8), -EFAULT, "over an end");
		is((long)map_value(told, 1), 0, "gives nothing of it");
	}
	test_bad(reader, (uint64_t)gone + PAGE, of_other, "what is unmapped");
	test_bad(reader, 0, of_other, "NULL");
	test_bad(reader, NOWHERE, -EFAULT, "what the kernel has not");
	test_bad(reader, ODD, reader->of_kernel ? -ERANGE : -EFAULT, "no address");
	is_of(reader->name, read_at(reader, (uint64_t)&here, 0),
	      reader->of_user || reader->is_string ? 0 : -ERANGE, "no bytes");
	is((long)map_value(told, 1), (long)FULL, "are not written");
}

/* The current task's struct is the kernel's. */
static void test_kernel(const struct reader *reader)
{
	bool may = reader->of_kernel;
	long got = RESULT(CALL(BPF_FUNC_get_current_task), MOV(R3, R0), AT(R1, -24), MOVI(R2, 8),
			  CALL(reader->function));

	if (reader->is_string)
		ok(may ? got >= 1 && got <= 8 : got == -EFAULT, "%s: the task's (%ld)",
		   reader->name, got);
	else
		is_of(reader->name, got, may ? 0 : -EFAULT, "the task's");
}

/* "hello" at the end of a page after which there is none. */
static void test_strings(const struct reader *reader, char *page)
{
	char *text = page + PAGE - 6;

	if (!reader->of_user || !reader->is_string)
		return;
	memcpy(text, "hello", 6);
	is_of(reader->name, read_at(reader, (uint64_t)text, 8), 6, "a string with its end");
	ok(map_value(told, 1) << 16 == 0x006f6c6c65680000, "\"hello\"");
	is(read_at(reader, (uint64_t)text, 6), 6, "room for it");
	is(read_at(reader, (uint64_t)text, 4), 4, "less room");
	is((int)map_value(told, 1), 0x006c6568, "\"hel\", with an end");
	is(read_at(reader, (uint64_t)text, 1), 1, "room for the end alone");
	is((uint8_t)map_value(told, 1), 0, "is that");
	is(read_at(reader, (uint64_t)text + 5, 8), 0, "an empty one: 0");
	text[5] = '!';
	is(read_at(reader, (uint64_t)text, 8), -EFAULT,
	   "a string without an end in its page: EFAULT");
	is((long)map_value(told, 1), 0, "a failed read of a string leaves nothing");
	is(read_at(reader, (uint64_t)text, 6), 6, "a string is read as far as there is room");
}

static void test_memory(void)
{
	char *pages =
	    mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pages[0] = 1;
	munmap(pages + PAGE, PAGE);
	for (unsigned i = 0; i < NR_READERS; i++) {
		test_reader(&readers[i], pages);
		test_kernel(&readers[i]);
		test_strings(&readers[i], pages);
	}
	munmap(pages, PAGE);
}

/* An untouched page is not faulted in. */
static void test_untouched(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	is(read_at(&readers[1], (uint64_t)page, 8), -EFAULT, "an untouched page: EFAULT");
	munmap(page, PAGE);
}

/* ---- stacks ---- */

#define ROOM 128 /* bytes, on the stack from -ROOM - 8 on */

static long stack(int32_t bytes, int32_t flags)
{
	const struct bpf_insn tail[] = {
	    AT(R2, -ROOM - 24),       MOVI(R3, bytes), MOVI(R4, flags),
	    CALL(BPF_FUNC_get_stack), KEEP(told, 0),   LOAD(BPF_DW, R6, R10, -ROOM - 24),
	    KEEP_R6(told, 1),         MOVI(R0, 0),     EXIT()};
	struct bpf_insn program[ROOM / 8 + 2 + sizeof(tail) / sizeof(tail[0])];
	unsigned nr = 0;

	for (int at = -ROOM - 24; at < -16; at += 8)
		program[nr++] = STOREI(BPF_DW, R10, at, 77);
	memcpy(program + nr, tail, sizeof(tail));
	tell_anew();
	return result_of(
	    (int)prog_load(BPF_PROG_TYPE_TRACEPOINT, program, nr + sizeof(tail) / sizeof(tail[0])));
}

static void test_stack(void)
{
	long bytes = stack(64, BPF_F_USER_STACK), all = stack(ROOM, BPF_F_USER_STACK);

	ok(bytes > 0 && bytes % 8 == 0, "get_stack: how many bytes (%ld)", bytes);
	ok(map_value(told, 1) - (uint64_t)syscall < 256, "a stack begins at the call");
	is(stack(8, BPF_F_USER_STACK), 8, "room for one");
	is(stack(ROOM, BPF_F_USER_STACK | 1), all - 8, "without the first");
	is(stack(64, BPF_F_USER_STACK | BPF_F_SKIP_FIELD_MASK), -EFAULT,
	   "without more than there are");
	is((long)map_value(told, 1), 0, "the room is cleared");
	is(stack(0, BPF_F_USER_STACK), 0, "no room");
	is(stack(12, BPF_F_USER_STACK), -EINVAL, "half an address: EINVAL");
	is(stack(64, 0), 0, "the kernel's, at a call: none");
	is(stack(64, BPF_F_FAST_STACK_CMP), -EINVAL, "a flag of stack maps: EINVAL");
	is(stack(64, 1 << 12), -EINVAL, "an unknown flag: EINVAL");
	is((long)map_value(told, 1), 0, "the room is cleared then, too");
	is(stack(64, BPF_F_USER_BUILD_ID), -EINVAL, "build ids of the kernel: EINVAL");
	is(stack(40, BPF_F_USER_STACK | BPF_F_USER_BUILD_ID), -EINVAL, "half of one: EINVAL");
}

static long stack_id(int map, int32_t flags)
{
	return RESULT(MAP(R2, map), MOVI(R3, flags), CALL(BPF_FUNC_get_stackid));
}

static void test_stack_ids(void)
{
	static const struct {
		int32_t flags;
		long wanted;
		const char *name;
	} tries[] = {
	    {BPF_F_USER_STACK, 0, "get_stackid: its number"},
	    {BPF_F_USER_STACK, 0, "again the same"},
	    {BPF_F_USER_STACK | BPF_F_FAST_STACK_CMP, 0, "also by the hash"},
	    {BPF_F_USER_STACK | 1, -EEXIST, "another for that number: EEXIST"},
	    {BPF_F_USER_STACK | 1 | BPF_F_REUSE_STACKID, -ENOMEM, "in its place: no room for both"},
	    {BPF_F_USER_STACK | BPF_F_SKIP_FIELD_MASK, -EFAULT, "none is left: EFAULT"},
	    {0, -EFAULT, "the kernel's, at a call: EFAULT"},
	    {BPF_F_USER_STACK | BPF_F_USER_BUILD_ID, -EINVAL, "a flag of get_stack: EINVAL"},
	    {1 << 12, -EINVAL, "an unknown flag: EINVAL"},
	};
	int map = (int)map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 64, 1, 0),
	    array = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 64, 1, 0);
	uint64_t addresses[8] = {0};
	uint32_t key = 0;

	/* From one place, so that the stacks are one. */
	for (unsigned i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
		is(stack_id(map, tries[i].flags), tries[i].wanted, tries[i].name);
	is(map_command(BPF_MAP_LOOKUP_ELEM, map, &key, addresses, 0), 0,
	   "a stack is looked up by its number");
	ok(addresses[0] - (uint64_t)syscall < 256, "a stack map's stack begins at the call");
	is(stack_id(array, BPF_F_USER_STACK), NOTHING, "no map of stacks");
	close(array);
	close(map);
}

int main(void)
{
	mount_tracefs();
	test_memory();
	test_untouched();
	test_stack();
	test_stack_ids();
	return tap_end();
}
