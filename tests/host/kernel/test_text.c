/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted text and the checksum of frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "kernel/base/text.c"
#include "kernel/host/crc32.c"

/* The C library's printf is the reference. */
#define SAME(...)                                                          \
	do {                                                               \
		char ours_[128], libc_[128];                               \
		struct text text_;                                         \
		text_init(&text_, ours_, sizeof(ours_));                   \
		text_print(&text_, __VA_ARGS__);                           \
		int length_ = snprintf(libc_, sizeof(libc_), __VA_ARGS__); \
		assert_string_equal(ours_, libc_);                         \
		assert_int_equal(text_.length, length_);                   \
	} while (0)

static void conversions_match_printf(void **state)
{
	(void)state;
	SAME("plain");
	SAME("%d %i %u", 0, -1, UINT_MAX);
	SAME("%d %d", INT_MIN, INT_MAX);
	SAME("%ld %lu", LONG_MIN, ULONG_MAX);
	SAME("%lld %llu", LLONG_MAX, 1ull);
	SAME("%zu", (size_t)12345);
	SAME("%x %X %lx", 0xbeefu, 0xBEEFu, 0xfeedfacecafebeeful);
	SAME("[%5d] [%-5d] [%05d]", 42, 42, 42);
	SAME("[%08lx] [%-8x] [%3u]", 0xabcul, 0xabcu, 123456u);
	SAME("[%s] [%10s] [%-10s]", "word", "word", "word");
	SAME("%c%c %%", 'a', 'z');
	SAME("%p", (void *)0xffffffff80200000);
}

static void what_does_not_fit_is_counted(void **state)
{
	char buffer[8];
	struct text text;

	(void)state;
	text_init(&text, buffer, sizeof(buffer));
	text_print(&text, "%s-%d", "longer than", 8);
	assert_string_equal(buffer, "longer ");
	assert_int_equal(text.length, strlen("longer than-8"));
	text_char(&text, 'x');
	assert_string_equal(buffer, "longer ");
}

static void null_string_is_named(void **state)
{
	const char *volatile nothing = NULL;
	char buffer[16];
	struct text text;

	(void)state;
	text_init(&text, buffer, sizeof(buffer));
	text_print(&text, "%s", nothing);
	assert_string_equal(buffer, "(null)");
}

/* The check value of CRC-32/ISO-HDLC, and the CRC in pieces. */
static void crc_has_the_known_value(void **state)
{
	(void)state;
	assert_int_equal(crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(crc32(crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
	assert_int_equal(crc32(0, "", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(conversions_match_printf),
	    cmocka_unit_test(what_does_not_fit_is_counted),
	    cmocka_unit_test(null_string_is_named),
	    cmocka_unit_test(crc_has_the_known_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
