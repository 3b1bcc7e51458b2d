/* SPDX-License-Identifier: BSD-2-Clause */
/* 16550 UARTs, polled: PC16550D data sheet. */
#ifndef KERNEL_UART_H
#define KERNEL_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UART_COM1 = 0x3f8, UART_COM2 = 0x2f8, UART_COM3 = 0x3e8 };

/* Sets 115200 8n1 with FIFOs, interrupts off; false if no UART answers at the port. Context:
 * start. */
bool uart_init(uint16_t port);
/* Writes all bytes, waits for room (bounded: a line that never drains loses some). Context: any. */
void uart_write(uint16_t port, const void *data, size_t bytes);

/* Writes one byte without waiting for room. Context: any. */
void uart_ring(uint16_t port);
/* From now on received bytes raise the line's interrupt. Context: start. */
void uart_listen(uint16_t port);
/* Disables that interrupt. Context: any. */
void uart_quiet(uint16_t port);
/* The next received byte, or -1. Context: any. */
int uart_take(uint16_t port);
/* Discards the received bytes, and with them the reason of the interrupt. Context: any. */
void uart_discard(uint16_t port);

#endif
