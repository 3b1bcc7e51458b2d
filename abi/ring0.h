/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/ring0 calls code of programs with CAP_SYS_RAWIO in ring 0. */
#ifndef ABI_RING0_H
#define ABI_RING0_H

#include <linux/ioctl.h>
#include <stdint.h>

/* The numbers of general registers, as instructions encode them. */
enum ring0_register {
	RING0_RAX,
	RING0_RCX,
	RING0_RDX,
	RING0_RBX,
	RING0_RSP,
	RING0_RBP,
	RING0_RSI,
	RING0_RDI,
	RING0_R8,
	RING0_REGISTERS = 16
};

/* ended: it returned; else the vector that ended it. */
#define RING0_RETURNED UINT32_MAX

/*
 * The code is called like a C function: RDI is `argument`, and the return address is below `stack`,
 * at RSP. It returns by RET; RSP, the segment bases, CR0, CR3, CR4 and the descriptor tables are
 * restored right after it. All its memory must be resident: a page fault ends it like any
 * exception.
 */
struct ring0_call {
	uint64_t code, argument; /* user addresses */
	uint64_t stack;          /* highest address of the stack, aligned to 16 bytes */
	/* The result. */
	uint64_t value;                      /* RAX when it returned */
	uint32_t ended;                      /* RING0_RETURNED, or the vector */
	uint32_t error;                      /* the exception's error code */
	uint64_t rip, rflags, cr2;           /* of the exception */
	uint64_t registers[RING0_REGISTERS]; /* likewise, by enum ring0_register */
};

#define RING0_CALL _IOWR('b', 0, struct ring0_call)

#endif
