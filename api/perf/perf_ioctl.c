/* SPDX-License-Identifier: BSD-2-Clause */
/* ioctl(2) of an event: PERF_EVENT_IOC_*. */
#include <linux/errno.h>
#include "api/perf/perf.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "pmu/base/context.h"
#include "pmu/core/core.h"
#include "pmu/soft/breakpoint.h"

typedef void event_fn(struct perf_event *event);

/* Calls `fn` for the event and the events inherited from it. */
static __attribute__((noinline)) void for_family(struct perf_event *event, event_fn *fn)
{
	struct perf_event *child;

	fn(event);
	list_for_each(child, &event->children, child_link)
		fn(child);
}

static __attribute__((noinline)) long for_group(struct perf_event *event, event_fn *fn)
{
	struct perf_event *sibling;

	for_family(event->leader, fn);
	event_for_each_sibling(sibling, event->leader)
		for_family(sibling, fn);
	return 0;
}

static inline long for_event(struct perf_event *event, uint64_t argument, event_fn *fn)
{
	if ((uint32_t)argument & PERF_IOC_FLAG_GROUP)
		return for_group(event, fn);
	if (list_empty(&event->children))
		fn(event);
	else
		for_family(event, fn);
	return 0;
}

static long ioctl_refresh(struct perf_event *event, uint64_t argument)
{
	if (event->attr.inherit || !event_is_sampling(event))
		return -EINVAL;
	__atomic_add_fetch(&event->event_limit, (int32_t)argument, __ATOMIC_RELAXED);
	event_enable(event);
	return 0;
}

static __attribute__((noinline)) long ioctl_period(struct perf_event *event, uint64_t argument)
{
	uint64_t value;

	if (copy_from_user(&value, argument, sizeof(value)))
		return -EFAULT;
	return event_set_period(event, value);
}

static long ioctl_id(const struct perf_event *event, uint64_t argument)
{
	return put_user_word(argument, event->id) < 0 ? -EFAULT : 0;
}

static __attribute__((noinline)) long ioctl_set_output(struct perf_event *event, uint64_t argument)
{
	struct perf_event *output;
	struct file *file;
	long err;

	if (argument == UINT64_MAX)
		return perf_set_output(event, NULL);
	output = perf_event_of_fd((int)argument, &file);
	if (!output)
		return -EBADF;
	err = perf_set_output(event, output);
	file_put(file);
	return err;
}

static long ioctl_pause(struct perf_event *event, uint64_t argument)
{
	struct ring *ring = event->ring;

	if (!ring || !ring->nr_pages)
		return -EINVAL;
	ring->paused = (uint32_t)argument != 0;
	return 0;
}

/* Trace events and hardware traces have filters; the string is copied first in any case, as on
 * Linux. */
static __attribute__((noinline)) long ioctl_set_filter(struct perf_event *event, uint64_t argument)
{
	char *text = kalloc(PAGE_SIZE);
	long length, err;

	if (!text)
		return -ENOMEM;
	length = copy_string_from_user(text, argument, PAGE_SIZE);
	if (length < 0)
		err = length == -EFAULT ? -EFAULT : -EINVAL;
	else
		err = event->pmu->set_filter ? event->pmu->set_filter(event, text) : -EINVAL;
	kfree(text);
	return err;
}

int (*perf_set_program)(struct perf_event *event, int fd);

static long ioctl_set_bpf(struct perf_event *event, uint64_t argument)
{
	return perf_set_program ? perf_set_program(event, (int)argument) : -EINVAL;
}

int (*perf_query_programs)(struct perf_event *event, uint64_t user);

static long ioctl_query_bpf(struct perf_event *event, uint64_t argument)
{
	return perf_query_programs ? perf_query_programs(event, argument) : -EINVAL;
}

/* Only breakpoints can be modified. */
static __attribute__((noinline)) long ioctl_modify(struct perf_event *event, uint64_t argument)
{
	struct perf_event_attr attr;
	int err = perf_attr_copy(&attr, argument);

	if (err)
		return err;
	if (attr.type != event->attr.type)
		return -EINVAL;
	return attr.type == PERF_TYPE_BREAKPOINT ? breakpoint_modify(event, &attr) : -EOPNOTSUPP;
}

/* The commands without a pointer argument. */
static inline long plain_ioctl(struct perf_event *event, unsigned command, uint64_t argument)
{
	switch (command) {
	case PERF_EVENT_IOC_ENABLE:
		return for_event(event, argument, event_enable);
	case PERF_EVENT_IOC_DISABLE:
		return for_event(event, argument, event_disable);
	case PERF_EVENT_IOC_RESET:
		return for_event(event, argument, event_reset);
	case PERF_EVENT_IOC_REFRESH:
		return ioctl_refresh(event, argument);
	case PERF_EVENT_IOC_SET_OUTPUT:
		return ioctl_set_output(event, argument);
	default:
		return -ENOTTY;
	}
}

long perf_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	struct perf_event *event = file->priv;

	if (_IOC_DIR(command) == _IOC_NONE)
		return plain_ioctl(event, command, argument);
	switch (command) {
	case PERF_EVENT_IOC_PERIOD:
		return ioctl_period(event, argument);
	case PERF_EVENT_IOC_ID:
		return ioctl_id(event, argument);
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		return ioctl_pause(event, argument);
	case PERF_EVENT_IOC_SET_FILTER:
		return ioctl_set_filter(event, argument);
	case PERF_EVENT_IOC_SET_BPF:
		return ioctl_set_bpf(event, argument);
	case PERF_EVENT_IOC_QUERY_BPF:
		return ioctl_query_bpf(event, argument);
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return ioctl_modify(event, argument);
	default:
		return -ENOTTY;
	}
}
