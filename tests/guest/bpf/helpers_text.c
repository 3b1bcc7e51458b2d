/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that make texts: each conversion, unknown ones, too many and too few arguments, too
 * little room. */
#define _GNU_SOURCE
#include "tests/guest/bpf/helpers.h"

#define ROOM 64

static const char word[] = "word";

/* A format: an array that programs only read, frozen, as snprintf wants it. */
static int format_map(const char *text)
{
	char bytes[ROOM] = "";
	uint32_t key = 0;
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, ROOM, 1, BPF_F_RDONLY_PROG);

	memcpy(bytes, text, strlen(text));
	map_command(BPF_MAP_UPDATE_ELEM, map, &key, bytes, 0);
	bpf(BPF_MAP_FREEZE, &(union bpf_attr){.map_fd = (uint32_t)map});
	return map;
}

/* ---- snprintf ---- */

/* Into `room` bytes of a map, with two values on the stack. */
static long print(const char *format, uint64_t first, uint64_t second, int32_t room, int32_t bytes,
		  char *to)
{
	int text = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, ROOM, 1, 0), map = format_map(format);
	uint32_t key = 0;
	long result = RESULT(WIDE(R6, first), STORE(BPF_DW, R10, -32, R6), WIDE(R6, second),
			     STORE(BPF_DW, R10, -24, R6), VALUE(R1, text), MOVI(R2, room),
			     VALUE(R3, map), AT(R4, -32), MOVI(R5, bytes), CALL(BPF_FUNC_snprintf));

	map_command(BPF_MAP_LOOKUP_ELEM, text, &key, to, 0);
	to[ROOM - 1] = 0;
	close(map);
	close(text);
	return result;
}

static void test_conversions(void)
{
	static const struct {
		const char *format;
		uint64_t first, second;
		const char *text;
	} rows[] = {
	    {"plain", 0, 0, "plain"},
	    {"%d %d", 5, (uint64_t)-6, "5 -6"},
	    {"%i|%u", (uint64_t)-1, (uint64_t)-1, "-1|4294967295"},
	    {"%ld %lu", (uint64_t)-1, (uint64_t)-1, "-1 18446744073709551615"},
	    {"%lld %llu", 1ul << 40, 1ul << 63, "1099511627776 9223372036854775808"},
	    {"%x %X", 0xabcdef, 0xabcdef, "abcdef ABCDEF"},
	    {"%lx %llx", 0x123456789abc, 0xfedcba9876543210, "123456789abc fedcba9876543210"},
	    {"%5d|%-5d", 42, 42, "   42|42   "},
	    {"%05d|%+d", 42, 42, "00042|+42"},
	    {"% d|%08x", 42, 0x1f, " 42|0000001f"},
	    {"%c%c", 'a', 'b', "ab"},
	    {"%px %p", 0x1234, 0, "0000000000001234 0000000000000000"},
	    {"%%d %d%%", 7, 0, "%d 7%"},
	    {"[%s] %d", (uint64_t)word, 3, "[word] 3"},
	    {"[%pus] %d", (uint64_t)word, 4, "[word] 4"},
	};
	char text[ROOM];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		long result = print(rows[i].format, rows[i].first, rows[i].second, ROOM, 16, text);

		is_of(rows[i].format, result, (long)strlen(rows[i].text) + 1, "how long it is");
		ok(strcmp(text, rows[i].text) == 0, "\"%s\": %s", rows[i].text, text);
	}
}

static void test_room(void)
{
	char text[ROOM];

	is(print("%d %d", 123, 456, 5, 16, text), 8,
	   "snprintf without room returns the whole length");
	ok(strcmp(text, "123 ") == 0, "snprintf without room writes as much as fits (%s)", text);
	is(print("%d %d", 123, 456, 0, 16, text), 8, "no room");
	is(print("%d", 123, 456, ROOM, 16, text), 4, "an argument too many");
}

/* Linux refuses these when the program is loaded; here the call fails. */
static void test_refused(void)
{
	static const struct {
		const char *format;
		int32_t bytes;
	} rows[] = {{"%d %d %d", 16}, {"%d", 0},   {"%o", 16}, {"%f", 16},
		    {"%n", 16},       {"%", 16},   {"%5", 16}, {"%l", 16},
		    {"%q", 16},       {"%*d", 16}, {"%d", 12}, {"\x01", 16}};
	char text[ROOM];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		long result = print(rows[i].format, 1, 2, ROOM, rows[i].bytes, text);

		ok(result == NOTHING || result == -EINVAL, "\"%s\", %d bytes: refused (%ld)",
		   rows[i].format, rows[i].bytes, result);
	}
}

/* ---- trace_printk ---- */

static long trace(const char *format, int32_t bytes, int32_t value)
{
	int map = format_map(format);
	long result = RESULT(VALUE(R1, map), MOVI(R2, bytes), MOVI(R3, value), MOVI(R4, 2),
			     MOVI(R5, 3), CALL(BPF_FUNC_trace_printk));

	close(map);
	return result;
}

/* The line in trace_pipe that has the text. */
static bool is_in_pipe(int pipe, const char *text)
{
	char lines[2048];
	bool found = false;
	ssize_t got;

	while ((got = read(pipe, lines, sizeof(lines) - 1)) > 0) {
		lines[got] = 0;
		found |= strstr(lines, text) != NULL;
	}
	return found;
}

static void test_trace(void)
{
	int pipe = open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK);

	is(trace("one %d\n", 8, 1), 6, "trace_printk: how long the text is");
	ok(is_in_pipe(pipe, "bpf_trace_printk: one 1\n"),
	   "trace_printk writes a line to trace_pipe");
	is(trace("%d %d %d", 9, 1), 5, "three arguments");
	ok(is_in_pipe(pipe, "bpf_trace_printk: 1 2 3\n"), "a line, without its end too");
	is(trace("%d", 2, 1), -EINVAL, "a format without end: EINVAL");
	is(trace("%d", 20, 1), 1, "trace_printk ignores bytes behind the NUL");
	is(trace("%d %d %d %d", 12, 1), -EINVAL, "four arguments: EINVAL");
	is(trace("%o", 3, 1), -EINVAL, "%o: EINVAL");
	is(trace("%z", 3, 1), -EINVAL, "%z: EINVAL");
	is(trace("%", 2, 1), -EINVAL, "a sign alone: EINVAL");
	is(trace("%pX", 4, 1), -EINVAL, "%pX: EINVAL");
	is(trace("%sx", 4, 1), -EINVAL, "%s in a word: EINVAL");
	is(trace("\x01", 2, 1), -EINVAL, "trace_printk of unprintable text: EINVAL");
	is(trace("%s", 3, 1), 0, "a string where there is nothing");
	is(trace("a%c", 4, 'b'), 2, "a letter");
	is_in_pipe(pipe, "");
	close(pipe);
}

/* ---- strncmp ---- */

static long compare(const char *text, int32_t bytes, const char *other)
{
	int map = format_map(other);
	uint64_t word_of = 0;
	long result;

	memcpy(&word_of, text, strlen(text));
	result = RESULT(WIDE(R6, word_of), STORE(BPF_DW, R10, -24, R6), AT(R1, -24),
			MOVI(R2, bytes), VALUE(R3, map), CALL(BPF_FUNC_strncmp));
	close(map);
	return (int)result;
}

static void test_compare(void)
{
	is(compare("abc", 8, "abc"), 0, "strncmp: the same");
	is(compare("abc", 8, "abd"), -1, "before");
	is(compare("abe", 8, "abc"), 1, "after");
	is(compare("abcd", 3, "abce"), 0, "three letters of it");
	is(compare("", 8, ""), 0, "nothing");
	is(compare("a", 8, ""), 1, "something and nothing");
}

int main(void)
{
	mount_tracefs();
	test_conversions();
	test_room();
	test_refused();
	test_trace();
	test_compare();
	return tap_end();
}
