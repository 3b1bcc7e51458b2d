/* SPDX-License-Identifier: BSD-2-Clause */
/* A lock whose word other processors change all the time: who asks for it lets them have the
 * kernel, or would stay in it for as long as they like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "kernel/task/pids.h"
#include "kernel/ipc/futex_pi.c"
#include "tests/host/kernel/never.h"

#define ONE   4000000 /* numbers of no task */
#define OTHER 4000001
#define LONG  100000 /* a machine that reads the word this often without a pause hangs */

static uint32_t word;
static unsigned looks, pauses, pauses_most;
static struct task task;

struct cpu *this_cpu(void)
{
	static struct cpu cpu;

	cpu.current = &task;
	return &cpu;
}

/* Another processor writes the word just then. */
struct task *task_find(int pid)
{
	(void)pid;
	if (++looks > LONG)
		fail_msg("nobody else had the kernel");
	word = word == ONE ? OTHER : ONE;
	return NULL;
}

/* False: the task is killed. */
bool sched_pause(void)
{
	looks = 0;
	return ++pauses < pauses_most;
}

void *mm_writable(struct mm *mm, uint64_t addr)
{
	(void)mm, (void)addr;
	return &word;
}

int futex_key_of(uint64_t addr, bool private, struct futex_key *key)
{
	(void)private;
	*key = (struct futex_key){.addr = addr};
	return 0;
}

struct futex_place *futex_first(const struct tree *tree, const struct futex_key *key)
{
	(void)tree, (void)key;
	return NULL;
}

/* Functions that the test must not call. */
NEVER(bool, futex_before, const struct tree_node *a, const struct tree_node *b)
NEVER(bool, futex_same, const struct futex_key *a, const struct futex_key *b)
NEVER(bool, futex_plain_waits, const struct futex_key *key)
NEVER(int, futex_compare, uint64_t addr, uint32_t expected)
NEVER(void, futex_key_hold, const struct futex_key *key)
NEVER(void, futex_key_drop, const struct futex_key *key)
NEVER(void, futex_place_insert, struct tree *tree, struct futex_place *place)
NEVER(void, futex_place_remove, struct tree *tree, struct futex_place *place)
NEVER(int, copy_from_user, void *to, uint64_t from, size_t bytes)
NEVER(void *, kalloc, size_t bytes)
NEVER(void, kfree, void *object)
NEVER(void, task_get, struct task *one)
NEVER(void, task_put, struct task *one)
NEVER(void, waitq_init, struct waitq *queue)
NEVER(void, waitq_add, struct waitq *queue, struct waiter *waiter)
NEVER(int, waitq_sleep, uint64_t deadline_ns)
NEVER(void, waitq_remove, struct waiter *waiter)
NEVER(void, waitq_wake, struct waitq *queue)

static void test_changing_word(void **state)
{
	static struct mm mm;

	(void)state;
	task.mm = &mm;
	task.pid = 2;
	word = ONE;
	pauses_most = 10;
	assert_int_equal(futex_lock(0x1000, WAITQ_FOREVER, true, false), -EAGAIN);
	assert_int_equal(pauses, pauses_most);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_changing_word)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
