/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of tests to the debug kernel: a system call that no other kernel has. */
#ifndef DEBUG_CONTROL_H
#define DEBUG_CONTROL_H

#include <stdint.h>

#define DEBUG_CALL 0xdeb6 /* rdi: what, rsi and rdx: its arguments */

enum debug_control {
	DEBUG_THERE,    /* returns 1: this is a debug kernel */
	DEBUG_COUNT,    /* rsi: where to write a struct debug_count */
	DEBUG_ARM,      /* rsi: enum fail_kind, rdx: n. The n-th such step of the caller fails */
	DEBUG_DISARM,   /* returns 1 when it did; otherwise there were fewer */
	DEBUG_SERIAL,   /* returns how many objects were made so far */
	DEBUG_BLAME,    /* rsi: such a number. Logs who made what is left of those made since */
	DEBUG_CHECK,    /* looks at all objects, pages, events: panics if something is wrong */
	DEBUG_VICTIM,   /* rsi: enum debug_victim. Returns its address */
	DEBUG_CHECKSUM, /* of all victims: the same as ever */
	DEBUG_BREAK,    /* rsi: which of the ways to break the kernel (kernel/debug/break.c) */
	DEBUG_CONSTANT, /* checksum of the kernel's text and constants */
};

/* The operation to count; `n` selects the one that fails. */
enum fail_kind { FAIL_KALLOC, FAIL_PAGE, FAIL_FD, FAIL_COPY, NR_FAIL_KINDS };

/* Kernel memory that hostile pointers target. */
enum debug_victim {
	VICTIM_DATA,   /* in the image's data */
	VICTIM_ALIAS,  /* as VICTIM_DATA, through the direct map's large page */
	VICTIM_OBJECT, /* an object in the direct map */
	VICTIM_TASK,   /* the caller's credentials */
	NR_VICTIMS
};

struct debug_count {
	uint64_t small, large; /* objects */
	int64_t pages;         /* single pages, including the pages of kernel stacks */
	uint64_t locked_pages; /* of the caller's address space */
	uint64_t accounts;     /* sum of the caller's user accounts */
	uint64_t tasks;
	/* Cached and shared memory; the numbers vary from run to run. */
	int64_t stacks; /* of the kernel, kept ones included, and their tables */
	int64_t slabs;  /* that small objects share */
};

#endif
