/* SPDX-License-Identifier: BSD-2-Clause */
/* COM1, a small printf, and the end of the machine. */
#include "abi/debug_exit.h"
#include "emulator/visor/base/console.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"

#define COM1            0x3f8
#define UART_LINE       5
#define UART_LINE_EMPTY 0x20
#define UART_PATIENCE   100000 /* polls: a machine without COM1 continues silently */

static bool exit_by_port;
static struct {
	void (*show)(const char *line); /* NULL: there is none */
	char line[160];
	unsigned used;
} screen;

void console_print_on(void (*show)(const char *line))
{
	screen.show = show;
}

/* Shows a line when it is complete: the firmware may write it to the same serial port. */
static void put_on_screen(char c)
{
	screen.line[screen.used++] = c;
	if (c != '\n' && screen.used < sizeof(screen.line) - 1)
		return;
	screen.line[screen.used] = 0;
	screen.used = 0;
	screen.show(screen.line);
}

static void console_put(char c)
{
	if (c == '\n')
		console_put('\r');
	for (unsigned i = 0; i < UART_PATIENCE && !(inb(COM1 + UART_LINE) & UART_LINE_EMPTY); i++)
		;
	outb(COM1, (uint8_t)c);
	if (screen.show)
		put_on_screen(c);
}

static void put_string(const char *text)
{
	while (*text)
		console_put(*text++);
}

static void put_number(uint64_t value, unsigned base, unsigned width, char fill)
{
	char digits[20];
	unsigned n = 0;

	do
		digits[n++] = "0123456789abcdef"[value % base];
	while (value /= base);
	for (; width > n; width--)
		console_put(fill);
	while (n)
		console_put(digits[--n]);
}

/* Prints one conversion, from after its %; returns the text after it. */
static const char *convert(const char *format, va_list arguments)
{
	char fill = ' ';
	unsigned width = 0;
	bool wide = false;

	if (*format == '0')
		fill = *format++;
	while (*format >= '0' && *format <= '9')
		width = width * 10 + (unsigned)(*format++ - '0');
	if (*format == 'l') {
		wide = true;
		format++;
	}
	switch (*format) {
	case 's':
		put_string(va_arg(arguments, const char *));
		break;
	case 'c':
		console_put((char)va_arg(arguments, int));
		break;
	default: /* u, x */
		put_number(wide ? va_arg(arguments, uint64_t) : va_arg(arguments, uint32_t),
			   *format == 'x' ? 16 : 10, width, fill);
	}
	return format + 1;
}

void console_print_list(const char *format, va_list arguments)
{
	while (*format) {
		if (*format == '%')
			format = convert(format + 1, arguments);
		else
			console_put(*format++);
	}
}

void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	console_print_list(format, arguments);
	va_end(arguments);
}

void fail(const char *format, ...)
{
	va_list arguments;

	say("visor: ");
	va_start(arguments, format);
	console_print_list(format, arguments);
	va_end(arguments);
	say("\n");
	stop();
}

void stop_by(const char *words)
{
	exit_by_port = has_word(words, "exit=debug");
}

void stop(void)
{
	if (exit_by_port)
		outb(DEBUG_EXIT_PORT, DEBUG_EXIT_VISOR);
	irq_disable();
	for (;;)
		halt();
}
