/* SPDX-License-Identifier: BSD-2-Clause */
/* Breaks the kernel on purpose, so that a test can verify each check. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/trap/nmi.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/list.h"
#include "kernel/debug/break.h"
#include "kernel/debug/checks/heap.h"
#include "kernel/debug/checks/pages.h"
#include "kernel/debug/replace.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/stack.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

static void write_after_free(void)
{
	char *object = kalloc(100);

	kfree(object);
	object[50] = 1;
	heap_flush();
}

static void overrun(void)
{
	char *object = kalloc(100);

	object[100] = 1;
	kfree(object);
}

static void free_twice(void)
{
	void *object = kalloc(100);

	kfree(object);
	kfree(object);
}

static void write_to_free_page(void)
{
	volatile char *page = page_alloc();

	page_put((void *)page);
	page[4000] = 1;
	pages_flush();
}

static void put_page_twice(void)
{
	void *page = page_alloc();

	page_put(page);
	page_put(page);
}

static void break_list(void)
{
	struct list head, item = {NULL, NULL};

	list_init(&head);
	list_add_tail(&head, &item);
	head.next = &head;
	list_remove(&item);
}

/* "Context: interrupts masked." */
static void wrong_context(void)
{
	remote_serve();
}

static void put_file_twice(void)
{
	static const struct file_ops none;
	struct file *file = file_new(&none, NULL, 0);

	file->refs = 0;
	file_put(file);
}

static void use_up_stack(void)
{
	*(volatile uint64_t *)(current_task()->stack_top - STACK_BYTES) = 1;
}

static void work_long(void)
{
	uint64_t end = clock_ns() + 150000000;

	while (clock_ns() < end)
		;
}

REAL(nmi_register);

static bool own_nmi(struct frame *frame)
{
	(void)frame;
	return false;
}

/* There is room for four. */
static void register_too_many(void)
{
	for (unsigned i = 0; i < 5; i++)
		__real_nmi_register(own_nmi); /* as if it were at start */
}

static void sleep_with_signal(void)
{
	struct task *task = current_task();

	task->pending |= 1; /* SIGHUP, without a notification */
	task->state = TASK_SLEEPING;
	schedule();
}

static void (*const breaks[])(void) = {write_after_free,   overrun,           free_twice,
				       write_to_free_page, put_page_twice,    break_list,
				       wrong_context,      put_file_twice,    use_up_stack,
				       work_long,          register_too_many, sleep_with_signal};

long break_something(uint64_t which)
{
	if (which >= sizeof(breaks) / sizeof(breaks[0]))
		return -EINVAL;
	breaks[which]();
	return 0;
}
