/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: COM1 and the framebuffer. */
#include <stdbool.h>
#include "arch/x86/paging/paging.h"
#include "abi/boot_info.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/console.h"
#include "kernel/base/framebuffer.h"
#include "kernel/base/uart.h"

static bool to_serial;

void console_init(void)
{
	to_serial = !cmdline_is("console", "fb") && uart_init(UART_COM1);
}

void console_add_framebuffer(void)
{
	const struct boot_framebuffer *framebuffer = &boot_info.framebuffer;
	uint64_t bytes = 4ul * framebuffer->stride * framebuffer->height;
	void *pixels;

	if (!framebuffer->base || cmdline_is("console", "com1"))
		return;
	pixels = paging_map_device(framebuffer->base, bytes, PAGING_COMBINING);
	if (pixels)
		framebuffer_init(framebuffer, pixels);
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
	framebuffer_write(text, bytes);
}
