/* SPDX-License-Identifier: BSD-2-Clause */
/* Namespaces. Only UTS namespaces (host names) can have several instances. The initial one is never
 * freed, and tasks in it hold no reference. */
#include <linux/capability.h>
#include <linux/errno.h>
#include "kernel/base/assert.h"
#include "kernel/base/system.h"
#include "kernel/mem/memory.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/task.h"

static struct uts first = {
    .refs = 1, .number = NAMESPACE_UTS_FIRST, .node = SYSTEM_NODE, .domain = "(none)"};

static const struct mount_namespace mount_namespace = {0xf0000001u};
const struct common_namespaces common_namespaces = {&mount_namespace};

/* Numbers of new namespaces: after the initial ones of Linux, to the end of its range. */
static uint32_t last_number = 0xf0000001u;

struct uts *uts_of(const struct task *task)
{
	return task->uts ? task->uts : &first;
}

struct uts *uts_copy(const struct uts *from)
{
	struct uts *uts = kalloc(sizeof(*uts));

	if (!uts)
		return NULL;
	*uts = *from;
	uts->refs = 1;
	last_number = last_number == UINT32_MAX ? 0xf0000002u : last_number + 1;
	uts->number = last_number;
	return uts;
}

struct uts *uts_get(struct uts *uts)
{
	__atomic_add_fetch(&uts->refs, 1, __ATOMIC_RELAXED);
	return uts;
}

void uts_put(struct uts *uts)
{
	KASSERT(!uts || uts->refs > 0);
	if (uts && !__atomic_sub_fetch(&uts->refs, 1, __ATOMIC_ACQ_REL))
		kfree(uts);
}

void uts_enter(struct uts *uts)
{
	struct task *task = current_task();

	uts_put(task->uts);
	task->uts = uts;
}

int namespaces_may_part(uint64_t flags)
{
	/* The creator of a user namespace has all capabilities in it. */
	if (flags & NAMESPACE_FLAGS && !(flags & CLONE_NEWUSER) && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	return flags & NAMESPACE_FLAGS & ~(uint64_t)CLONE_NEWUTS ? -EINVAL : 0;
}

uint32_t namespace_number(const struct task *task, unsigned place)
{
	return place == NAMESPACE_UTS ? uts_of(task)->number : namespaces[place].number;
}
