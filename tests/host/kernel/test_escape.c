/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen's UTF-8 (RFC 3629, the stress cases of its section 10) and escape sequences
 * (ECMA-48). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "kernel/host/escape.h"

static struct escape escape;
static char said[512];

/* Appends the actions of the bytes: points in hexadecimal, moves and clears as letters. */
static void take(enum escape_action action)
{
	size_t used = strlen(said);

	if (action == ESCAPE_PUT)
		snprintf(said + used, sizeof(said) - used, "%x ", escape.point);
	else if (action == ESCAPE_MOVE)
		snprintf(said + used, sizeof(said) - used, "M%u,%u ", escape.row, escape.column);
	else if (action != ESCAPE_NOTHING)
		snprintf(said + used, sizeof(said) - used, "%s ",
			 action == ESCAPE_CLEAR ? "C" : "L");
}

static const char *feed(const char *text)
{
	said[0] = '\0';
	for (; *text; text++) {
		take(escape_feed(&escape, (uint8_t)*text));
		if (escape.again)
			take(escape_feed(&escape, (uint8_t)*text));
	}
	return said;
}

static int begin(void **state)
{
	(void)state;
	escape_reset(&escape);
	return 0;
}

static void reads_utf8(void **state)
{
	(void)state;
	assert_string_equal(feed("aü€😀\n"), "61 fc 20ac 1f600 a ");
	assert_string_equal(feed("\xc3"), "");
	assert_string_equal(feed("\xbc"), "fc ");
}

static void what_is_no_utf8_is_replaced(void **state)
{
	(void)state;
	assert_string_equal(feed("\x80x"), "fffd 78 ");
	assert_string_equal(feed("\xc3x"), "fffd 78 ");
	assert_string_equal(feed("\xe2\x82\xc3\xbc"), "fffd fc ");
	assert_string_equal(feed("\xc0\xaf"), "fffd "); /* longer than need be */
	assert_string_equal(feed("\xe0\x80\xaf"), "fffd ");
	assert_string_equal(feed("\xed\xa0\x80"), "fffd ");     /* a surrogate */
	assert_string_equal(feed("\xf4\x90\x80\x80"), "fffd "); /* beyond the last */
	assert_string_equal(feed("\xff\xf8"), "fffd fffd ");
}

static void colours_are_chosen(void **state)
{
	static const struct {
		const char *text;
		uint8_t colours;
	} cases[] = {
	    {"\33[31m", 1},         {"\33[44m", 0x41},  {"\33[1m", 0x49},
	    {"\33[7m", 0x94},       {"\33[m", 7},       {"\33[97;100m", 0x8f},
	    {"\33[39;49m", 7},      {"\33[38;5;9m", 9}, {"\33[38;2;255;0;0m", 9},
	    {"\33[48;5;21m", 0xc9}, {"\33[0;32m", 2},   {"\33[38;5m", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(feed(cases[i].text), "");
		assert_int_equal(escape_colours(&escape), cases[i].colours);
	}
}

static void sequences_move_and_clear(void **state)
{
	(void)state;
	assert_string_equal(feed("\33[Ha\33[3;5H\33[2J\33[K\33[1K"), "M0,0 61 M2,4 C L ");
	assert_string_equal(feed("\33[99999999999999;0H"), "M9998,0 ");
	assert_string_equal(feed("\33[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18mx"), "78 ");
	assert_string_equal(feed("\33[?25lb\33]0;a title\33\\c\33]0;t\7d\33(e"), "62 63 64 65 ");
	assert_string_equal(feed("\33[12\nf"), "66 "); /* a control breaks it off */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(reads_utf8, begin),
	    cmocka_unit_test_setup(what_is_no_utf8_is_replaced, begin),
	    cmocka_unit_test_setup(colours_are_chosen, begin),
	    cmocka_unit_test_setup(sequences_move_and_clear, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
