/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors in what a user typed, as one line. */
#include "emulator/sim/component/error_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

int error_line(char *error, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	for (; *error; error++)
		if (iscntrl((unsigned char)*error))
			*error = '?';
	return -1;
}
