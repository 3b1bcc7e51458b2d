/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted text in fixed buffers. */
#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/string.h"
#include "kernel/base/text.h"

void text_init(struct text *text, char *buffer, size_t size)
{
	text->buffer = buffer;
	text->size = size;
	text->length = 0;
	text->grow = NULL;
	buffer[0] = 0;
}

void text_add(struct text *text, const char *bytes, size_t length)
{
	size_t at = text->length, room = text->size - 1;

	if (at <= room && length > room - at && text->grow) {
		if (text->grow(text, at + length + 1))
			room = text->size - 1;
		else
			text->grow = NULL; /* not tried for each of the characters that follow */
	}
	text->length += length;
	if (at >= room)
		return;
	if (length > room - at)
		length = room - at;
	memcpy(text->buffer + at, bytes, length);
	text->buffer[at + length] = 0;
}

struct conversion {
	bool left, zero;
	unsigned width;
};

static void add_padded(struct text *text, const struct conversion *how, const char *prefix,
		       const char *body, size_t length)
{
	size_t total = strlen(prefix) + length;
	size_t pad = how->width > total ? how->width - total : 0;

	if (!pad && !*prefix) {
		text_add(text, body, length);
		return;
	}
	if (!how->left && !how->zero)
		for (size_t i = 0; i < pad; i++)
			text_char(text, ' ');
	text_add(text, prefix, strlen(prefix));
	if (!how->left && how->zero)
		for (size_t i = 0; i < pad; i++)
			text_char(text, '0');
	text_add(text, body, length);
	if (how->left)
		for (size_t i = 0; i < pad; i++)
			text_char(text, ' ');
}

static void add_number(struct text *text, const struct conversion *how, const char *prefix,
		       uint64_t value, unsigned base, bool upper)
{
	const char *all = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char digits[24];
	unsigned at = sizeof(digits);
	bool fill = how->zero && !how->left && !*prefix && how->width && how->width <= at;
	unsigned end = at - (fill ? how->width : 1);

	if (base == 16)
		for (; value || at > end; value >>= 4)
			digits[--at] = all[value & 15];
	for (; value || at > end; value /= base)
		digits[--at] = all[value % base];
	add_padded(text, how, prefix, digits + at, sizeof(digits) - at);
}

/* One loop iteration per conversion, all in one function, because a va_list must not be passed on
 * and reused. */
void text_vprint(struct text *text, const char *format, va_list arguments)
{
	for (; *format; format++) {
		struct conversion how = {0};
		unsigned longs = 0;
		const char *string;
		int64_t number;
		char character;

		if (*format != '%') {
			text_char(text, *format);
			continue;
		}
		for (format++; *format == '0' || *format == '-'; format++) {
			how.zero |= *format == '0';
			how.left |= *format == '-';
		}
		for (; *format >= '0' && *format <= '9'; format++)
			how.width = how.width * 10 + (unsigned)(*format - '0');
		for (; *format == 'l' || *format == 'z'; format++)
			longs++;
		switch (*format) {
		case 's':
			string = va_arg(arguments, const char *);
			if (!string)
				string = "(null)";
			add_padded(text, &how, "", string, strlen(string));
			break;
		case 'c':
			character = (char)va_arg(arguments, int);
			if (how.width)
				add_padded(text, &how, "", &character, 1);
			else
				text_char(text, character);
			break;
		case 'd':
		case 'i':
			number = longs ? va_arg(arguments, int64_t) : va_arg(arguments, int);
			add_number(text, &how, number < 0 ? "-" : "",
				   number < 0 ? -(uint64_t)number : (uint64_t)number, 10, false);
			break;
		case 'u':
		case 'x':
		case 'X':
			add_number(text, &how, "",
				   longs ? va_arg(arguments, uint64_t)
					 : va_arg(arguments, unsigned),
				   *format == 'u' ? 10 : 16, *format == 'X');
			break;
		case 'p':
			add_number(text, &how, "0x", va_arg(arguments, uint64_t), 16, false);
			break;
		case 0:
			return;
		default:
			text_char(text, *format);
		}
	}
}

void text_print(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vprint(text, format, arguments);
	va_end(arguments);
}
