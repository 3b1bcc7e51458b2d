/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: COM1, and the screen where there is one. */
#include <stdbool.h>
#include "kernel/base/cmdline.h"
#include "kernel/base/console.h"
#include "kernel/base/uart.h"

static bool to_serial;
static console_writer *screen, *keeper; /* NULL: there is none */

void console_init(void)
{
	to_serial = !cmdline_is("console", "fb") && uart_init(UART_COM1);
}

void console_add(console_writer *writer)
{
	screen = writer;
}

/* Serial terminals want a carriage return before each newline. */
static void serial_write(const char *text, size_t bytes)
{
	while (bytes) {
		size_t line = 0;

		while (line < bytes && text[line] != '\n')
			line++;
		uart_write(UART_COM1, text, line);
		if (line < bytes) {
			uart_write(UART_COM1, "\r\n", 2);
			line++;
		}
		text += line;
		bytes -= line;
	}
}

void console_keep_in(console_writer *writer)
{
	keeper = writer;
}

void console_write(const char *text, size_t bytes)
{
	if (keeper)
		keeper(text, bytes);
	if (to_serial)
		serial_write(text, bytes);
	if (screen)
		screen(text, bytes);
}
