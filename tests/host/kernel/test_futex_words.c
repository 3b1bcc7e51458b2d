/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that other processors change at every moment: FUTEX_WAKE_OP and the end of a thread that
 * held some let others have the kernel, and end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LONG 100000 /* a machine that tries this often without a pause hangs */

static unsigned tries, pauses, pauses_most;

/* Another processor writes the word just then. */
static bool too_late(void)
{
	if (++tries > LONG)
		fail_msg("nobody else had the kernel");
	return false;
}

#define __atomic_compare_exchange_n(word, old, new, ...) \
	((void)(word), (void)(old), (void)(new), too_late())
#include "kernel/ipc/futex.c"
#include "kernel/ipc/robust.c"
#include "tests/host/kernel/never.h"

static uint32_t word;
static struct task task;

struct cpu *this_cpu(void)
{
	static struct cpu cpu;

	cpu.current = &task;
	return &cpu;
}

/* False: the task is killed. */
bool sched_pause(void)
{
	tries = 0;
	return ++pauses < pauses_most;
}

void *mm_writable(struct mm *mm, uint64_t addr)
{
	(void)mm, (void)addr;
	return &word;
}

/* A list of one element, at every address. */
int copy_from_user(void *to, uint64_t from, size_t bytes)
{
	static const struct robust_list_head head = {.list = {(void *)0x2000}};

	(void)from;
	memcpy(to, bytes == sizeof(head) ? (const void *)&head : (const void *)&(uint64_t){0x1000},
	       bytes);
	return 0;
}

/* Functions that the test must not call. */
NEVER(void *, phys_virt, uint64_t phys)
NEVER(bool, paging_query, uint64_t root, uint64_t virt, struct paging_entry *entry)
NEVER(struct vma *, vma_find, struct mm *mm, uint64_t addr)
NEVER(void, page_get, void *page)
NEVER(void, page_put, void *page)
NEVER(void, huge_get, void *page)
NEVER(void, huge_put, void *page)
NEVER(int, futex_pi_waits, const struct futex_key *key)
NEVER(void, futex_owner_exit, struct task *one)
NEVER(void *, kalloc, size_t bytes)
NEVER(void, kfree, void *object)
NEVER(void, waitq_init, struct waitq *queue)
NEVER(void, waitq_add, struct waitq *queue, struct waiter *waiter)
NEVER(int, waitq_sleep, uint64_t deadline_ns)
NEVER(void, waitq_remove, struct waiter *waiter)
NEVER(void, waitq_wake, struct waitq *queue)

static void test_wake_op(void **state)
{
	static struct mm mm;

	(void)state;
	task.mm = &mm;
	pauses = tries = 0;
	pauses_most = 10;
	assert_int_equal(futex_wake_op(0x1000, 1, 0x2000, 1, 1u << 28, true), -EAGAIN);
	assert_int_equal(pauses, pauses_most);
}

/* The task holds the word, whatever else is in it. */
static void test_robust_list(void **state)
{
	(void)state;
	task.pid = 2;
	word = 2;
	task.robust_list = 0x1000;
	pauses = tries = 0;
	pauses_most = 10;
	robust_list_exit(&task);
	assert_true(pauses > 1);
	assert_int_equal(word, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_wake_op),
						  cmocka_unit_test(test_robust_list)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
