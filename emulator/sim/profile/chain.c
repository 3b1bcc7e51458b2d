/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shadow stacks. A frame is popped when the stack pointer is above the return address that its call
 * pushed, so that tail calls, exceptions and longjmp need no care. A stack pointer far from the
 * last one is on another stack: an interrupt's (the interrupted code's callers are its callers), or
 * another task's.
 */
#include "emulator/sim/profile/chain.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "abi/boot_profile.h"

#define FRAMES      256
#define STACKS      1024
#define NEAR        (1u << 20) /* distance of stack pointers on one stack, bytes */
#define UPPER_SHIFT 15         /* Linux's kernel stacks are aligned to 32 KiB */
#define DEPTH       8          /* nested interrupts on stacks of their own */

struct frame {
	uint64_t sp, site;
};

struct stack {
	uint64_t space, last; /* last: its stack pointer when it was used */
	uint64_t used;        /* when */
	struct stack *parent; /* on which an interrupt came; NULL: none */
	unsigned nr;
	struct frame frames[FRAMES];
};

/* The stacks of all processors; `current` is the executing processor's, `switched` the others'.
 */
static struct stack *stacks[STACKS], *current, *switched[PROFILE_PROCESSORS];
static unsigned processor;
static uint64_t now;

static bool is_on(const struct stack *stack, uint64_t sp, uint64_t space)
{
	uint64_t distance = sp > stack->last ? sp - stack->last : stack->last - sp;

	if (stack->space != space || distance >= NEAR)
		return false;
	return !(sp >> 63) || sp >> UPPER_SHIFT == stack->last >> UPPER_SHIFT;
}

/* Whether a processor is on the stack. */
static bool is_current(const struct stack *stack)
{
	for (unsigned i = 0; i < PROFILE_PROCESSORS; i++)
		if (stack == switched[i] && i != processor)
			return true;
	return stack == current;
}

/* Returns the place of the stack, or that of a free or of the least recently used one. */
static struct stack **stack_place(uint64_t sp, uint64_t space)
{
	struct stack **place = &stacks[0];

	for (size_t i = 0; i < STACKS; i++) {
		if (!stacks[i])
			return &stacks[i];
		if (is_on(stacks[i], sp, space))
			return &stacks[i];
		if (stacks[i]->used < (*place)->used && !is_current(stacks[i]))
			place = &stacks[i];
	}
	return place;
}

static void forget_parent(const struct stack *parent)
{
	for (size_t i = 0; i < STACKS && stacks[i]; i++)
		if (stacks[i]->parent == parent)
			stacks[i]->parent = NULL;
}

static struct stack *find_stack(uint64_t sp, uint64_t space)
{
	struct stack **place = stack_place(sp, space), *stack = *place;

	if (!stack)
		stack = *place = calloc(1, sizeof(*stack));
	if (stack && !is_on(stack, sp, space)) {
		forget_parent(stack);
		stack->nr = 0;
		stack->parent = NULL;
	}
	return stack;
}

static void pop_left(struct stack *stack, uint64_t sp)
{
	while (stack->nr && stack->frames[stack->nr - 1].sp < sp)
		stack->nr--;
}

static void push(struct stack *stack, uint64_t sp, uint64_t site)
{
	pop_left(stack, sp + 1);
	if (stack->nr == FRAMES) {
		memmove(stack->frames, stack->frames + 1,
			sizeof(stack->frames) - sizeof(stack->frames[0]));
		stack->nr--;
	}
	stack->frames[stack->nr++] = (struct frame){sp, site};
}

static bool has_parent(const struct stack *stack, const struct stack *parent)
{
	for (unsigned i = 0; stack && i < DEPTH; i++, stack = stack->parent)
		if (stack == parent)
			return true;
	return false;
}

static void change_stack(enum chain_step step, uint64_t sp, uint64_t space)
{
	struct stack *before = current;

	current = find_stack(sp, space);
	if (!current || current == before)
		return;
	pop_left(current, sp);
	if (step != CHAIN_INTERRUPT)
		current->parent = current->nr ? current->parent : NULL;
	else if (!space && before && !has_parent(before, current))
		current->parent = before;
}

void chain_follow(enum chain_step step, uint64_t sp, uint64_t space, uint64_t site)
{
	if (step == CHAIN_ON)
		return;
	now++;
	if (!current || !is_on(current, sp, space))
		change_stack(step, sp, space);
	if (!current)
		return;
	if (step == CHAIN_RETURN)
		pop_left(current, sp);
	else
		push(current, sp, site);
	current->last = sp;
	current->used = now;
}

void chain_switch(unsigned to)
{
	switched[processor] = current;
	current = switched[to];
	processor = to;
}

unsigned chain_read(uint64_t *sites, unsigned max)
{
	const struct stack *stack = current;
	unsigned n = 0;

	for (unsigned depth = 0; stack && depth < DEPTH; depth++, stack = stack->parent)
		for (unsigned i = stack->nr; i && n < max; i--)
			sites[n++] = stack->frames[i - 1].site;
	return n;
}
