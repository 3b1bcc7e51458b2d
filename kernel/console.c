/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: COM1 (a 16550 UART, polled) and the framebuffer. */
#include "arch/x86/cpu.h"
#include "boot/boot_info.h"
#include "kernel/cmdline.h"
#include "kernel/console.h"
#include "kernel/fbcon.h"
#include "kernel/uart.h"

static bool to_serial, to_framebuffer;

void console_init(void)
{
	to_serial = !cmdline_is("console", "fb") && uart_init(UART_COM1);
}

void console_add_framebuffer(void)
{
	to_framebuffer = !cmdline_is("console", "com1") && boot_info.framebuffer.base && fbcon_init();
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

void console_write(const char *text, size_t bytes)
{
	if (to_serial)
		serial_write(text, bytes);
	if (to_framebuffer)
		fbcon_write(text, bytes);
}
