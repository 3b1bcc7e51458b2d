/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of a static array, of sizes that are powers of two; what is given back is taken again. */
#include "tests/accuracy/libraries/arena.h"

#include <stdint.h>
#include <string.h>

enum { ARENA = 4 << 20, STACK = 128 << 10, PAGE = 4096, SMALLEST = 5, CLASSES = 25 };

/* Before each piece. */
struct piece {
	struct piece *next; /* that is free */
	size_t class;
};

static char arena[ARENA] __attribute__((aligned(PAGE)));
static char stack[STACK] __attribute__((aligned(PAGE)));
static size_t used;
static struct piece *idle[CLASSES];

/* The linker's: code and constants begin, data end. */
extern const char __executable_start[], edata[];

void arena_touch(void)
{
	for (uintptr_t at = (uintptr_t)__executable_start; at < (uintptr_t)edata; at += PAGE)
		(void)*(const volatile char *)at;
	for (size_t at = 0; at < ARENA; at += PAGE)
		arena[at] = 0;
	for (size_t at = 0; at < STACK; at += PAGE)
		stack[at] = 0;
}

void *arena_take(size_t bytes)
{
	size_t class = SMALLEST;
	struct piece *piece;

	while (((size_t)1 << class) - sizeof(*piece) < bytes)
		if (++class == CLASSES)
			return NULL;
	piece = idle[class];
	if (piece) {
		idle[class] = piece->next;
	} else {
		if (ARENA - used < (size_t)1 << class)
			return NULL;
		piece = (struct piece *)(arena + used);
		used += (size_t)1 << class;
	}
	piece->class = class;
	return piece + 1;
}

void arena_give(void *place)
{
	struct piece *piece = place;

	if (!place)
		return;
	piece--;
	piece->next = idle[piece->class];
	idle[piece->class] = piece;
}

size_t arena_bytes(const void *place)
{
	const struct piece *piece = place;

	return place ? ((size_t)1 << piece[-1].class) - sizeof(*piece) : 0;
}

void *arena_change(void *place, size_t bytes)
{
	size_t before = arena_bytes(place);
	void *to;

	if (place && bytes <= before)
		return place;
	to = arena_take(bytes);
	if (to && place)
		memcpy(to, place, before);
	if (to)
		arena_give(place);
	return to;
}

void arena_run(void (*work)(void))
{
	char *top = stack + STACK;

	__asm__ volatile("mov %%rsp, %%rbx\n\tmov %1, %%rsp\n\tcall *%0\n\tmov %%rbx, %%rsp"
			 : "+r"(work), "+r"(top)
			 :
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
			   "memory");
}
