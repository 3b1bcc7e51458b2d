/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs attached to trace events run in the order in which they were attached. */
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "trace/base/event.h"
#include "trace/base/program.h"

bool programs_run_all(struct trace_program *program, const struct trace_record *record)
{
	bool all = true;

	for (; program; program = __atomic_load_n(&program->next, __ATOMIC_ACQUIRE))
		all &= program->run(program, record) != 0;
	return all;
}

static enum trace_user user_of(const struct trace_program *program)
{
	return program->is_tracefs ? TRACE_BY_TRACEFS : TRACE_BY_PERF;
}

int programs_add(struct trace_event *event, struct trace_program *program)
{
	struct trace_program **end = &event->programs;
	unsigned nr = 0;
	int err;

	for (; *end; end = &(*end)->next) {
		if (program->once && (*end)->once == program->once)
			return -EEXIST;
		nr++;
	}
	if (nr >= TRACE_PROGRAMS_MAX)
		return -E2BIG;
	err = trace_event_get(event, user_of(program));
	if (err)
		return err;
	program->next = NULL;
	__atomic_store_n(end, program, __ATOMIC_RELEASE);
	return 0;
}

void programs_remove(struct trace_event *event, struct trace_program *program)
{
	struct trace_program **link = &event->programs;

	while (*link != program)
		link = &(*link)->next;
	__atomic_store_n(link, program->next, __ATOMIC_RELEASE);
	remote_synchronize();
	trace_event_put(event, user_of(program));
}
