/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses that instructions name without an access, from the registers at the block's begin. */
#include "emulator/sim/decode/touch.h"
#include "tests/sim/core_test.h"

struct step {
	const char *bytes;
	uint8_t length;
};

#define STEP(bytes)                      \
	{                                \
		bytes, sizeof(bytes) - 1 \
	}

/* Registers are 1000H times their number. Runs the steps at 400000H; returns the address that the
 * last one names, 0 when it is not known. */
static uint64_t last_of(const struct step *steps, unsigned nr, uint8_t *kind)
{
	uint64_t registers[TOUCH_VALUES], address = 0x400000;
	struct touch_tracker tracker;
	struct touch touch = {0};
	bool known = false;

	for (unsigned i = 0; i < TOUCH_VALUES; i++)
		registers[i] = 0x1000 * i;
	touch_begin(&tracker);
	for (unsigned i = 0; i < nr; i++) {
		known = touch_next(&tracker, address, steps[i].bytes, steps[i].length, &touch);
		address += steps[i].length;
	}
	*kind = touch.kind;
	return known ? touch_address(&touch, registers) : 0;
}

#define CHECK(address, wanted, ...)                                                       \
	do {                                                                              \
		const struct step steps[] = {__VA_ARGS__};                                \
		uint8_t kind;                                                             \
		assert_int_equal(last_of(steps, sizeof(steps) / sizeof(steps[0]), &kind), \
				 address);                                                \
		if (address)                                                              \
			assert_int_equal(kind, wanted);                                   \
	} while (0)

#define CLFLUSH_RAX STEP("\x0f\xae\x38")

static void test_kinds(void **state)
{
	(void)state;
	CHECK(0x7000, TOUCH_FLUSH, STEP("\x0f\xae\x3f"));                   /* clflush [rdi] */
	CHECK(0x7000, TOUCH_FLUSH, STEP("\x66\x0f\xae\x3f"));               /* clflushopt */
	CHECK(0x7000, TOUCH_CLEAN, STEP("\x66\x0f\xae\x37"));               /* clwb */
	CHECK(0x7000, TOUCH_PREFETCH, STEP("\x0f\x18\x0f"));                /* prefetcht0 */
	CHECK(0x7000, TOUCH_PREFETCH, STEP("\x0f\x0d\x0f"));                /* prefetchw */
	CHECK(0x7000, TOUCH_PAGE, STEP("\x0f\x01\x3f"));                    /* invlpg */
	CHECK(0x9008, TOUCH_FLUSH, STEP("\x0f\xae\x7c\x4f\x08"));           /* [rdi+rcx*2+8] */
	CHECK(0xe000, TOUCH_FLUSH, STEP("\x41\x0f\xae\x3e"));               /* [r14] */
	CHECK(0x400107, TOUCH_FLUSH, STEP("\x0f\xae\x3d\x00\x01\x00\x00")); /* [rip+100H] */
	CHECK(0x17000, TOUCH_FLUSH, STEP("\x64\x0f\xae\x3f"));              /* fs:[rdi] */
	CHECK(0x18000, TOUCH_FLUSH, STEP("\x65\x0f\xae\x3f"));              /* gs:[rdi] */
}

static void test_sums(void **state)
{
	(void)state;
	CHECK(0x7040, TOUCH_FLUSH, STEP("\x48\x83\xc7\x40"), STEP("\x0f\xae\x3f"));
	CHECK(0x6fff, TOUCH_FLUSH, STEP("\x48\xff\xcf"), STEP("\x0f\xae\x3f"));
	/* lea rax, [rsi+16]; sub rax, 8; mov rdi, rax */
	CHECK(0x6008, TOUCH_FLUSH, STEP("\x48\x8d\x46\x10"), STEP("\x48\x83\xe8\x08"),
	      STEP("\x48\x89\xc7"), STEP("\x0f\xae\x3f"));
	/* add rcx, 1 in front of [rdi+rcx*2+8] */
	CHECK(0x900a, TOUCH_FLUSH, STEP("\x48\x83\xc1\x01"), STEP("\x0f\xae\x7c\x4f\x08"));
	/* mov rax, 12345H */
	CHECK(0x12345, TOUCH_FLUSH, STEP("\x48\xc7\xc0\x45\x23\x01\x00"), CLFLUSH_RAX);
}

/* A register that is not followed is unknown, and known again after a constant. */
static void test_unknown(void **state)
{
	(void)state;
	CHECK(0, 0, STEP("\x48\x8b\x00"), CLFLUSH_RAX);     /* mov rax, [rax] */
	CHECK(0, 0, STEP("\x83\xc0\x01"), CLFLUSH_RAX);     /* add eax, 1 */
	CHECK(0, 0, STEP("\x48\x01\xc8"), CLFLUSH_RAX);     /* add rax, rcx */
	CHECK(0, 0, STEP("\x0f\xa2"), CLFLUSH_RAX);         /* cpuid */
	CHECK(0, 0, STEP("\x48\x8d\x04\x0f"), CLFLUSH_RAX); /* lea rax, [rdi+rcx] */
	CHECK(0x10, TOUCH_FLUSH, STEP("\x0f\xa2"), STEP("\x48\xc7\xc0\x10\x00\x00\x00"),
	      CLFLUSH_RAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_sums),
	    cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
