/* SPDX-License-Identifier: BSD-2-Clause */
/* A gate of a test guest's interrupt descriptor table. AMD APM vol. 2, 4.8.4. */
#ifndef TESTS_BARE_GATE_H
#define TESTS_BARE_GATE_H

#include <stdint.h>

#define KERNEL_CS   0x08 /* also in layout.inc */
#define GATE_KERNEL 0x8e
#define GATE_USER   0xee /* ring 3 may come through it by INT n */

struct __attribute__((packed)) gate {
	uint16_t offset_low, selector;
	uint8_t stack, type;
	uint16_t offset_middle;
	uint32_t offset_high, reserved;
};

_Static_assert(sizeof(struct gate) == 16, "16 bytes in long mode");

/* To a stub below 4 GiB, on that stack of the TSS's (0: the one in use). */
static inline struct gate gate_to(uint64_t stub, uint8_t stack, uint8_t type)
{
	return (struct gate){.offset_low = (uint16_t)stub,
			     .selector = KERNEL_CS,
			     .stack = stack,
			     .type = type,
			     .offset_middle = (uint16_t)(stub >> 16)};
}

#endif
