/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace events at functions that are not called through a pointer: memory, mappings, waiting,
 * names, timers. While an event has users, a jump at the function's start leads to a wrapper here,
 * which emits the event and calls the original.
 */
#include <linux/errno.h>
#include <linux/wait.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/base/string.h"
#include "kernel/mem/page.h"
#include "kernel/mem/space.h"
#include "kernel/process/process.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/task/task.h"
#include "kernel/time/timer.h"
#include "kernel/vm/vma.h"
#include "trace/base/event.h"
#include "trace/functions.h"
#include "trace/probe/kernel/jump.h"
#include "trace/timers.h"

/* Events, and the functions that emit each. */
#define FUNCTIONS(F)                        \
	F(mm_page_alloc, page_alloc_block)  \
	F(mm_page_alloc, page_alloc)        \
	F(mm_page_alloc, page_alloc_dirty)  \
	F(mm_page_free, page_free_block)    \
	F(kmalloc, kalloc)                  \
	F(kfree, kfree)                     \
	F(vm_unmapped_area, vma_gap)        \
	F(sched_process_wait, process_wait) \
	F(task_rename, task_rename)         \
	F(hrtimer_init, timer_init)         \
	F(hrtimer_start, timer_arm)         \
	F(hrtimer_cancel, timer_cancel)     \
	F(itimer_state, interval_set)       \
	F(itimer_expire, interval_over)

#define NUMBER(event, function) AT_##function,
enum { FUNCTIONS(NUMBER) NR_FUNCTIONS };

static struct probe_jump jumps[NR_FUNCTIONS];

/* Calls the original function. */
#define ORIGINAL(function) ((__typeof__(&(function)))jumps[AT_##function].original)

/* A record is wanted; listeners that only count have been served. */
#define WANTED(name) \
	(trace_wanted(&trace_points[POINT_##name]) && !trace_count(&trace_points[POINT_##name]))

/* The sample's registers: at the call of the function. */
#define HERE(called)                                                    \
	{                                                               \
		.rip = jumps[AT_##called].function,                     \
		.rbp = (uint64_t)(uintptr_t)__builtin_frame_address(0), \
		.rsp = (uint64_t)(uintptr_t)__builtin_frame_address(0)  \
	}
#define HIT(name, called, record, ...)                                                            \
	do {                                                                                      \
		struct trace_here here = HERE(called);                                            \
		struct trace_arguments arguments = TRACE_ARGUMENTS(__VA_ARGS__);                  \
                                                                                                  \
		trace_hit_here(&trace_points[POINT_##name], &(record)->header, sizeof(*(record)), \
			       &here, &arguments, NULL);                                          \
	} while (0)
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

/* ---- memory ---- */

/* Each function that allocates pages reports its caller; `page` NULL: no memory. */
#define TELL_PAGE(called, page, of_order)                                                      \
	do {                                                                                   \
		struct record_mm_page_alloc record = {                                         \
		    .pfn = (page) ? page_phys(page_address(page)) / PAGE_SIZE : ~0ul,          \
		    .order = (of_order)};                                                      \
                                                                                               \
		if (WANTED(mm_page_alloc))                                                     \
			HIT(mm_page_alloc, called, &record, (uint64_t)(page), of_order, 0, 0); \
	} while (0)

static struct page *traced_page_alloc_block(unsigned order, enum page_kind kind)
{
	struct page *page = ORIGINAL(page_alloc_block)(order, kind);

	TELL_PAGE(page_alloc_block, page, order);
	return page;
}

static void *traced_page_alloc(void)
{
	void *virt = ORIGINAL(page_alloc)();
	const struct page *page = virt ? page_of(virt) : NULL;

	TELL_PAGE(page_alloc, page, 0);
	return virt;
}

static void *traced_page_alloc_dirty(void)
{
	void *virt = ORIGINAL(page_alloc_dirty)();
	const struct page *page = virt ? page_of(virt) : NULL;

	TELL_PAGE(page_alloc_dirty, page, 0);
	return virt;
}

static void traced_page_free_block(struct page *page)
{
	struct record_mm_page_free record = {.pfn = page_phys(page_address(page)) / PAGE_SIZE,
					     .order = page->order};

	if (WANTED(mm_page_free))
		HIT(mm_page_free, page_free_block, &record, (uint64_t)page, page->order);
	ORIGINAL(page_free_block)(page);
}

static void *traced_kalloc(size_t size)
{
	void *object = ORIGINAL(kalloc)(size);
	struct record_kmalloc record = {
	    .call_site = CALLER, .ptr = (uint64_t)object, .bytes_req = size, .node = -1};

	record.bytes_alloc = object ? kalloc_room(object) : 0;
	if (WANTED(kmalloc))
		HIT(kmalloc, kalloc, &record, CALLER, (uint64_t)object, size, record.bytes_alloc, 0,
		    (uint64_t)record.node);
	return object;
}

static void traced_kfree(void *object)
{
	struct record_kfree record = {.call_site = CALLER, .ptr = (uint64_t)object};

	if (WANTED(kfree))
		HIT(kfree, kfree, &record, CALLER, (uint64_t)object);
	ORIGINAL(kfree)(object);
}

/* ---- mappings ---- */

static uint64_t traced_vma_gap(struct mm *mm, uint64_t length, uint64_t top)
{
	uint64_t found = ORIGINAL(vma_gap)(mm, length, top);
	struct record_vm_unmapped_area record = {.addr = found ? found : -(uint64_t)ENOMEM,
						 .flags = 1, /* from the top down */
						 .length = length,
						 .low_limit = VM_LOWEST,
						 .high_limit = top};

	if (WANTED(vm_unmapped_area))
		HIT(vm_unmapped_area, vma_gap, &record, record.addr, 0);
	return found;
}

/* ---- tasks ---- */

static int traced_process_wait(struct wait_request *request)
{
	struct record_sched_process_wait record = {.pid = request->type == P_PID ? request->id : 0,
						   .prio = trace_priority(current_task())};

	__builtin_memcpy(record.comm, current_task()->comm, sizeof(record.comm));
	if (WANTED(sched_process_wait))
		HIT(sched_process_wait, process_wait, &record, 0);
	return ORIGINAL(process_wait)(request);
}

_Static_assert(TRACE_COMM == TASK_NAME, "names are copied whole");

static void traced_task_rename(struct task *task, const char name[TASK_NAME])
{
	struct record_task_rename record;

	if (WANTED(task_rename)) {
		record.pid = task->pid;
		__builtin_memcpy(record.oldcomm, task->comm, TRACE_COMM);
		__builtin_memcpy(record.newcomm, name, TRACE_COMM);
		/* Also clears the compiler's padding, so that no stack bytes leak. */
		__builtin_memset(&record.oom_score_adj, 0,
				 sizeof(record) - offsetof(typeof(record), oom_score_adj));
		HIT(task_rename, task_rename, &record, (uint64_t)task, (uint64_t)name);
	}
	ORIGINAL(task_rename)(task, name);
}

/* ---- timers ---- */

static void traced_timer_init(struct timer *timer, void (*fire)(struct timer *, struct frame *))
{
	struct trace_here here = HERE(timer_init);

	timer_made(timer, &here);
	ORIGINAL(timer_init)(timer, fire);
}

static void traced_timer_arm(struct timer *timer, uint64_t deadline)
{
	struct trace_here here = HERE(timer_arm);

	timer_started(timer, deadline, &here);
	ORIGINAL(timer_arm)(timer, deadline);
}

static void traced_timer_cancel(struct timer *timer)
{
	struct trace_here here = HERE(timer_cancel);

	timer_cancelled(timer, &here);
	ORIGINAL(timer_cancel)(timer);
}

static int traced_interval_set(struct process *process, unsigned which, uint64_t value,
			       uint64_t period)
{
	struct trace_here here = HERE(interval_set);

	interval_was_set(process, which, value, period, &here);
	return ORIGINAL(interval_set)(process, which, value, period);
}

static void traced_interval_over(const struct alarm *alarm, int which)
{
	struct trace_here here = HERE(interval_over);

	interval_ran_out(alarm, which, &here);
	ORIGINAL(interval_over)(alarm, which);
}

/* ---- which there are ---- */

#define JUMP(event, called) \
	[AT_##called] = {.function = (uint64_t)(called), .to = (uint64_t)traced_##called},

static struct probe_jump jumps[NR_FUNCTIONS] = {FUNCTIONS(JUMP)};

#define POINT(event, function) [AT_##function] = POINT_##event,

static const uint16_t points[NR_FUNCTIONS] = {FUNCTIONS(POINT)};

/* Restores the event's functions with a number below `before`. */
static void undo(const struct trace_event *event, unsigned before, bool on)
{
	for (unsigned i = 0; i < before; i++)
		if (&trace_points[points[i]] == event)
			jump_set(&jumps[i], !on);
}

int function_set(const struct trace_event *event, bool on)
{
	for (unsigned i = 0; i < NR_FUNCTIONS; i++) {
		int err = &trace_points[points[i]] == event ? jump_set(&jumps[i], on) : 0;

		if (err) {
			undo(event, i, on);
			return err;
		}
	}
	return 0;
}
