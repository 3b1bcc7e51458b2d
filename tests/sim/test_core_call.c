/* SPDX-License-Identifier: BSD-2-Clause */
/* Markers in a fake QEMU's memory: the visor's is a call, whatever else has its bytes is none. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/sim/plugin/plugin_call.h"
#include "emulator/sim/plugin/qemu/qemu.h"
#include "tests/sim/core_test.h"

#define MEMORY_BYTES (1u << 21)
#define VISOR        0xe0000u /* physical: from here on the visor has the memory */
#define CODE         0xe0100u
#define PAGE         0xe1000u

/* ---- a block of QEMU's ---- */

struct qemu_plugin_insn {
	char *host;
	uint64_t vaddr;
	size_t size;
};

struct qemu_plugin_tb {
	struct qemu_plugin_insn first;
};

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index)
{
	assert_int_equal(index, 0);
	return (struct qemu_plugin_insn *)&tb->first;
}

static const uint8_t *insn_data(const struct qemu_plugin_insn *insn)
{
	return (const uint8_t *)insn->host;
}

static const struct qemu_way fake = {.insn_data = insn_data};
const struct qemu_way *qemu_way = &fake;

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->vaddr;
}

void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn)
{
	return insn->host;
}

/* ---- memory ---- */

static char *memory;

/* A file's mapping, as the guest's memory is: none that another one grows by. */
static int make_memory(void **state)
{
	FILE *file = tmpfile();

	(void)state;
	if (!file || ftruncate(fileno(file), MEMORY_BYTES))
		return -1;
	memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	return memory == MAP_FAILED ? -1 : 0;
}

/* Puts the marker's bytes to a physical address, and the distance of a page after them. */
static struct qemu_plugin_tb marker(uint32_t code, int64_t page)
{
	static const uint8_t bytes[] = {0x0f, 0x1f, 0x84, 0x00, 0x6b, 0x45, 0x41, 0x50, 0xc3};
	int32_t distance = (int32_t)(page - (int64_t)code - CORE_PAGE_DISTANCE);

	memcpy(memory + code, bytes, sizeof(bytes));
	if (code <= MEMORY_BYTES - sizeof(bytes) - sizeof(distance))
		memcpy(memory + code + CORE_PAGE_DISTANCE, &distance, sizeof(distance));
	return (struct qemu_plugin_tb){{memory + code, code, CORE_MARKER_LENGTH}};
}

static struct core_page *visors_page(void)
{
	struct core_page *page = (struct core_page *)(memory + PAGE);

	page->page_address = PAGE;
	page->visor_base = VISOR;
	page->visor_bytes = MEMORY_BYTES - VISOR;
	return page;
}

/* ---- tests ---- */

static void test_visor(void **state)
{
	struct core_page *page = visors_page();
	struct qemu_plugin_tb tb = marker(CODE, PAGE);

	(void)state;
	assert_ptr_equal(plugin_call_page(&tb, NULL), page);
	assert_ptr_equal(plugin_call_page(&tb, page), page);
	tb.first.size++;
	assert_null(plugin_call_page(&tb, page));
	tb = marker(CODE, PAGE);
	tb.first.host = NULL;
	assert_null(plugin_call_page(&tb, page));
}

/* A program's own page says what the visor's would; only its linear address is another. */
static void test_first_call_of_program(void **state)
{
	struct qemu_plugin_tb tb = marker(CODE, PAGE);

	(void)state;
	visors_page();
	tb.first.vaddr = 0x7f0000000000 + CODE;
	assert_null(plugin_call_page(&tb, NULL));
	tb.first.vaddr = CODE;
	visors_page()->visor_bytes = CODE - VISOR; /* the code is outside */
	assert_null(plugin_call_page(&tb, NULL));
	visors_page()->visor_bytes = PAGE - VISOR + sizeof(struct core_page) - 1;
	assert_null(plugin_call_page(&tb, NULL));
}

static void test_program_after_visor(void **state)
{
	struct core_page *page = visors_page();
	struct qemu_plugin_tb tb;

	(void)state;
	memcpy(memory + 0x2000, page, sizeof(*page));
	tb = marker(0x1000, 0x2000); /* its own page */
	assert_null(plugin_call_page(&tb, page));
	tb = marker(0x1000, PAGE); /* the visor's, as far as it can be guessed */
	assert_null(plugin_call_page(&tb, page));
	tb = marker(VISOR - CORE_MARKER_LENGTH, PAGE); /* begins before the visor's memory */
	assert_null(plugin_call_page(&tb, page));
}

/* Bytes outside the memory are not read: ASan or the end of the mapping would report it. */
static void test_outside_of_memory(void **state)
{
	struct qemu_plugin_tb tb;

	(void)state;
	for (unsigned left = CORE_PAGE_DISTANCE; left < CORE_PAGE_DISTANCE + 4; left++) {
		tb = marker(MEMORY_BYTES - left, 0);
		assert_null(plugin_call_page(&tb, NULL));
	}
	tb = marker(0x1000, -0x10000000);
	assert_null(plugin_call_page(&tb, NULL));
	tb = marker(0x1000, 0x7ffff000);
	assert_null(plugin_call_page(&tb, NULL));
	tb = marker(0x1000, MEMORY_BYTES - sizeof(struct core_page) + 8);
	assert_null(plugin_call_page(&tb, NULL));
	tb = marker(0x1000, 0x2001);
	assert_null(plugin_call_page(&tb, NULL));
}

/* Whatever the bytes are, a page that is accepted is in the memory, at the address that it says. */
static void test_random_pages(void **state)
{
	(void)state;
	srand(1);
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t *words = (uint64_t *)visors_page();
		struct qemu_plugin_tb tb = marker(CODE, PAGE);
		const struct core_page *page;

		words[rand() % 3] ^= 1ull << rand() % 64;
		memory[CODE + rand() % (CORE_PAGE_DISTANCE + 4)] ^= (char)(1 << rand() % 8);
		page = plugin_call_page(&tb, NULL);
		if (!page)
			continue;
		assert_int_equal((uint64_t)((const char *)page - memory), page->page_address);
		assert_int_equal(page->page_address, PAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_visor),
	    cmocka_unit_test(test_first_call_of_program),
	    cmocka_unit_test(test_program_after_visor),
	    cmocka_unit_test(test_outside_of_memory),
	    cmocka_unit_test(test_random_pages),
	};

	return cmocka_run_group_tests(tests, make_memory, NULL);
}
