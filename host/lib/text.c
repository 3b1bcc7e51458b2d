/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocated memory and formatted text. */
#include "host/lib/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/lib/report.h"
#include "host/lib/text.h"

void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		die(STATUS_OURS, "out of memory");
	return memory;
}

char *format_text(const char *format, ...)
{
	va_list arguments;
	char *text;
	int n;

	va_start(arguments, format);
	n = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (n < 0)
		die(STATUS_OURS, "out of memory");
	return text;
}
