/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's messages on COM1, and its end on an error. */
#ifndef VISOR_CONSOLE_H
#define VISOR_CONSOLE_H

#include <stdarg.h>

/* printf's %s, %c, %u, %x, with l for 64 bits, and a width with 0. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
__attribute__((format(printf, 1, 0))) void console_print_list(const char *format,
							      va_list arguments);

/* Messages go to `show` as well, a line a call, whose \r precedes the \n; NULL: no longer. */
void console_print_on(void (*show)(const char *line));

/* Prints "visor: ", the message and a newline, and stops the machine. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* Selects how the machine stops: through the debug-exit port with value 125 if one of the visor's
 * or the guest's options is exit=debug, else in HLT. */
void stop_by(const char *words);
__attribute__((noreturn)) void stop(void);

#endif
