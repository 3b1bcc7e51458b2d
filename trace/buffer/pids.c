/* SPDX-License-Identifier: BSD-2-Clause */
/* set_event_pid: the tasks whose records go into tracefs's buffer; an empty list means all. */
#include <linux/errno.h>
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "trace/base/event.h"
#include "trace/buffer/options.h"
#include "trace/buffer/pids.h"

#define PIDS_MAX  1024
#define PID_LIMIT (1 << 30) /* of Linux's lists */

struct pids {
	uint32_t nr;
	int32_t pids[]; /* ascending */
};

/* Returns the number's index, or where it would be. */
static uint32_t place_of(const struct pids *list, int32_t pid)
{
	uint32_t low = 0, high = list->nr;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (list->pids[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct pids *list, int32_t pid)
{
	uint32_t at = place_of(list, pid);

	return at < list->nr && list->pids[at] == pid;
}

/* As on Linux a switch or a wake-up also belongs to the other task. */
bool pids_want(const struct trace_instance *instance, const struct trace_record *record)
{
	const struct pids *list = __atomic_load_n(&instance->pids, __ATOMIC_ACQUIRE);
	const struct trace_event *event = record->event;

	if (!list || has(list, record->header->pid))
		return true;
	if (event == &trace_points[POINT_sched_switch])
		return has(list, ((const struct record_sched_switch *)record->header)->next_pid);
	if (event == &trace_points[POINT_sched_wakeup] ||
	    event == &trace_points[POINT_sched_waking] ||
	    event == &trace_points[POINT_sched_wakeup_new])
		return has(list, ((const struct record_sched_wakeup *)record->header)->pid);
	return false;
}

/* Replaces the list; after all processors have synchronised the old one is unused. */
static void replace(struct trace_instance *instance, struct pids *list)
{
	struct pids *old = instance->pids;

	__atomic_store_n(&instance->pids, list, __ATOMIC_RELEASE);
	remote_synchronize();
	kfree(old);
}

static void insert(struct pids *list, int32_t pid)
{
	uint32_t at = place_of(list, pid);

	if (at < list->nr && list->pids[at] == pid)
		return;
	memmove(&list->pids[at + 1], &list->pids[at], (list->nr - at) * sizeof(list->pids[0]));
	list->pids[at] = pid;
	list->nr++;
}

/* Adds the numbers in the text: 0, -EINVAL, Linux's -EPERM for a number that is too large, or
 * -ENOSPC: the list is full. */
static int insert_all(struct pids *list, const char *text)
{
	uint64_t pid;

	for (;;) {
		while (*text == ' ' || *text == '\t' || *text == '\n')
			text++;
		if (!*text)
			return 0;
		if (number_digits(&text, 10, &pid) || (*text && !strchr(" \t\n", *text)))
			return -EINVAL;
		if (pid >= PID_LIMIT)
			return -EPERM;
		if (list->nr == PIDS_MAX)
			return -ENOSPC;
		insert(list, (int32_t)pid);
	}
}

/* Returns a copy of the instance's list, to be changed; NULL: no memory. */
static struct pids *copy_of(const struct trace_instance *instance)
{
	struct pids *list = kalloc(sizeof(*list) + PIDS_MAX * sizeof(list->pids[0]));

	if (list && instance->pids)
		memcpy(list, instance->pids,
		       sizeof(*list) + instance->pids->nr * sizeof(list->pids[0]));
	return list;
}

int pids_add(struct trace_instance *instance, const char *text)
{
	struct pids *list = copy_of(instance);
	int err;

	if (!list)
		return -ENOMEM;
	err = insert_all(list, text);
	if (err || !list->nr)
		kfree(list);
	else
		replace(instance, list);
	return err;
}

void pids_clear(struct trace_instance *instance)
{
	if (instance->pids)
		replace(instance, NULL);
}

/* ---- children ---- */

/* Applies `change` to each list that contains `pid` and follows forks. Without memory the list does
 * not change. */
static void change_those_with(int32_t pid, void (*change)(struct pids *list, int32_t about),
			      int32_t about)
{
	struct trace_instance *instance = &trace_top;

	do {
		struct pids *list = NULL;

		if (instance->options & OPTION_FORK && instance->pids && has(instance->pids, pid))
			list = copy_of(instance);
		if (list) {
			change(list, about);
			replace(instance, list);
		}
		instance = container_of(instance->link.next, struct trace_instance, link);
	} while (instance != &trace_top);
}

static void insert_child(struct pids *list, int32_t pid)
{
	if (list->nr < PIDS_MAX)
		insert(list, pid);
}

static void take_out(struct pids *list, int32_t pid)
{
	uint32_t at = place_of(list, pid);

	list->nr--;
	memmove(&list->pids[at], &list->pids[at + 1], (list->nr - at) * sizeof(list->pids[0]));
}

static void made(const struct task *child)
{
	change_those_with(current_task()->pid, insert_child, child->pid);
}

static void ends(const struct task *task)
{
	change_those_with(task->pid, take_out, task->pid);
}

void pids_follow(bool on)
{
	trace_task_made = made;
	trace_task_ends = ends;
	place_use(PLACE_FORK, on);
	place_use(PLACE_EXIT, on);
}

void pids_show(const struct trace_instance *instance, struct text *out)
{
	for (uint32_t i = 0; instance->pids && i < instance->pids->nr; i++)
		text_print(out, "%d\n", instance->pids->pids[i]);
}
