/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel functions that return to a trampoline: the original return addresses, by their location on
 * the stack. */
#include "arch/x86/cpu/frame.h"
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/log.h"
#include "trace/probe/kernel/kreturns.h"

#define CALLS_MAX 512 /* calls in progress at once; more are not reported */
#define HASH_BITS 6

/* One call. */
struct call {
	struct call *next; /* of the same hash, newest first; of the free ones */
	const struct kprobe *probe;
	uint64_t stack; /* location of its return address */
	uint64_t back;  /* which it was */
};

static struct call calls[CALLS_MAX], *unused, *by_stack[1 << HASH_BITS];
static unsigned made; /* of calls[], which were never used before */
static struct spinlock lock;

static struct call **bucket(uint64_t stack)
{
	return &by_stack[stack * 0x9e3779b97f4a7c15ul >> (64 - HASH_BITS)];
}

/* Removes and returns the newest entry for that location. NULL: none. */
static struct call *kreturns_take(uint64_t stack)
{
	struct call **link = bucket(stack), *call;

	while (*link && (*link)->stack != stack)
		link = &(*link)->next;
	call = *link;
	if (call)
		*link = call->next;
	return call;
}

static void give(struct call *call)
{
	call->next = unused;
	unused = call;
}

static struct call *fresh(void)
{
	struct call *call = unused;

	if (call)
		unused = call->next;
	else if (made < CALLS_MAX)
		call = &calls[made++];
	return call;
}

/* Entries at the same location never returned, because their task ended, unless the function was
 * entered by a jump. */
void kreturns_push(struct kprobe *probe, struct frame *frame, uint64_t trampoline)
{
	uint64_t *place = (uint64_t *)frame->rsp;
	struct call *call;

	spin_lock(&lock);
	while (*place != trampoline && (call = kreturns_take(frame->rsp)))
		give(call);
	call = fresh();
	if (call) {
		*call = (struct call){*bucket(frame->rsp), probe, frame->rsp, *place};
		*bucket(frame->rsp) = call;
		*place = trampoline;
	}
	spin_unlock(&lock);
}

static bool pop(uint64_t stack, struct call *call)
{
	struct call *taken;

	spin_lock(&lock);
	taken = kreturns_take(stack);
	if (taken) {
		*call = *taken;
		give(taken);
	}
	spin_unlock(&lock);
	return taken != NULL;
}

/* Returns the outermost return address of the calls that return together: one may have tail-called
 * the next. */
static uint64_t final_address(uint64_t stack)
{
	uint64_t back = 0;

	spin_lock(&lock);
	for (const struct call *call = *bucket(stack); call; call = call->next)
		if (call->stack == stack)
			back = call->back;
	spin_unlock(&lock);
	return back;
}

void kreturns_hit(struct frame *frame, bool report)
{
	uint64_t stack = frame->rsp - sizeof(uint64_t), back = final_address(stack);
	struct call call;

	if (!back)
		panic("a function of the kernel returned to nowhere");
	frame->rip = back;
	while (pop(stack, &call))
		if (report)
			kprobe_emit(call.probe, frame, true);
	frame->rip = back;
}
