/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control groups: a tree of names for processes, and one of version 1, for events, for threads.
 * They limit nothing: events can count in a group. kernel/procfs/cgroupfs.c has the file systems.
 */
#ifndef KERNEL_CGROUP_H
#define KERNEL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/tree.h"
#include "kernel/task/task.h"

#define CGROUPS_MAX  4096 /* beside the root */
#define CGROUP_DEPTH 64   /* from the root */

struct text;

struct cgroup {
	uint32_t refs; /* its directory, its children, processes, events */
	uint32_t depth, children;
	uint64_t id;
	struct cgroup *parent; /* referenced; NULL: it is the root */
	bool removed, v1;
	struct tree_node node; /* by id, of all but the root */
	char name[256];
};

extern struct cgroup cgroup_root, cgroup_v1_root;
/* Events use version 1's groups: its tree is mounted, or has groups. */
extern bool cgroup_v1_on;

/* Makes a group with one reference below the parent. Returns NULL with *error -ENOMEM, or -EAGAIN:
 * too many groups, or too deep. Context: task, as all here without a note. */
struct cgroup *cgroup_new(struct cgroup *parent, const char *name, int *error);
/* Removes a group without children and processes: 0, or -EBUSY. */
int cgroup_remove(struct cgroup *group);
/* Takes a reference to the group, which may be NULL. */
struct cgroup *cgroup_get(struct cgroup *group);
void cgroup_put(struct cgroup *group);
/* Returns the group with that id unless it was removed, NULL: none. No reference is taken. */
struct cgroup *cgroup_find(uint64_t id);
/* Moves the process with all its threads. */
void cgroup_move(struct process *process, struct cgroup *group);
/* Moves the thread to that group of version 1. */
void cgroup_move_thread(struct task *task, struct cgroup *group);
/* "/name/name". */
void cgroup_path(const struct cgroup *group, struct text *out);
/* Returns the number of its descendants. */
uint32_t cgroup_descendants(const struct cgroup *group);
/* True if a live process is in it or below. */
bool cgroup_populated(const struct cgroup *group);

/* Returns the task's group. Context: any, for a task that is not ending. */
static inline struct cgroup *cgroup_of(const struct task *task)
{
	struct cgroup *own = task->process ? task->process->cgroup : NULL;

	return own ? own : &cgroup_root;
}

/* As cgroup_of(), for version 1. */
static inline struct cgroup *cgroup_v1_of(const struct task *task)
{
	return task->cgroup_v1 ? task->cgroup_v1 : &cgroup_v1_root;
}

/* Returns the group that events and samples use. */
static inline struct cgroup *cgroup_of_events(const struct task *task)
{
	return cgroup_v1_on ? cgroup_v1_of(task) : cgroup_of(task);
}

/* True if the task is in the group or below. Context: any. */
bool cgroup_has(const struct cgroup *group, const struct task *task);

#endif
