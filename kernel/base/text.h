/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that grows in a fixed buffer; what does not fit is counted, not written. */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdarg.h>
#include <stddef.h>

struct text {
	char *buffer;
	size_t size;
	size_t length; /* bytes added so far, also the ones that did not fit */
};

/* The buffer always holds a NUL-terminated string (size > 0). Context of all: any. */
void text_init(struct text *text, char *buffer, size_t size);
void text_add(struct text *text, const char *bytes, size_t length);
void text_char(struct text *text, char character);

/* printf's conversions s c d i u x X p %, with l ll z, flags 0 - and a width. */
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);
void text_vprint(struct text *text, const char *format, va_list arguments);

#endif
