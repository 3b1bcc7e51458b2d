/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets the n-th step of a kind fail. */
#include <linux/errno.h>
#include <linux/signal.h>
#include <stddef.h>
#include "arch/x86/cpu/percpu.h"
#include "kernel/debug/checks/fail.h"
#include "kernel/debug/replace.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

static struct {
	const struct task *task; /* NULL: not armed */
	enum fail_kind kind;
	uint64_t left;
	const void *where;
} fail;

void fail_arm(enum fail_kind kind, uint64_t n)
{
	fail.kind = kind;
	fail.left = n;
	fail.where = NULL;
	fail.task = current_task();
}

bool fail_disarm(const void **where)
{
	fail.task = NULL;
	*where = fail.where;
	return fail.where;
}

bool fail_now(enum fail_kind kind, const void *where)
{
	const struct cpu *cpu = this_cpu();

	if (!fail.task || kind != fail.kind || cpu->current != fail.task || cpu->irq_depth ||
	    cpu->nmi_depth)
		return false;
	if (!fail.left || --fail.left)
		return false;
	fail.where = where;
	return true;
}

/* The shortage is simulated, so only the current task may be killed. */
REPLACE(void, vm_out_of_memory, void)
{
	if (fail.where && fail.task == current_task())
		signal_send(current_task(), SIGKILL);
	else
		__real_vm_out_of_memory();
}

REPLACE(int, fd_install, struct file *file, int from, int cloexec)
{
	if (fail_now(FAIL_FD, __builtin_return_address(0)))
		return -EMFILE;
	return __real_fd_install(file, from, cloexec);
}

REPLACE(int, fd_install_at, struct file *file, unsigned fd, bool cloexec)
{
	if (fail_now(FAIL_FD, __builtin_return_address(0)))
		return -ENOMEM;
	return __real_fd_install_at(file, fd, cloexec);
}

REPLACE(int, copy_from_user, void *to, uint64_t from, size_t bytes)
{
	if (fail_now(FAIL_COPY, __builtin_return_address(0)))
		return -EFAULT;
	return __real_copy_from_user(to, from, bytes);
}

REPLACE(int, copy_to_user, uint64_t to, const void *from, size_t bytes)
{
	if (fail_now(FAIL_COPY, __builtin_return_address(0)))
		return -EFAULT;
	return __real_copy_to_user(to, from, bytes);
}

REPLACE(long, put_user_word, uint64_t to, uint64_t value)
{
	if (fail_now(FAIL_COPY, __builtin_return_address(0)))
		return -EFAULT;
	return __real_put_user_word(to, value);
}

REPLACE(int, clear_user, uint64_t to, size_t bytes)
{
	if (fail_now(FAIL_COPY, __builtin_return_address(0)))
		return -EFAULT;
	return __real_clear_user(to, bytes);
}

REPLACE(long, copy_string_from_user, char *to, uint64_t from, size_t size)
{
	if (fail_now(FAIL_COPY, __builtin_return_address(0)))
		return -EFAULT;
	return __real_copy_string_from_user(to, from, size);
}
