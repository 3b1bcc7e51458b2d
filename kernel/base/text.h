/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in a buffer, which its owner may enlarge; bytes that do not fit are counted, not written. */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
	char *buffer;
	size_t size;
	size_t length; /* bytes added so far, also the ones that did not fit */
	/* Enlarges the buffer to `size` bytes or more, and returns whether it did. NULL: never. */
	bool (*grow)(struct text *text, size_t size);
};

/* The buffer always holds a NUL-terminated string (size > 0). Context of all: any. */
void text_init(struct text *text, char *buffer, size_t size);
void text_add(struct text *text, const char *bytes, size_t length);

static inline void text_char(struct text *text, char character)
{
	if (text->length + 1 >= text->size) {
		text_add(text, &character, 1);
		return;
	}
	text->buffer[text->length++] = character;
	text->buffer[text->length] = 0;
}

/* printf's conversions s c d i u x X p %, with l ll z, flags 0 - and a width. */
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);
void text_vprint(struct text *text, const char *format, va_list arguments);

#endif
