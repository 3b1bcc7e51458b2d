/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends the command with one line on stderr. */
#include "host/lib/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/lib/report.h"

static void (*before_death)(void);

void on_death(void (*function)(void))
{
	before_death = function;
}

void die(int status, const char *format, ...)
{
	va_list arguments;

	if (before_death)
		before_death();
	fflush(stdout);
	fputs("barepmu: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(status);
}
