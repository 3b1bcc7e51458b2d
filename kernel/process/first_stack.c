/* SPDX-License-Identifier: BSD-2-Clause */
/* A new program's initial stack, in Linux's layout. */
#include <linux/auxvec.h>
#include "arch/x86/cpu/cpuid.h"
#include "kernel/base/string.h"
#include "kernel/device/random.h"
#include "kernel/process/arguments.h"
#include "kernel/process/exec.h"
#include "kernel/signal/signal.h"
#include "kernel/signal/signal_frame.h"
#include "kernel/task/sched.h"
#include "kernel/vm/vm.h"

#define AUX_WORDS   42  /* of the vector below */
#define TABLE_WORDS 128 /* buffer size in 8-byte words */

static const char platform[] = "x86_64";

/* The stack is built from its top downwards. */
struct stack_builder {
	struct mm *mm;
	uint64_t at;
	int err;
};

static uint64_t stack_push(struct stack_builder *stack, const void *bytes, size_t size)
{
	stack->at -= size;
	if (!stack->err)
		stack->err = mm_write(stack->mm, stack->at, bytes, size);
	return stack->at;
}

static uint64_t push_strings(struct stack_builder *stack, const struct arguments *arguments)
{
	uint64_t start = stack->at - arguments->used;
	size_t bytes;

	for (size_t at = 0; at < arguments->used && !stack->err; at += bytes) {
		const char *part = arguments_at(arguments, at, &bytes);

		stack->err = mm_write(stack->mm, start + at, part, bytes);
	}
	stack->at = start;
	return start;
}

/* The table of words at the stack's low end is written upwards, in blocks. */
struct table {
	struct stack_builder *stack;
	uint64_t at; /* where words[0] goes */
	unsigned count;
	uint64_t words[TABLE_WORDS];
};

static void table_write(struct table *table)
{
	struct stack_builder *stack = table->stack;

	if (!stack->err)
		stack->err = mm_write(stack->mm, table->at, table->words, table->count * 8ul);
	table->at += table->count * 8ul;
	table->count = 0;
}

static void table_add(struct table *table, uint64_t word)
{
	if (table->count == TABLE_WORDS)
		table_write(table);
	table->words[table->count++] = word;
}

/* Adds the addresses of `count` strings, the first of which is at *string, and a NULL. */
static void point_to_strings(struct table *table, const struct arguments *arguments, unsigned count,
			     uint64_t *string, size_t *offset)
{
	for (unsigned i = 0; i < count; i++) {
		size_t bytes = arguments_string(arguments, *offset);

		table_add(table, *string);
		*string += bytes;
		*offset += bytes;
		if (table->count == TABLE_WORDS)
			sched_pause();
	}
	table_add(table, 0);
}

/* The addresses of the auxiliary vector's strings. */
struct places {
	uint64_t name, platform, random;
};

static void auxiliary(struct table *table, const struct program *program,
		      const struct places *places)
{
	const uint64_t vector[] = {
	    AT_SYSINFO_EHDR, program->vdso,
	    AT_HWCAP,        cpuid(1, 0).edx,
	    AT_PAGESZ,       PAGE_SIZE,
	    AT_CLKTCK,       100,
	    AT_PHDR,         program->headers,
	    AT_PHENT,        56,
	    AT_PHNUM,        program->nr_headers,
	    AT_BASE,         program->base,
	    AT_FLAGS,        0,
	    AT_ENTRY,        program->start,
	    AT_UID,          program->cred.uid.real,
	    AT_EUID,         program->cred.uid.effective,
	    AT_GID,          program->cred.gid.real,
	    AT_EGID,         program->cred.gid.effective,
	    AT_SECURE,       program->secure,
	    AT_RANDOM,       places->random,
	    AT_HWCAP2,       0,
	    AT_EXECFN,       places->name,
	    AT_PLATFORM,     places->platform,
	    AT_MINSIGSTKSZ,  signal_frame_bytes(),
	    AT_NULL,         0,
	};

	_Static_assert(sizeof(vector) == AUX_WORDS * 8, "the table's length is known before");
	for (unsigned i = 0; i < AUX_WORDS; i++)
		table_add(table, vector[i]);
}

/* Writes argc, the pointers and the auxiliary vector; the stack ends with it, 16-byte aligned. */
static void push_table(struct stack_builder *stack, const struct program *program,
		       const struct arguments *arguments, uint64_t string,
		       const struct places *places)
{
	size_t words = 1 + arguments->argc + 1 + arguments->envc + 1 + AUX_WORDS, offset = 0;
	struct table table = {.stack = stack};
	struct mm *mm = stack->mm;

	stack->at = table.at = (stack->at - words * 8) & ~15ul;
	mm->auxv_end = stack->at + words * 8;
	mm->auxv_start = mm->auxv_end - AUX_WORDS * 8;
	mm->arg_start = string;
	table_add(&table, arguments->argc);
	point_to_strings(&table, arguments, arguments->argc, &string, &offset);
	mm->arg_end = mm->env_start = string;
	point_to_strings(&table, arguments, arguments->envc, &string, &offset);
	mm->env_end = string;
	auxiliary(&table, program, places);
	table_write(&table);
}

/* From the top: 8 zero bytes, the program's name, the strings, platform, random bytes; then argc,
 * argv[], NULL, envp[], NULL, the auxiliary vector. */
uint64_t first_stack(struct mm *mm, const struct program *program, const char *path,
		     const struct arguments *arguments)
{
	struct stack_builder stack = {mm, VM_STACK_TOP - 8, 0};
	struct places places;
	uint8_t random[16];
	uint64_t string;

	random_bytes(random, sizeof(random));
	places.name = stack_push(&stack, path, strlen(path) + 1);
	string = push_strings(&stack, arguments);
	places.platform = stack_push(&stack, platform, sizeof(platform));
	places.random = stack_push(&stack, random, sizeof(random));
	push_table(&stack, program, arguments, string, &places);
	return stack.err ? 0 : stack.at;
}
