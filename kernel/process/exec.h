/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting programs: execve(2). Context of all: task. */
#ifndef KERNEL_EXEC_H
#define KERNEL_EXEC_H

#include <stdint.h>
#include "kernel/task/cred.h"
#include "kernel/mem/memory.h"

#define ARGUMENT_LONGEST 131072ul    /* one string, as Linux's MAX_ARG_STRLEN */
#define ARGUMENTS_MOST   (2ul << 20) /* all strings and pointers: a quarter of the stack's limit */

/* Argument and environment strings, one after another, each ended by NUL. */
struct arguments {
	char **pages; /* a page of pointers to pages: no more of them need to lie together */
	size_t used;
	unsigned argc, envc;
};

/* Frees the strings, not the struct. */
void arguments_free(struct arguments *arguments);
/* Adds a string; adds what lies in `from` from `offset` on. Return 0, -E2BIG or -ENOMEM. */
int arguments_add(struct arguments *arguments, const char *string);
int arguments_add_rest(struct arguments *arguments, const struct arguments *from, size_t offset);
/* Adds the strings of a user array of pointers; counts them in *count. Returns 0 or a negative
 * errno. */
int arguments_add_user(struct arguments *arguments, uint64_t array, unsigned *count);
/* What lies at `offset` < used, and in *bytes how much of it lies together. */
const char *arguments_at(const struct arguments *arguments, size_t offset, size_t *bytes);
/* The bytes of the string at `offset` < used, its NUL among them. */
size_t arguments_string(const struct arguments *arguments, size_t offset);

struct dirent;
struct inode;
/* What a loaded program is. */
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
	const char *why;  /* a line that says why it could not be loaded, or NULL */
};

/*
 * Builds the program's first stack, below VM_STACK_TOP, in its address space, whose area is there.
 * Returns the stack pointer, or 0: no memory.
 */
uint64_t first_stack(struct mm *mm, const struct program *program, const char *path,
		     const struct arguments *arguments);

/* Maps an ELF file, found by `name`, into program->mm (fresh). Returns 0 or a negative errno with
 * `why` set. */
int elf_load(struct inode *inode, struct dirent *name, struct program *program);

/*
 * Replaces the current task's program by the file, which was found by `name` (NULL: by none). The
 * arguments are consumed, also on failure. Returns 0 or a negative errno; *why (may be NULL) then
 * holds a reason in words, or NULL.
 */
int exec(struct inode *inode, struct dirent *name, const char *path, struct arguments *arguments,
	 const char **why);

#endif
