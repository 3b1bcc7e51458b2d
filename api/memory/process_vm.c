/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between the memory of two processes: process_vm_readv(2), process_vm_writev(2). */
#include <linux/errno.h>
#include "api/calls.h"
#include "api/file/vectors.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/pids.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/foreign.h"
#include "kernel/vm/vm.h"

/* A position in a list of vectors. */
struct cursor {
	const struct iovec *list;
	uint64_t count, done; /* `done`: bytes of the first vector */
};

/* Skips finished vectors. Returns the bytes left in the current one; 0 at the end. */
static uint64_t cursor_left(struct cursor *cursor)
{
	while (cursor->count && cursor->done == cursor->list->iov_len) {
		cursor->list++;
		cursor->count--;
		cursor->done = 0;
	}
	return cursor->count ? cursor->list->iov_len - cursor->done : 0;
}

static uint64_t cursor_address(const struct cursor *cursor)
{
	return (uint64_t)cursor->list->iov_base + cursor->done;
}

/* Copies bytes within one page of the other process through `bounce`, since ring 3 may run between
 * the two halves. Returns 0 or -EFAULT. */
static int move(struct mm *mm, bool write, uint64_t remote, uint64_t local, size_t bytes,
		char *bounce)
{
	if (write && copy_from_user(bounce, local, bytes))
		return -EFAULT;
	if (foreign_copy(mm, remote, bounce, bytes, write ? FOREIGN_WRITE : 0) != bytes)
		return -EFAULT;
	return write ? 0 : copy_to_user(local, bounce, bytes);
}

static long move_all(struct mm *mm, bool write, struct cursor *remote, struct cursor *local)
{
	char *bounce = page_alloc_dirty();
	uint64_t left, room;
	long done = 0;
	int err = 0;

	if (!bounce)
		return -ENOMEM;
	while (!err && (left = cursor_left(remote)) && (room = cursor_left(local))) {
		uint64_t piece = PAGE_SIZE - cursor_address(remote) % PAGE_SIZE;

		piece = piece < left ? piece : left;
		piece = piece < room ? piece : room;
		err = move(mm, write, cursor_address(remote), cursor_address(local), piece, bounce);
		if (err)
			break;
		remote->done += piece;
		local->done += piece;
		done += (long)piece;
		if (!sched_pause())
			break;
	}
	page_put(bounce);
	return done ? done : err;
}

/* Returns the other process's memory, referenced: 0, -ESRCH or -EPERM. */
static int memory_of(uint64_t pid, struct mm **mm)
{
	struct task *task = task_find((int)pid);
	int err = 0;

	if (!task)
		return -ESRCH;
	*mm = task->mm;
	if (!task->mm)
		err = -ESRCH;
	else if (!may_inspect(task, false))
		err = -EPERM;
	else
		mm_get(task->mm);
	task_put(task);
	return err;
}

static long transfer(uint64_t pid, bool write, struct cursor *local, struct cursor *remote)
{
	struct mm *mm;
	long result;

	if (!cursor_left(local) || !cursor_left(remote))
		return 0;
	result = memory_of(pid, &mm);
	if (result)
		return result;
	result = move_all(mm, write, remote, local);
	mm_put(mm);
	return result;
}

static long process_vm(uint64_t pid, bool write, uint64_t local, uint64_t local_count,
		       uint64_t remote, uint64_t remote_count)
{
	struct vectors here, there;
	long result = vectors_from_user(&here, local, local_count);

	if (!result) {
		result = vectors_from_user(&there, remote, remote_count);
		if (!result)
			result = transfer(
			    pid, write, &(struct cursor){.list = here.list, .count = local_count},
			    &(struct cursor){.list = there.list, .count = remote_count});
		vectors_free(&there);
	}
	vectors_free(&here);
	return result;
}

long sys_process_vm_readv(uint64_t pid, uint64_t local, uint64_t local_count, uint64_t remote,
			  uint64_t remote_count, uint64_t flags)
{
	return flags ? -EINVAL : process_vm(pid, false, local, local_count, remote, remote_count);
}

long sys_process_vm_writev(uint64_t pid, uint64_t local, uint64_t local_count, uint64_t remote,
			   uint64_t remote_count, uint64_t flags)
{
	return flags ? -EINVAL : process_vm(pid, true, local, local_count, remote, remote_count);
}
