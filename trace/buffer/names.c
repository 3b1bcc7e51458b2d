/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of tasks: a direct-mapped table for each processor, indexed by the last bits of the pid. */
#include <linux/errno.h>
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"
#include "trace/base/points.h"
#include "trace/buffer/names.h"

#define NAMES 64 /* of each processor */

static struct saved_name {
	int32_t pid; /* 0: none */
	char comm[TRACE_COMM];
} * names; /* NULL: nothing was ever enabled */

static struct saved_name *place_of(uint32_t cpu, int32_t pid)
{
	return &names[cpu * NAMES + (uint32_t)pid % NAMES];
}

int names_prepare(void)
{
	if (!names)
		names = kalloc(nr_cpus * NAMES * sizeof(*names));
	return names ? 0 : -ENOMEM;
}

void names_save(const struct task *task)
{
	struct saved_name *name = place_of(this_cpu_read(id), task->pid);

	if (task->pid) {
		name->pid = task->pid;
		memcpy(name->comm, task->comm, sizeof(name->comm));
	}
}

void names_find(uint32_t cpu, int32_t pid, char *comm)
{
	const struct saved_name *name = names ? place_of(cpu, pid) : NULL;
	bool is_known = name && name->pid == pid;

	strlcpy(comm, !pid ? "<idle>" : is_known ? name->comm : "<...>", TRACE_COMM);
}

void names_show(struct text *out, uint64_t id)
{
	(void)id;
	for (uint32_t i = 0; names && i < nr_cpus * NAMES; i++)
		if (names[i].pid)
			text_print(out, "%d %s\n", names[i].pid, names[i].comm);
}
