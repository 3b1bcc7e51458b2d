/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's services as host tests have them: memory, tasks, descriptors, mappings. */
#ifndef TESTS_HOST_FAKE_KERNEL_H
#define TESTS_HOST_FAKE_KERNEL_H

#include "kernel/mem/memory.h"

/* Code that can be read at an address of ring 3 or of the kernel. */
struct fake_code {
	uint64_t at;
	size_t bytes;
	const uint8_t *code;
};
extern struct fake_code fake_code;

/* The log since the start. */
extern char fake_log[8192];

/* Maps a page of page_alloc() at a fixed address as well. */
void fake_map_page(const void *page, void *at);

/* Makes the first task current; frees all tasks. */
void fake_kernel_start(void);
void fake_kernel_stop(void);

#endif
