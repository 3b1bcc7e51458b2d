/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of control groups, and their members. */
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "kernel/base/assert.h"
#include "kernel/base/hooks.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/mem/memory.h"
#include "kernel/task/membership/cgroup.h"

struct cgroup cgroup_root = {.refs = 1, .id = 1}, cgroup_v1_root = {.refs = 1, .id = 2, .v1 = true};
bool cgroup_v1_on;

/* All groups by id, including removed ones that still have references. */
static bool before(const struct tree_node *a, const struct tree_node *b);
static struct tree all = {.before = before};
static uint64_t last_id = 2;
static uint32_t count;

static struct cgroup *group_of(const struct tree_node *node)
{
	return container_of(node, struct cgroup, node);
}

static bool before(const struct tree_node *a, const struct tree_node *b)
{
	return group_of(a)->id < group_of(b)->id;
}

struct cgroup *cgroup_new(struct cgroup *parent, const char *name, int *error)
{
	struct cgroup *group;

	*error = -EAGAIN;
	if (count >= CGROUPS_MAX || parent->depth >= CGROUP_DEPTH)
		return NULL;
	*error = -ENODEV;
	if (parent->removed)
		return NULL;
	*error = -ENOMEM;
	group = kalloc(sizeof(*group));
	if (!group)
		return NULL;
	group->refs = 1;
	group->id = ++last_id;
	group->parent = parent;
	group->v1 = parent->v1;
	group->depth = parent->depth + 1;
	strlcpy(group->name, name, sizeof(group->name));
	cgroup_get(parent);
	parent->children++;
	count++;
	tree_insert(&all, &group->node);
	if (perf_hooks.cgroup_made)
		perf_hooks.cgroup_made(group);
	return group;
}

struct cgroup *cgroup_get(struct cgroup *group)
{
	if (group)
		__atomic_add_fetch(&group->refs, 1, __ATOMIC_RELAXED);
	return group;
}

void cgroup_put(struct cgroup *group)
{
	while (group && __atomic_sub_fetch(&group->refs, 1, __ATOMIC_ACQ_REL) == 0) {
		struct cgroup *parent = group->parent;

		if (!group->removed)
			parent->children--;
		tree_remove(&all, &group->node);
		KASSERT(count > 0);
		count--;
		kfree(group);
		group = parent;
	}
}

bool cgroup_has(const struct cgroup *group, const struct task *task)
{
	const struct cgroup *own = group->v1 ? cgroup_v1_of(task) : cgroup_of(task);

	while (own->depth > group->depth)
		own = own->parent;
	return own == group;
}

bool cgroup_populated(const struct cgroup *group)
{
	const struct task *task;

	list_for_each(task, &all_tasks, task_link)
		if (task->process->live && cgroup_has(group, task))
			return true;
	return false;
}

uint32_t cgroup_descendants(const struct cgroup *group)
{
	uint32_t nr = 0;

	for (struct tree_node *node = all.first; node; node = tree_next(node)) {
		const struct cgroup *other = group_of(node), *up = other;

		while (up->depth > group->depth)
			up = up->parent;
		nr += up == group && other != group && !other->removed;
	}
	return nr;
}

int cgroup_remove(struct cgroup *group)
{
	if (group->children || cgroup_populated(group))
		return -EBUSY;
	group->removed = true;
	group->parent->children--;
	return 0;
}

struct cgroup *cgroup_find(uint64_t id)
{
	struct tree_node *node = all.root;

	if (id == cgroup_root.id)
		return &cgroup_root;
	if (id == cgroup_v1_root.id)
		return &cgroup_v1_root;
	while (node && group_of(node)->id != id)
		node = id < group_of(node)->id ? node->left : node->right;
	return node && !group_of(node)->removed ? group_of(node) : NULL;
}

/* Moves a task. A sample names the running task's group, so none may be in progress when the old
 * group's reference is dropped. */
static void move(struct cgroup **place, struct cgroup *group)
{
	struct cgroup *old = *place;

	if (!group->parent)
		group = NULL;
	if (group == old)
		return;
	cgroup_get(group);
	__atomic_store_n(place, group, __ATOMIC_RELEASE);
	if (perf_hooks.cgroup_moved)
		perf_hooks.cgroup_moved();
	remote_synchronize();
	cgroup_put(old);
}

void cgroup_move(struct process *process, struct cgroup *group)
{
	move(&process->cgroup, group);
}

void cgroup_move_thread(struct task *task, struct cgroup *group)
{
	move(&task->cgroup_v1, group);
}

void cgroup_path(const struct cgroup *group, struct text *out)
{
	const struct cgroup *way[CGROUP_DEPTH];
	uint32_t depth = group->depth;

	if (!depth)
		text_char(out, '/');
	for (uint32_t i = depth; i; i--, group = group->parent)
		way[i - 1] = group;
	for (uint32_t i = 0; i < depth; i++)
		text_print(out, "/%s", way[i]->name);
}
