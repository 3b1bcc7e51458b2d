/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting programs: execve(2). Context of all: task. */
#ifndef KERNEL_EXEC_H
#define KERNEL_EXEC_H

#include <stdint.h>
#include "kernel/mem/memory.h"
#include "kernel/task/membership/cred.h"

struct arguments;
struct dirent;
struct inode;
struct mm;

/* A loaded program. */
struct program {
	struct mm *mm;
	uint64_t entry;   /* first instruction: the interpreter's, if there is one */
	uint64_t start;   /* AT_ENTRY: the program's own */
	uint64_t base;    /* AT_BASE: of the interpreter, or 0 */
	uint64_t headers; /* AT_PHDR */
	uint16_t nr_headers;
	uint64_t vdso; /* AT_SYSINFO_EHDR */
	uint32_t stack_prot;
	struct cred cred; /* the task's from now on */
	bool secure;      /* AT_SECURE */
	bool unreadable;  /* the task may not read its interpreter */
	const char *why;  /* a line that says why it could not be loaded, or NULL */
};

/*
 * Builds the program's initial stack below VM_STACK_TOP, in the existing area of its address space.
 * Returns the stack pointer, or 0: no memory.
 */
uint64_t first_stack(struct mm *mm, const struct program *program, const char *path,
		     const struct arguments *arguments);

/*
 * Replaces the current task's program by the file, found by `name` (NULL: by none). The arguments
 * are consumed, also on failure. Returns 0 or a negative errno; *why (may be NULL) then is a reason
 * in words, or NULL.
 */
int exec(struct inode *inode, struct dirent *name, const char *path, struct arguments *arguments,
	 const char **why);

/* Returns whether the current task may execute the file: 0, -EACCES, or -ETXTBSY while it is open
 * for writing. */
int exec_permitted(const struct inode *inode);

#endif
