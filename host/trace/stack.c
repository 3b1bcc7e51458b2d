/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows calls and returns. A return ends the newest call whose site is before the address that it
 * returns to. Jumps into another function are tail calls if they reach its start, else they leave
 * calls as longjmp() does. A signal handler returns to the newest call of the function that it
 * interrupted.
 */
#include "host/trace/stack.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/report.h"
#include "host/lib/text.h"

static int by_tid(const void *left, const void *right)
{
	const struct trace_thread *a = left, *b = right;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

struct trace_thread *traced_thread_of(struct trace_output *output, uint32_t pid, uint32_t tid)
{
	struct trace_thread wanted = {.tid = tid}, *thread,
			    **found = tfind(&wanted, &output->index, by_tid);

	if (!found) {
		thread = allocate(sizeof(*thread));
		thread->tid = tid;
		thread->next = output->threads;
		output->threads = thread;
		found = tsearch(thread, &output->index, by_tid);
	}
	(*found)->pid = pid;
	return *found;
}

static struct trace_frame *top(struct trace_thread *thread)
{
	return thread->nr ? &thread->frames[thread->nr - 1] : NULL;
}

static bool is_inside(const struct trace_frame *frame, uint64_t ip)
{
	return ip >= frame->low && ip < frame->high;
}

/* Names the frame by the function at the address. Returns whether the address is its start. */
static bool name_frame(struct trace_output *output, const struct trace_thread *thread,
		       struct trace_frame *frame, uint64_t ip)
{
	struct place place = places_find(output->source->places, thread->pid, ip, ip >> 63);

	frame->function = place.known
			      ? place.function
			      : format_text("%s+%#lx", place.file, (unsigned long)place.offset);
	frame->file = place.file;
	frame->known = place.known;
	frame->low = frame->high = 0;
	if (place.path) {
		frame->low = ip - (place.address - place.start);
		frame->high = ip + (place.end - place.address);
	}
	return ip == frame->low;
}

static void push(struct trace_output *output, struct trace_thread *thread, uint64_t ip,
		 uint64_t site)
{
	struct trace_frame *frame;

	if (thread->nr == thread->room) {
		thread->room = thread->room ? 2 * thread->room : 64;
		thread->frames = realloc(thread->frames, thread->room * sizeof(*thread->frames));
		if (!thread->frames)
			die(STATUS_OURS, "out of memory");
	}
	frame = &thread->frames[thread->nr++];
	*frame = (struct trace_frame){
	    .site = site, .begin = thread->now, .before = thread->instructions};
	name_frame(output, thread, frame, ip);
	for (unsigned i = 0; i < output->nr; i++)
		if (output->listeners[i].enter)
			output->listeners[i].enter(output->listeners[i].context, thread);
}

static void pop(struct trace_output *output, struct trace_thread *thread)
{
	const struct trace_frame *frame = top(thread);
	struct trace_frame *caller = thread->nr > 1 ? &thread->frames[thread->nr - 2] : NULL;

	for (unsigned i = 0; i < output->nr; i++)
		if (output->listeners[i].leave)
			output->listeners[i].leave(output->listeners[i].context, thread);
	if (caller) {
		caller->inner += thread->now - frame->begin;
		caller->inner_count += thread->instructions - frame->before;
	}
	thread->nr--;
}

static void pop_all(struct trace_output *output, struct trace_thread *thread)
{
	while (thread->nr)
		pop(output, thread);
}

/* Ends calls down to the newest whose function contains the address. False: there is none. */
static bool unwind_to(struct trace_output *output, struct trace_thread *thread, uint64_t ip)
{
	unsigned keep = thread->nr;

	while (keep && !is_inside(&thread->frames[keep - 1], ip))
		keep--;
	if (!keep)
		return false;
	while (thread->nr > keep)
		pop(output, thread);
	return true;
}

/* GCC puts unlikely code of f() into a function f.cold. */
static bool is_part_of(const struct trace_frame *part, const struct trace_frame *whole)
{
	size_t length = strlen(whole->function);

	return !strncmp(part->function, whole->function, length) && part->function[length] == '.';
}

/* Handles a jump. Code without symbols, such as a procedure linkage table, takes the name of the
 * function that it jumps to. */
static void jumped(struct trace_output *output, struct trace_thread *thread, uint64_t ip)
{
	struct trace_frame *frame = top(thread), to = {0};
	bool at_start;
	uint64_t site;

	if (!frame || is_inside(frame, ip))
		return;
	at_start = name_frame(output, thread, &to, ip);
	if ((!to.known && to.file == frame->file) || is_part_of(&to, frame))
		return;
	if (!frame->known && to.known) {
		name_frame(output, thread, frame, ip);
		return;
	}
	if (!at_start && unwind_to(output, thread, ip))
		return;
	site = top(thread)->site;
	pop(output, thread);
	push(output, thread, ip, site);
}

/* Ends the call that returns to `ip`. */
static void returned(struct trace_output *output, struct trace_thread *thread, uint64_t ip)
{
	unsigned keep = thread->nr;
	uint64_t site = 0;

	while (keep && (ip < thread->frames[keep - 1].site ||
			ip - thread->frames[keep - 1].site > TRACE_INSN_BYTES))
		keep--;
	if (keep) {
		while (thread->nr >= keep)
			pop(output, thread);
	} else if (thread->nr) {
		site = top(thread)->site;
		pop(output, thread);
	}
	if (!thread->nr)
		push(output, thread, ip, site);
	else
		jumped(output, thread, ip);
}

/* A call to the next instruction only reads RIP. */
static void called(struct trace_output *output, struct trace_thread *thread, uint64_t ip)
{
	const struct trace_frame *frame = top(thread);

	if (!frame || !is_inside(frame, ip) || ip == frame->low)
		push(output, thread, ip, thread->last);
}

static void follow(struct trace_output *output, struct trace_thread *thread, uint64_t ip)
{
	switch (thread->ended) {
	case ptic_call:
	case ptic_far_call:
		called(output, thread, ip);
		break;
	case ptic_return:
	case ptic_far_return:
		returned(output, thread, ip);
		break;
	default:
		jumped(output, thread, ip);
	}
}

void traced_block(struct trace_output *output, struct trace_thread *thread,
		  const struct pt_block *block)
{
	if (!thread->nr)
		push(output, thread, block->ip, 0);
	else
		follow(output, thread, block->ip);
	for (unsigned i = 0; i < output->nr; i++)
		if (output->listeners[i].block)
			output->listeners[i].block(output->listeners[i].context, thread, block);
	thread->instructions += block->ninsn;
	thread->ended = block->iclass;
	thread->last = block->end_ip;
}

void traced_note(struct trace_output *output, const struct trace_thread *thread, const char *text)
{
	for (unsigned i = 0; i < output->nr; i++)
		if (output->listeners[i].note)
			output->listeners[i].note(output->listeners[i].context, thread, text);
}

void traced_leave(struct trace_output *output, struct trace_thread *thread, bool interrupted,
		  uint64_t ip)
{
	if (interrupted)
		traced_note(output, thread, "interrupt or fault");
	else if (thread->ended == ptic_far_call)
		traced_note(output, thread, "system call");
	thread->interrupted = interrupted;
	thread->next_ip = ip;
}

/* A thread that continues elsewhere runs a signal's handler, or returns from one. */
void traced_resume(struct trace_output *output, struct trace_thread *thread, uint64_t ip)
{
	struct trace_frame to = {0};
	struct place_map map;

	if (places_map(output->source->places, thread->pid, ip, &map) &&
	    map.execs != thread->execs) {
		pop_all(output, thread);
		thread->execs = map.execs;
	}
	if (thread->interrupted && ip == thread->next_ip)
		return; /* perhaps between a call and the function */
	thread->ended = ptic_other;
	if (!thread->nr || (ip >= thread->last && ip - thread->last <= TRACE_INSN_BYTES) ||
	    is_inside(top(thread), ip))
		return;
	if (name_frame(output, thread, &to, ip))
		push(output, thread, ip, thread->interrupted ? thread->next_ip : thread->last);
	else if (!unwind_to(output, thread, ip))
		jumped(output, thread, ip);
}

void traced_interrupt(struct trace_output *output, struct trace_thread *thread, uint64_t from)
{
	(void)output;
	thread->ended = ptic_far_call;
	thread->last = from;
}

void traced_end(struct trace_output *output)
{
	for (struct trace_thread *thread = output->threads; thread; thread = thread->next)
		pop_all(output, thread);
}
