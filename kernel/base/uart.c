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
#define MCR_INTERRUPTS 0x08 /* OUT2: lets them out */
#define IER_RECEIVED   0x01
#define LSR_RECEIVED   0x01
#define LSR_THR_EMPTY  0x20
#define DIVISOR_115200 1
#define FIFO_BYTES     16
#define DISCARD_MAX    4096
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

void uart_ring(uint16_t port)
{
	outb(port + UART_DATA, '!');
}

void uart_listen(uint16_t port)
{
	outb(port + UART_MCR, MCR_READY | MCR_INTERRUPTS);
	outb(port + UART_IER, IER_RECEIVED);
}

void uart_quiet(uint16_t port)
{
	outb(port + UART_IER, 0);
}

int uart_take(uint16_t port)
{
	return inb(port + UART_LSR) & LSR_RECEIVED ? inb(port + UART_DATA) : -1;
}

void uart_discard(uint16_t port)
{
	for (unsigned i = 0; i < DISCARD_MAX && inb(port + UART_LSR) & LSR_RECEIVED; i++)
		inb(port + UART_DATA);
}
