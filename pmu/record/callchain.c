/* SPDX-License-Identifier: BSD-2-Clause */
/* Call chains by frame pointers, of kernel and application, without faulting. */
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/stack.h"
#include "kernel/mem/user.h"
#include "pmu/base/cpu.h"
#include "pmu/base/later.h"
#include "pmu/base/limits.h"
#include "pmu/record/callchain.h"
#include "pmu/record/deferred.h"

/* Frames of a chain: half of the largest record. */
#define CALLCHAIN_LONGEST 4000

struct chain {
	uint64_t *entries;
	uint32_t nr;               /* markers included */
	uint32_t frames, contexts; /* left */
	uint64_t page;             /* of the stack, that was read last; USER_END: none yet */
	const char *bytes;         /* its address in the kernel; NULL: none */
};

/* The two words at a frame pointer. */
struct stack_frame {
	uint64_t next;
	uint64_t return_address;
};

/* Adds a marker; if it does not fit, the chain ends. */
static void add_marker(struct chain *chain, uint64_t marker)
{
	if (!chain->contexts) {
		chain->frames = 0;
		return;
	}
	chain->contexts--;
	chain->entries[chain->nr++] = marker;
}

/* Adds an address; false when the chain is full. */
static bool add_frame(struct chain *chain, uint64_t address)
{
	if (!chain->frames)
		return false;
	chain->frames--;
	chain->entries[chain->nr++] = address;
	return true;
}

/* Follows the frames between the stack pointer and the top of the task's kernel stack, all of which
 * is mapped. */
static void kernel_chain(struct chain *chain, const struct frame *frame)
{
	uint64_t top = current_task()->stack_top, low = frame->rsp, fp = frame->rbp;

	if (!add_frame(chain, frame->rip) || low < top - STACK_BYTES || low >= top)
		return;
	while (fp >= low && fp <= top - sizeof(struct stack_frame) && !(fp & 7)) {
		const struct stack_frame *at = (const struct stack_frame *)fp;

		if (!at->return_address || !add_frame(chain, at->return_address))
			return;
		low = fp + sizeof(*at);
		fp = at->next;
	}
}

/* A function without a frame yet has its return address at the top of the stack. */
static bool add_caller(struct chain *chain, const struct frame *frame)
{
	uint64_t caller;

	return peek_user(&caller, frame->rsp, sizeof(caller)) == sizeof(caller) &&
	       add_frame(chain, caller);
}

/* Reads a frame. Frames of a chain are close together, so few pages are looked up. False: it cannot
 * be read. */
static bool read_frame(struct chain *chain, uint64_t fp, struct stack_frame *at)
{
	uint64_t offset = fp % PAGE_SIZE;

	if (offset > PAGE_SIZE - sizeof(*at))
		return peek_user(at, fp, sizeof(*at)) == sizeof(*at);
	if (fp - offset != chain->page) {
		chain->page = fp - offset;
		chain->bytes = peek_page(chain->page);
	}
	if (!chain->bytes)
		return false;
	__builtin_memcpy(at, chain->bytes + offset, sizeof(*at));
	return true;
}

static void user_chain(struct chain *chain, const struct frame *frame)
{
	uint64_t fp = frame->rbp;
	struct stack_frame at;

	if (!add_frame(chain, frame->rip))
		return;
	if (current_task()->enters_function && !add_caller(chain, frame))
		return;
	while (fp && fp < USER_END && read_frame(chain, fp, &at) &&
	       add_frame(chain, at.return_address))
		fp = at.next;
}

static unsigned nesting_level(void)
{
	const struct cpu *cpu = this_cpu();

	return cpu->nmi_depth ? 2 : cpu->irq_depth ? 1 : 0;
}

static struct chain_scratch *scratch_new(uint32_t frames)
{
	size_t words = CALLCHAIN_LEVELS * (frames + CALLCHAIN_MARKERS);
	struct chain_scratch *scratch = kalloc(sizeof(*scratch) + words * sizeof(uint64_t));

	if (scratch)
		scratch->frames = frames;
	return scratch;
}

/* Frees an array of nr_cpus and its elements. */
static void free_all(struct chain_scratch **scratch)
{
	for (uint32_t i = 0; i < nr_cpus; i++)
		kfree(scratch[i]);
	kfree(scratch);
}

int callchain_reserve(uint32_t frames)
{
	struct chain_scratch **scratch;

	if (frames > CALLCHAIN_LONGEST)
		frames = CALLCHAIN_LONGEST;
	if (cpus[0]->pmu->chains && frames <= cpus[0]->pmu->chains->frames)
		return 0;
	scratch = kalloc(nr_cpus * sizeof(struct chain_scratch *));
	if (!scratch)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr_cpus; i++) {
		scratch[i] = scratch_new(frames);
		if (!scratch[i]) {
			free_all(scratch);
			return -ENOMEM;
		}
	}
	for (uint32_t i = 0; i < nr_cpus; i++)
		scratch[i] =
		    __atomic_exchange_n(&cpus[i]->pmu->chains, scratch[i], __ATOMIC_ACQ_REL);
	remote_synchronize();
	free_all(scratch);
	return 0;
}

/* Returns an empty chain for `frames` frames, in this level's scratch. */
static struct chain chain_begin(uint32_t frames)
{
	struct chain_scratch *scratch = __atomic_load_n(&this_pmu_cpu()->chains, __ATOMIC_ACQUIRE);
	uint32_t room = scratch->frames;

	return (struct chain){.entries =
				  scratch->entries + nesting_level() * (room + CALLCHAIN_MARKERS),
			      .frames = frames < room ? frames : room,
			      .contexts = perf_limits.max_contexts,
			      .page = USER_END};
}

uint32_t callchain_collect(const struct perf_event *event, const struct frame *frame,
			   const uint64_t **entries)
{
	const struct task *task = current_task();
	const struct context *ctx = event->ctx;
	struct chain chain = chain_begin(event->attr.sample_max_stack);

	*entries = chain.entries;
	if (!event->attr.exclude_callchain_kernel && !frame_is_user(frame)) {
		add_marker(&chain, PERF_CONTEXT_KERNEL);
		kernel_chain(&chain, frame);
	}
	if (event->attr.exclude_callchain_user || task->kernel_thread ||
	    (ctx->task && ctx->task != task))
		return chain.nr;
	if (event->attr.__reserved_1 & ATTR_DEFER_CALLCHAIN) {
		add_marker(&chain, PERF_CONTEXT_USER_DEFERRED);
		add_marker(&chain, deferred_request());
		return chain.nr;
	}
	add_marker(&chain, PERF_CONTEXT_USER);
	user_chain(&chain, frame_is_user(frame) ? frame : task_user_frame(task));
	return chain.nr;
}

uint32_t callchain_of_user(const uint64_t **entries)
{
	struct chain chain = chain_begin(perf_limits.max_stack);

	*entries = chain.entries;
	add_marker(&chain, PERF_CONTEXT_USER);
	user_chain(&chain, task_user_frame(current_task()));
	return chain.nr;
}
