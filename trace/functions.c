/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace events at functions that nobody calls by a pointer: memory, mappings, waiting, names,
 * timers. Each is told by a probe at the function, which is there as long as the event has users.
 */
#include "trace/functions.h"
#include <linux/errno.h>
#include <linux/wait.h>
#include "arch/x86/cpu/frame.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/string.h"
#include "kernel/mem/page.h"
#include "kernel/mem/space.h"
#include "kernel/process/process.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/task/task.h"
#include "kernel/time/timer.h"
#include "kernel/vm/vma.h"
#include "trace/base/event.h"
#include "trace/probe/kprobe.h"
#include "trace/timers.h"

#define WANTED(name) trace_wanted(&trace_points[POINT_##name])
#define HIT(name, record, frame) \
	trace_hit(&trace_points[POINT_##name], &(record)->header, sizeof(*(record)), frame, NULL)

/* What a function was asked, for its return: of the last call on each processor. */
static struct {
	uint64_t bytes;
	uint64_t length, top;
} asked[MAX_CPUS];

/* Who called: nothing was pushed yet. */
static uint64_t caller_of(const struct frame *frame)
{
	return *(const uint64_t *)frame->rsp;
}

/* ---- memory ---- */

static void page_allocated(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	const struct page *page = (const struct page *)frame->rax;
	struct record_mm_page_alloc record = {0};

	(void)user;
	(void)function;
	if (!WANTED(mm_page_alloc))
		return;
	record.pfn = page ? page_phys(page_address(page)) / PAGE_SIZE : ~0ul;
	record.order = page ? page->order : 0;
	HIT(mm_page_alloc, &record, frame);
}

static void page_freed(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	const struct page *page = (const struct page *)frame->rdi;
	struct record_mm_page_free record = {.pfn = page_phys(page_address(page)) / PAGE_SIZE,
					     .order = page->order};

	(void)user;
	(void)function;
	if (WANTED(mm_page_free))
		HIT(mm_page_free, &record, frame);
}

static void object_asked(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	(void)user;
	(void)function;
	asked[this_cpu_read(id)].bytes = frame->rdi;
}

/* An interrupt's call in between leaves what it asked: then the object's own size is told. */
static void object_allocated(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	struct record_kmalloc record = {.call_site = frame->rip, .ptr = frame->rax};

	(void)user;
	(void)function;
	if (!WANTED(kmalloc))
		return;
	record.bytes_req = asked[this_cpu_read(id)].bytes;
	record.bytes_alloc = record.ptr ? kalloc_room((const void *)record.ptr) : 0;
	if (record.ptr && record.bytes_req > record.bytes_alloc)
		record.bytes_req = record.bytes_alloc;
	record.node = -1;
	HIT(kmalloc, &record, frame);
}

static void object_freed(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	struct record_kfree record = {.call_site = caller_of(frame), .ptr = frame->rdi};

	(void)user;
	(void)function;
	if (WANTED(kfree))
		HIT(kfree, &record, frame);
}

/* ---- mappings ---- */

static void gap_asked(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	(void)user;
	(void)function;
	asked[this_cpu_read(id)].length = frame->rsi;
	asked[this_cpu_read(id)].top = frame->rdx;
}

static void gap_found(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	struct record_vm_unmapped_area record = {.addr =
						     frame->rax ? frame->rax : -(uint64_t)ENOMEM,
						 .flags = 1, /* from the top down */
						 .length = asked[this_cpu_read(id)].length,
						 .low_limit = VM_LOWEST,
						 .high_limit = asked[this_cpu_read(id)].top};

	(void)user;
	(void)function;
	if (WANTED(vm_unmapped_area))
		HIT(vm_unmapped_area, &record, frame);
}

/* ---- tasks ---- */

static void waits(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	const struct wait_request *request = (const struct wait_request *)frame->rdi;
	struct record_sched_process_wait record = {.pid = request->type == P_PID ? request->id : 0,
						   .prio = trace_priority(current_task())};

	(void)user;
	(void)function;
	if (!WANTED(sched_process_wait))
		return;
	memcpy(record.comm, current_task()->comm, sizeof(record.comm));
	HIT(sched_process_wait, &record, frame);
}

static void renamed(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	const struct task *task = (const struct task *)frame->rdi;
	struct record_task_rename record = {.pid = task->pid};

	(void)user;
	(void)function;
	if (!WANTED(task_rename))
		return;
	memcpy(record.oldcomm, task->comm, sizeof(record.oldcomm));
	strlcpy(record.newcomm, (const char *)frame->rsi, sizeof(record.newcomm));
	HIT(task_rename, &record, frame);
}

/* ---- which there are ---- */

#define AT(point, called, tell)                    \
	{                                          \
		POINT_##point, (uint64_t)(called), \
		{                                  \
			.hit = (tell)              \
		}                                  \
	}
#define RETURNING(point, called, tell)                 \
	{                                              \
		POINT_##point, (uint64_t)(called),     \
		{                                      \
			.hit = (tell), .returns = true \
		}                                      \
	}

static struct function_point {
	uint32_t point;
	uint64_t function;
	struct kprobe_user user;
} functions[] = {
    RETURNING(mm_page_alloc, page_alloc_block, page_allocated),
    AT(mm_page_free, page_free_block, page_freed),
    AT(kmalloc, kalloc, object_asked),
    RETURNING(kmalloc, kalloc, object_allocated),
    AT(kfree, kfree, object_freed),
    AT(vm_unmapped_area, vma_gap, gap_asked),
    RETURNING(vm_unmapped_area, vma_gap, gap_found),
    AT(sched_process_wait, process_wait, waits),
    AT(task_rename, task_rename, renamed),
    AT(hrtimer_init, timer_init, timer_made),
    AT(hrtimer_start, timer_arm, timer_started),
    AT(hrtimer_cancel, timer_cancel, timer_cancelled),
    AT(itimer_state, interval_set, interval_was_set),
    AT(itimer_expire, interval_over, interval_ran_out),
};

#define NR_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Those of the event, up to the number `end`. */
static void remove_up_to(const struct trace_event *event, unsigned end)
{
	for (unsigned i = 0; i < end; i++)
		if (&trace_points[functions[i].point] == event)
			kprobe_remove(&functions[i].user);
}

int function_set(struct trace_event *event, bool on)
{
	int err = 0;

	if (!on) {
		remove_up_to(event, NR_FUNCTIONS);
		return 0;
	}
	for (unsigned i = 0; i < NR_FUNCTIONS; i++) {
		if (&trace_points[functions[i].point] != event)
			continue;
		err = kprobe_add_own(&functions[i].user, functions[i].function);
		if (err) {
			remove_up_to(event, i);
			break;
		}
	}
	return err;
}
