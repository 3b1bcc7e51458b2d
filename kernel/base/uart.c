/* SPDX-License-Identifier: BSD-2-Clause */
/* 16550 UARTs, polled: PC16550D data sheet, section 8. */
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/uart.h"

enum {
	UART_DATA = 0,
	UART_IER = 1,
	UART_FCR = 2,
	UART_LCR = 3,
	UART_MCR = 4,
	UART_LSR = 5,
	UART_SCRATCH = 7
};

#define LCR_8N1        0x03
#define LCR_DIVISOR    0x80
#define FCR_ENABLE     0x07 /* and both FIFOs emptied */
#define MCR_READY      0x03 /* DTR, RTS */
#define LSR_THR_EMPTY  0x20
#define DIVISOR_115200 1
#define FIFO_BYTES     16
#define EMPTY_POLLS    1000000 /* more than the time of 16 characters on any machine */

bool uart_init(uint16_t port)
{
	outb(port + UART_SCRATCH, 0x5a);
	if (inb(port + UART_SCRATCH) != 0x5a)
		return false;
	outb(port + UART_IER, 0);
	outb(port + UART_LCR, LCR_DIVISOR);
	outb(port + UART_DATA, DIVISOR_115200);
	outb(port + UART_IER, 0);
	outb(port + UART_LCR, LCR_8N1);
	outb(port + UART_FCR, FCR_ENABLE);
	outb(port + UART_MCR, MCR_READY);
	return true;
}

void uart_write(uint16_t port, const void *data, size_t bytes)
{
	const uint8_t *next = data;

	while (bytes) {
		size_t chunk = bytes < FIFO_BYTES ? bytes : FIFO_BYTES;

		for (unsigned polls = 0;
		     !(inb(port + UART_LSR) & LSR_THR_EMPTY) && polls < EMPTY_POLLS; polls++)
			cpu_relax();
		outsb(port, next, chunk);
		next += chunk;
		bytes -= chunk;
	}
}
