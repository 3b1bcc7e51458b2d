/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches arguments of probes: registers, the stack, memory, strings. */
#include "arch/x86/cpu/frame.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "trace/probe/base/fetch.h"

/* In task context pages are faulted in. */
static size_t peek(void *to, uint64_t from, size_t bytes, bool user, unsigned where)
{
	if (where & FETCH_OF_USER)
		return copy_from_user(to, from, bytes) ? 0 : bytes;
	return user ? peek_user(to, from, bytes) : peek_kernel(to, from, bytes);
}

/* Returns a word of the frame's stack. */
static uint64_t stack_word(const struct frame *frame, uint64_t number, unsigned where)
{
	uint64_t value = 0;

	if (peek(&value, frame->rsp + 8 * number, sizeof(value), false, where) != sizeof(value))
		return 0;
	return value;
}

/* Computes the value, or the address of a string; `size`: bytes of the last load. */
static bool evaluate(const struct fetch_arg *arg, const struct frame *frame, unsigned where,
		     uint64_t *value)
{
	bool string = arg->type->is_string;

	*value = 0;
	for (unsigned i = 0; i < arg->nr_steps; i++) {
		const struct fetch_step *step = &arg->steps[i];
		bool last = i + 1u == arg->nr_steps;
		size_t size = last ? arg->type->size : sizeof(uint64_t);
		uint64_t from = *value + (uint64_t)step->value;

		switch (step->op) {
		case FETCH_REGISTER:
			*value = *(const uint64_t *)((const uint8_t *)frame + step->value);
			break;
		case FETCH_STACK:
			*value = stack_word(frame, (uint64_t)step->value, where);
			break;
		case FETCH_CONSTANT:
			*value = (uint64_t)step->value;
			break;
		case FETCH_COMM:
			*value = (uint64_t)current_task()->comm;
			break;
		default:
			*value = last && string ? from : 0;
			if (!(last && string) &&
			    peek(value, from, size, step->op == FETCH_LOAD_USER, where) != size)
				return false;
		}
	}
	return true;
}

/* Reads a string: its bytes with its NUL, 0: unreadable. */
static uint32_t read_string(char *to, uint64_t from, uint32_t room, bool user, unsigned where)
{
	for (uint32_t i = 0; i < room; i++) {
		if (peek(to + i, from + i, 1, user, where) != 1)
			return 0;
		if (!to[i])
			return i + 1;
	}
	to[room - 1] = 0;
	return room;
}

/* Appends the string to the record and stores its location; an unreadable one is empty. */
static uint32_t put_string(const struct fetch_arg *arg, uint8_t *record, uint32_t bytes,
			   uint32_t room, uint64_t from, bool there, unsigned where)
{
	const struct fetch_step *last = &arg->steps[arg->nr_steps - 1];
	bool own = last->op == FETCH_COMM;
	bool user = arg->type->from_user || last->op == FETCH_LOAD_USER;
	uint32_t length = 0, place;

	if (room && there)
		length = read_string((char *)record + bytes, from, room, user, own ? 0 : where);
	place = bytes | length << 16;
	memcpy(record + arg->offset, &place, sizeof(place));
	return length;
}

uint32_t fetch_record(const struct fetch_arg *args, unsigned nr, void *record, uint32_t bytes,
		      const struct frame *frame, unsigned where)
{
	uint32_t used = 0;

	for (unsigned i = 0; i < nr; i++) {
		const struct fetch_arg *arg = &args[i];
		uint64_t value;
		bool there = evaluate(arg, frame, where, &value);

		if (arg->type->is_string)
			used += put_string(arg, record, bytes + used, FETCH_STRINGS - used, value,
					   there, where);
		else
			memcpy((uint8_t *)record + arg->offset, &value, arg->type->size);
	}
	return bytes + used;
}
