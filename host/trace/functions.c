/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts calls by function: a hash table by name. */
#include "host/trace/functions.h"

#include <stdlib.h>
#include <string.h>

#include "apps/report/hash.h"
#include "host/lib/text.h"

static struct trace_function *slot_of(const struct trace_functions *functions, const char *name)
{
	size_t i = hash_text(HASH_BEGIN, name) % functions->room;

	while (functions->list[i].name && strcmp(functions->list[i].name, name))
		i = (i + 1) % functions->room;
	return &functions->list[i];
}

static void grow(struct trace_functions *functions)
{
	struct trace_functions old = *functions;

	functions->room = old.room ? 2 * old.room : 1024;
	functions->list = allocate(functions->room * sizeof(functions->list[0]));
	for (size_t i = 0; i < old.room; i++)
		if (old.list[i].name)
			*slot_of(functions, old.list[i].name) = old.list[i];
	free(old.list);
}

/* True if another call of the function is further out in the stack. */
static bool recurs(const struct trace_thread *thread)
{
	for (unsigned i = 0; i + 1 < thread->nr; i++)
		if (!strcmp(thread->frames[i].function, thread->frames[thread->nr - 1].function))
			return true;
	return false;
}

static void leave(void *context, const struct trace_thread *thread)
{
	struct trace_functions *functions = context;
	const struct trace_frame *frame = &thread->frames[thread->nr - 1];
	uint64_t took = thread->now - frame->begin;
	struct trace_function *function;

	if (2 * functions->nr >= functions->room)
		grow(functions);
	function = slot_of(functions, frame->function);
	functions->nr += !function->name;
	function->name = frame->function;
	function->file = frame->file;
	function->calls++;
	function->instructions += thread->instructions - frame->before - frame->inner_count;
	function->self += took - frame->inner;
	if (!recurs(thread))
		function->total += took;
}

struct trace_listener trace_functions_count(struct trace_functions *functions)
{
	return (struct trace_listener){.context = functions, .leave = leave};
}

/* Functions first, the longest of them first; free slots last. */
static int by_self(const void *left, const void *right)
{
	const struct trace_function *a = left, *b = right;

	if (!a->name || !b->name)
		return !a->name - !b->name;
	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	return strcmp(a->name, b->name);
}

void trace_functions_sort(struct trace_functions *functions)
{
	if (functions->room)
		qsort(functions->list, functions->room, sizeof(functions->list[0]), by_self);
}

void trace_functions_print(struct trace_functions *functions, FILE *out)
{
	trace_functions_sort(functions);
	fprintf(out, "# %8s %14s %12s %12s  function\n", "calls", "instructions", "self us",
		"total us");
	for (size_t i = 0; i < functions->nr; i++) {
		const struct trace_function *f = &functions->list[i];

		fprintf(out, "%10lu %14lu %12.3f %12.3f  %s\n", (unsigned long)f->calls,
			(unsigned long)f->instructions, (double)f->self / 1000,
			(double)f->total / 1000, f->name);
	}
}
