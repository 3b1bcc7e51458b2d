/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that format and compare text. */
#include <linux/errno.h>
#include "bpf/helper_body.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "kernel/mem/user.h"
#include "trace/buffer/pipe.h"

#define WORD_MAX   64   /* bytes of a string that is printed */
#define WIDTH_MAX  9999 /* of a field */
#define TEXT_MAX   512  /* bytes that trace_printk prints */
#define VALUES_MAX 12   /* of a format, in an array */

struct conversion {
	bool zero, plus, space, left;
	uint32_t width;
	uint32_t longs;
	char kind; /* d u x X c p: a number; S: a symbol; s: a string of ring 3's or the kernel's */
	char of;   /* a string's: u, k, or 0: as the address is */
};

/* ---- one value ---- */

static void pad(struct text *out, char with, size_t there, const struct conversion *how)
{
	for (size_t i = there; i < how->width; i++)
		text_char(out, with);
}

static void print_padded(struct text *out, const struct conversion *how, const char *sign,
			 const char *digits)
{
	size_t length = strlen(sign) + strlen(digits);

	if (!how->left && !how->zero)
		pad(out, ' ', length, how);
	text_add(out, sign, strlen(sign));
	if (!how->left && how->zero)
		pad(out, '0', length, how);
	text_add(out, digits, strlen(digits));
	if (how->left)
		pad(out, ' ', length, how);
}

static void print_number(struct text *out, const struct conversion *how, uint64_t value)
{
	bool is_signed = how->kind == 'd', negative;
	const char *sign = "";
	char buffer[24];
	struct text digits;

	if (!how->longs)
		value = is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
	negative = is_signed && (int64_t)value < 0;
	if (is_signed)
		sign = negative ? "-" : how->plus ? "+" : how->space ? " " : "";
	text_init(&digits, buffer, sizeof(buffer));
	if (how->kind == 'x')
		text_print(&digits, "%lx", value);
	else if (how->kind == 'X')
		text_print(&digits, "%lX", value);
	else
		text_print(&digits, "%lu", negative ? -value : value);
	print_padded(out, how, sign, buffer);
}

/* Prints a string as far as there is room; an unreadable one as empty. */
static void print_string(struct run *run, struct text *out, char of, uint64_t address)
{
	bool user = of == 'u' || (!of && address < USER_END);
	char word[WORD_MAX];
	size_t bytes = 0;

	while (bytes < sizeof(word) - 1 &&
	       helper_peek(run, &word[bytes], address + bytes, 1, user) == 1 && word[bytes])
		bytes++;
	run_spend(run, 4 * bytes);
	text_add(out, word, bytes);
}

static void print_symbol(struct text *out, uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(address, &offset);

	if (name)
		text_print(out, "%s+0x%lx", name, offset);
	else
		text_print(out, "0x%lx", address);
}

static void print_value(struct run *run, struct text *out, const struct conversion *how,
			uint64_t value)
{
	run_spend(run, how->width);
	if (how->kind == 's')
		print_string(run, out, how->of, value);
	else if (how->kind == 'S')
		print_symbol(out, value);
	else if (how->kind == 'p')
		text_print(out, "%016lx", value);
	else if (how->kind == 'c')
		text_char(out, (char)value);
	else
		print_number(out, how, value);
}

/* ---- formats ---- */

static bool is_space(char letter)
{
	return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static bool is_printable(char letter)
{
	return letter >= ' ' && letter <= '~';
}

static bool is_alphanumeric(char letter)
{
	return (letter >= '0' && letter <= '9') || ((letter | 32) >= 'a' && (letter | 32) <= 'z');
}

/* True if the letter ends a word. */
static bool is_end(char letter)
{
	return !is_printable(letter) || !is_alphanumeric(letter);
}

/* Parses %p and its extensions: returns the end, NULL: unknown. */
static const char *parse_pointer(const char *at, struct conversion *how)
{
	how->kind = 'p';
	if ((at[1] == 'k' || at[1] == 'u') && at[2] == 's') {
		how->kind = 's';
		how->of = at[1];
		return is_end(at[3]) ? at + 3 : NULL;
	}
	if (is_end(at[1]))
		return at + 1;
	if (at[1] == 's' || at[1] == 'S' || at[1] == 'B')
		how->kind = 'S';
	else if (at[1] != 'x' && at[1] != 'K')
		return NULL;
	return at + 2;
}

/* Parses a conversion after the %, in a NUL-terminated format: returns its end, NULL: invalid. */
static const char *parse(const char *at, struct conversion *how)
{
	for (; *at && strchr("0+- ", *at); at++) {
		how->zero |= *at == '0';
		how->plus |= *at == '+';
		how->left |= *at == '-';
		how->space |= *at == ' ';
	}
	for (; *at >= '0' && *at <= '9'; at++)
		how->width = how->width * 10 + (uint32_t)(*at - '0');
	how->width = how->width < WIDTH_MAX ? how->width : WIDTH_MAX;
	if (*at == 'p')
		return parse_pointer(at, how);
	how->kind = *at;
	if (*at == 's')
		return is_end(at[1]) ? at + 1 : NULL;
	if (*at == 'c')
		return at + 1;
	for (; *at == 'l' && how->longs < 2; at++)
		how->longs++;
	how->kind = *at == 'i' ? 'd' : *at;
	return *at && strchr("diuxX", *at) ? at + 1 : NULL;
}

/* Formats a NUL-terminated format: 0, or the error. Unprintable characters are an error. */
static int format_text(struct run *run, struct text *out, const char *format,
		       const uint64_t *values, unsigned nr)
{
	unsigned used = 0;

	while (*format) {
		struct conversion how = {0};

		if (!is_printable(*format) && !is_space(*format))
			return EINVAL;
		if (format[0] != '%' || format[1] == '%') {
			text_char(out, *format);
			format += 1 + (*format == '%');
			continue;
		}
		format = used < nr ? parse(format + 1, &how) : NULL;
		if (!format)
			return EINVAL;
		print_value(run, out, &how, values[used++]);
	}
	return 0;
}

/* Returns a copy of the format of `bytes` bytes, because another user of the map may change it.
 * NULL: it is not NUL-terminated, or too long. */
static const char *copied(struct run *run, const char *format, uint64_t bytes)
{
	char *copy = (char *)run->scratch + TEXT_MAX;
	uint64_t room = sizeof(run->scratch) - TEXT_MAX;

	for (uint64_t i = 0; i < bytes && i < room; i++) {
		copy[i] = __atomic_load_n(&format[i], __ATOMIC_RELAXED);
		if (!copy[i])
			return copy;
	}
	return NULL;
}

/* ---- to trace_pipe ---- */

static uint64_t print(struct run *run, const char *format, const uint64_t *values, unsigned nr)
{
	struct text out;
	int err;

	text_init(&out, (char *)run->scratch, TEXT_MAX);
	err = format ? format_text(run, &out, format, values, nr) : EINVAL;
	if (err)
		return ERROR(err);
	trace_pipe_print(out.buffer);
	return out.length;
}

HELPER(trace_printk)
{
	return print(run, copied(run, MEMORY(a[0], a[1], false), a[1]), &a[2], 3);
}

HELPER(trace_vprintk)
{
	const char *format = MEMORY(a[0], a[1], false);
	const uint64_t *values = a[3] ? MEMORY(a[2], a[3], false) : NULL;

	if (a[3] % 8 || a[3] > VALUES_MAX * 8)
		return ERROR(EINVAL);
	return print(run, copied(run, format, a[1]), values, (unsigned)(a[3] / 8));
}

/* ---- in memory ---- */

/* The second string must be NUL-terminated. */
HELPER(strncmp)
{
	const uint8_t *text = MEMORY(a[0], a[1], false), *other;
	int difference = 0;

	for (uint64_t i = 0; i < a[1] && !difference; i++) {
		other = run_memory(run, a[2] + i, 1, false);
		if (!other) {
			run->failed = true;
			return 0;
		}
		difference = text[i] - *other;
		if (!text[i])
			break;
	}
	return (uint64_t)(int64_t)(difference > 0) - (difference < 0);
}

HELPER(snprintf)
{
	char *to = a[1] ? MEMORY(a[0], a[1], true) : (char *)run->scratch;
	const uint64_t *values = a[4] ? MEMORY(a[3], a[4], false) : NULL;
	const char *format = MEMORY(a[2], 1, false);
	uint64_t length = 1;
	struct text out;
	int err;

	if (a[4] % 8 || a[4] > VALUES_MAX * 8)
		return ERROR(EINVAL);
	while (length < sizeof(run->scratch) && run_memory(run, a[2], length + 1, false) &&
	       format[length - 1])
		length++;
	run_spend(run, length);
	format = copied(run, format, length);
	if (!format)
		return ERROR(EINVAL);
	text_init(&out, to, a[1] ? a[1] : 1);
	err = format_text(run, &out, format, values, (unsigned)(a[4] / 8));
	return err ? ERROR(err) : out.length + 1;
}
