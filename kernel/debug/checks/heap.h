/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of the debug kernel: their number, and their allocators. */
#ifndef DEBUG_HEAP_H
#define DEBUG_HEAP_H

#include <stdint.h>

struct heap_count {
	uint64_t small, large;
};

/* Objects that live. Context: any. */
struct heap_count heap_count(void);
/* Objects made so far: a point in time for heap_print_since(). Context: any. */
uint64_t heap_serial(void);
/* Logs the allocation site of each live object that was allocated since `serial`. Context: task. */
void heap_print_since(uint64_t serial);
/* Frees the kept objects. Context: task or interrupt. */
void heap_flush(void);
/* Checks the red zones of all live objects. Context: task or interrupt. */
void heap_check(void);

#endif
